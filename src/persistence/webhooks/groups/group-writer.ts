/**
 * The writer of groups and of what they are read by: the last block of each list's stream is in memory, and another one is
 * begun when that is full. Accounts' own streams have a block an entry, for nearly all of them stay short.
 */
import { ByteWriter } from '../../codec/byte-writer.ts';
import { readNumberKey } from '../../codec/number-key.ts';
import { type OutboxBatch, readRows } from '../outbox-file.ts';
import type { OutboxStore } from '../outbox-store.ts';
import {
  blockKey,
  type GroupEntry,
  type GroupStream,
  NO_ENTRY,
  readBlock,
  streamKey,
  writeEntry,
} from './group-block.ts';
import { encodeBefore, type PricingBefore, pricingBeforeKey } from './pricing-before.ts';

/** A block of more bytes gets no more groups: it is written anew with each. */
const FULL_BYTES = 1_000;

interface Block {
  readonly key: Buffer;
  readonly last: GroupEntry;
  readonly bytes: Buffer;
}

export class GroupWriter {
  readonly #store: OutboxStore;
  readonly #keptFromMs: number;
  readonly #scratch = new ByteWriter(1_024);
  /** Undefined where a stream has none. */
  readonly #last = new Map<string, Block | undefined>();
  /** By their keys. */
  #changed = new Map<string, Block>();
  #goneBelow = 0;

  /** Groups and changes before `keptFromMs`, Unix milliseconds, are not kept. */
  constructor(store: OutboxStore, keptFromMs = 0) {
    this.#store = store;
    this.#keptFromMs = keptFromMs;
  }

  /** Rows to be put. */
  get size(): number {
    return this.#changed.size;
  }

  /** Entries of a stream come in the order of their numbers. */
  add(stream: GroupStream, entry: GroupEntry): void {
    if (entry.createdAtMs < this.#keptFromMs) {
      this.#goneBelow = entry.number + 1;
      return;
    }
    const name = stream.kind === 'catalogOfAccount' ? undefined : `${stream.kind} ${stream.id}`;
    const last = name === undefined ? undefined : this.#lastOf(name, stream);
    const isFull = last === undefined || last.bytes.length >= FULL_BYTES;
    const block = isFull ? this.#begun(stream, entry) : this.#with(last, entry);
    this.#changed.set(block.key.toString('latin1'), block);
    if (name !== undefined) this.#last.set(name, block);
  }

  /** Puts what was added since. */
  put(batch: OutboxBatch): void {
    for (const { key, bytes } of this.#changed.values()) batch.put('groups', key, bytes);
    this.#changed.clear();
    if (this.#goneBelow > 0) this.#store.putGoneBelow(batch, this.#goneBelow);
    this.#goneBelow = 0;
  }

  putBefore(batch: OutboxBatch, row: PricingBefore, atMs: number): void {
    if (atMs >= this.#keptFromMs) batch.put('pricingBefore', pricingBeforeKey(row), encodeBefore(row.before));
  }

  #begun(stream: GroupStream, entry: GroupEntry): Block {
    const { number } = entry;
    return {
      key: blockKey(stream, number),
      last: entry,
      bytes: this.#bytesOf(entry, { ...NO_ENTRY, number }),
    };
  }

  #with({ key, bytes, last }: Block, entry: GroupEntry): Block {
    return { key, last: entry, bytes: Buffer.concat([bytes, this.#bytesOf(entry, last)]) };
  }

  #bytesOf(entry: GroupEntry, before: GroupEntry): Buffer {
    this.#scratch.reset();
    writeEntry(this.#scratch, entry, before);
    return this.#scratch.copy();
  }

  #lastOf(name: string, stream: GroupStream): Block | undefined {
    return this.#last.has(name) ? this.#last.get(name) : this.#read(stream);
  }

  #read(stream: GroupStream): Block | undefined {
    const start = blockKey(stream, Number.MAX_SAFE_INTEGER);
    const range = { start, end: streamKey(stream), reverse: true, limit: 1 };
    for (const { key, payload } of readRows(this.#store.file, 'groups', range)) {
      let last = NO_ENTRY;
      for (const entry of readBlock(payload, readNumberKey(key, 16))) last = entry;
      return { key: Buffer.from(key), last, bytes: Buffer.from(payload) };
    }
    return undefined;
  }
}
