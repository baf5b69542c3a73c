/** The chunks of one epoch that a manifest lists. */
import type { StoredObject } from '../backup/target-layout.ts';
import { type ChunkPart, type ChunkSource, readAhead, type SourceChunk } from './source-chunk.ts';

export class ListedPart implements ChunkPart {
  readonly epoch: number;
  readonly objects: readonly StoredObject[];
  readonly #chunks: ChunkSource;

  constructor(chunks: ChunkSource, epoch: number, objects: readonly StoredObject[]) {
    this.#chunks = chunks;
    this.epoch = epoch;
    this.objects = objects;
  }

  get count(): number {
    return this.objects.length;
  }

  bytesOf(count: number): number {
    return this.objects.slice(0, count).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  read(index: number): Promise<SourceChunk> {
    const object = this.objects[index];
    if (object === undefined) throw new RangeError(`no chunk ${index} in a manifest`);
    return this.#chunks.listed(object);
  }

  readAll(): AsyncIterable<SourceChunk> {
    return readAhead(this.count, (index) => this.read(index));
  }
}
