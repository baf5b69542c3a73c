/** The chunks of one epoch that a manifest lists. */
import type { StoredObject } from '../backup/target-layout.ts';
import { REMEDY } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';
import { type ChunkPart, type ChunkSource, readAhead, type SourceChunk } from './source-chunk.ts';

export class ListedPart implements ChunkPart {
  readonly epoch: number;
  readonly objects: readonly StoredObject[];
  readonly #chunks: ChunkSource;
  readonly #missing: ReadonlyMap<string, unknown>;

  /** `missing` are those that the source doesn't list, by their names. */
  constructor(
    chunks: ChunkSource,
    epoch: number,
    objects: readonly StoredObject[],
    missing: ReadonlyMap<string, unknown>,
  ) {
    this.#chunks = chunks;
    this.epoch = epoch;
    this.objects = objects;
    this.#missing = missing;
  }

  get count(): number {
    return this.objects.length;
  }

  bytesOf(count: number): number {
    return this.objects.slice(0, count).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  expectThere(count: number): void {
    if (this.#missing.size === 0) return;
    const missing = this.objects.slice(0, count).find(({ name }) => this.#missing.has(name));
    if (missing === undefined) return;
    throw new RestoreError(
      `${missing.name} is missing at ${this.#chunks.source.url}, or cut short: ${REMEDY}`,
    );
  }

  read(index: number): Promise<SourceChunk> {
    const object = this.objects[index];
    if (object === undefined) throw new RangeError(`no chunk ${index} in a manifest`);
    return this.#chunks.listed(object);
  }

  readFirst(count: number): AsyncIterable<SourceChunk> {
    return readAhead(count, (index) => this.read(index));
  }
}
