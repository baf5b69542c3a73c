/**
 * The chunks of one series and epoch that no manifest lists, or not yet: found by their names, proved by their chain.
 *
 * Which of several tries of a number counts, `chained.ts` says. Where a number is missing, or none of its tries opens, and
 * more is wanted, that is damage: nobody can tell an object that was lost from one that was never there.
 */
import { chained } from '../backup/chained.ts';
import { chunkName, parseChunkName, type Series, seriesPrefix } from '../backup/chunk.ts';
import { REMEDY } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';
import { type ChunkPart, type ChunkSource, readAhead, type SourceChunk } from './source-chunk.ts';

/** An index of a series by names alone: a number or two for each chunk, because there may be millions. */
export class SeriesIndex {
  readonly series: Series;
  readonly epoch: number;
  readonly #numbers: number[] = [];
  readonly #bytes: number[] = [];
  /** The attempts at numbers that have others than the first one alone. */
  readonly #attempts = new Map<number, number[]>();

  constructor(series: Series, epoch: number) {
    this.series = series;
    this.epoch = epoch;
  }

  /** `onName` sees every object. */
  static async list(
    chunks: ChunkSource,
    series: Series,
    epoch: number,
    onName: (name: string, sizeBytes: number) => void = () => {},
  ): Promise<SeriesIndex> {
    const index = new SeriesIndex(series, epoch);
    for await (const { name, sizeBytes } of chunks.source.list(seriesPrefix(series, epoch))) {
      onName(name, sizeBytes);
      const parsed = parseChunkName(name);
      if (parsed !== undefined) index.#add(parsed.number, parsed.attempt, sizeBytes);
    }
    return index;
  }

  get count(): number {
    return this.#numbers.length;
  }

  numberAt(index: number): number {
    const number = this.#numbers[index];
    if (number === undefined) throw new RangeError(`no chunk ${index} in a series`);
    return number;
  }

  bytesAt(index: number): number {
    return this.#bytes[index] ?? 0;
  }

  /** The place of the first chunk whose number is `number` or higher. */
  indexFrom(number: number): number {
    let low = 0;
    let high = this.#numbers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Names of the chunk at `index`; the latest attempt first. */
  namesAt(index: number): string[] {
    const number = this.numberAt(index);
    const attempts = this.#attempts.get(number) ?? [1];
    return attempts
      .toSorted((a, b) => b - a)
      .map((attempt) => chunkName({ series: this.series, epoch: this.epoch, number }, attempt));
  }

  /** Names come in their order, so tries of one number are neighbours. */
  #add(number: number, attempt: number, bytes: number): void {
    const last = this.#numbers.length - 1;
    if (this.#numbers[last] !== number) {
      this.#numbers.push(number);
      this.#bytes.push(bytes);
      if (attempt !== 1) this.#attempts.set(number, [attempt]);
      return;
    }
    this.#bytes[last] = this.bytesAt(last) + bytes;
    this.#attempts.set(number, [...(this.#attempts.get(number) ?? [1]), attempt]);
  }
}

export class SeriesPart implements ChunkPart {
  readonly #chunks: ChunkSource;
  readonly #index: SeriesIndex;
  /** The place of the part's first chunk in the index. */
  readonly #from: number;
  /** The hash of the chunk before the first one, which that one must name; undefined when it isn't known. */
  readonly #previous: string | undefined;

  constructor(chunks: ChunkSource, index: SeriesIndex, from: number, previous?: string) {
    this.#chunks = chunks;
    this.#index = index;
    this.#from = from;
    this.#previous = previous;
  }

  get epoch(): number {
    return this.#index.epoch;
  }

  get count(): number {
    return Math.max(0, this.#index.count - this.#from);
  }

  bytesOf(count: number): number {
    let bytes = 0;
    for (let index = 0; index < count; index += 1) bytes += this.#index.bytesAt(this.#from + index);
    return bytes;
  }

  expectThere(count: number): void {
    for (let index = 1; index < count; index += 1) {
      const before = this.#index.numberAt(this.#from + index - 1);
      if (this.#index.numberAt(this.#from + index) !== before + 1) throw this.#missing(before + 1);
    }
  }

  /** The latest of its tries that opens. */
  async read(index: number): Promise<SourceChunk> {
    const [latest] = await this.#tries(index);
    if (latest === undefined) throw await this.#damaged(index);
    return latest;
  }

  async *readFirst(count: number): AsyncIterableIterator<SourceChunk> {
    let read = 0;
    for await (const chunk of chained(
      readAhead(count, (at) => this.#tries(at)),
      this.#previous,
    )) {
      read += 1;
      yield chunk;
    }
    if (read === count) return;
    if ((await this.#tries(read)).length === 0) throw await this.#damaged(read);
    throw new RestoreError(
      `${this.#nameOf(read)} at ${this.#chunks.source.url} does not continue the one before: ${REMEDY}`,
    );
  }

  /** The attempts at the chunk that open; the latest first. */
  async #tries(index: number): Promise<SourceChunk[]> {
    const names = this.#index.namesAt(this.#from + index);
    const found = await Promise.all(names.map((name) => this.#chunks.attempt(name)));
    return found.filter((chunk) => chunk !== undefined);
  }

  #nameOf(index: number): string {
    return this.#index.namesAt(this.#from + index)[0] ?? '';
  }

  async #damaged(index: number): Promise<RestoreError> {
    const [before] = index === 0 ? [] : await this.#tries(index - 1);
    const remedy = before === undefined ? REMEDY : `${REMEDY} ${before.head.to.position}`;
    return new RestoreError(
      `${this.#nameOf(index)} at ${this.#chunks.source.url} is damaged or cut short: ${remedy}`,
    );
  }

  #missing(number: number): RestoreError {
    const name = chunkName({ series: this.#index.series, epoch: this.epoch, number }, 1);
    return new RestoreError(`${name} is missing at ${this.#chunks.source.url}: ${REMEDY}`);
  }
}
