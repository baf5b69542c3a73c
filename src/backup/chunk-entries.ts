/**
 * Entries of a chunk's body, in the order of the stream: content that a fact names lies before the frame with the fact.
 *
 * An entry is its kind (1), the length of what follows (4), and that. Texts and parts of files may come again, in
 * another entry or another chunk: they never change, so the last one counts as well as the first.
 */
import { ByteReader, DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { ByteWriter } from '../persistence/codec/byte-writer.ts';

export type ChunkEntry =
  /** A group of facts, as the journal has it (`journal-frame.ts`). */
  | { readonly kind: 'frame'; readonly frame: Buffer }
  /** Texts of own stock from `firstItem` on, as `encodeBlock` made them. */
  | { readonly kind: 'items'; readonly productId: number; readonly firstItem: number; readonly texts: Buffer }
  /** Texts that an order was delivered with by hand or by a supplier, as `encodeBlock` made them. */
  | { readonly kind: 'orderTexts'; readonly orderId: number; readonly texts: Buffer }
  /** The bytes of a product's file from `offset` on. */
  | { readonly kind: 'file'; readonly fileId: string; readonly offset: number; readonly bytes: Buffer }
  /** How far these accounts' webhook events have come. */
  | { readonly kind: 'queues'; readonly queues: readonly QueueProgress[] };

/** The progress of an account's events, by their numbers. */
export interface QueueProgress {
  readonly accountId: number;
  /** All from here on have to be delivered; … */
  readonly firstOpen: number;
  /** … and of the lower ones these. */
  readonly pending: readonly number[];
}

/**
 * The most accounts of one entry. An account has up to 1,000 pending events (`queue-progress.ts`), so an entry has a
 * megabyte or two at most.
 */
const MAX_QUEUES = 1_000;
const MAX_PENDING = 100_000;

const KINDS = ['frame', 'items', 'orderTexts', 'file', 'queues'] as const;
const LENGTH_BYTES = 4;

export class ChunkBody {
  readonly #out = new ByteWriter(1024 * 1024);
  #count = 0;

  get byteLength(): number {
    return this.#out.length;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(entry: ChunkEntry): void {
    const out = this.#out;
    out.byte(KINDS.indexOf(entry.kind));
    const lengthAt = out.length;
    out.skip(LENGTH_BYTES);
    writePayload(out, entry);
    const written = out.view();
    written.writeUInt32LE(written.length - lengthAt - LENGTH_BYTES, lengthAt);
    this.#count += 1;
  }

  /** Valid until the next `add`. */
  view(): Buffer {
    return this.#out.view();
  }

  clear(): void {
    this.#out.reset();
    this.#count = 0;
  }
}

/** All of them, in their order, in entries of bounded size. */
export function* queuesEntries(queues: readonly QueueProgress[]): IterableIterator<ChunkEntry> {
  let entry: QueueProgress[] = [];
  let pending = 0;
  for (const queue of queues) {
    if (entry.length === MAX_QUEUES || (entry.length > 0 && pending + queue.pending.length > MAX_PENDING)) {
      yield { kind: 'queues', queues: entry };
      entry = [];
      pending = 0;
    }
    entry.push(queue);
    pending += queue.pending.length;
  }
  if (entry.length > 0) yield { kind: 'queues', queues: entry };
}

/** The entries of a chunk's body, whose bytes they share. Throws `DamagedDataError`. */
export function* readEntries(body: Buffer): IterableIterator<ChunkEntry> {
  for (let at = 0; at < body.length; ) {
    const kind = KINDS[body[at] ?? KINDS.length];
    const begin = at + 1 + LENGTH_BYTES;
    const length = begin <= body.length ? body.readUInt32LE(at + 1) : Number.POSITIVE_INFINITY;
    if (kind === undefined || begin + length > body.length) throw damaged();
    yield readPayload(kind, body.subarray(begin, begin + length));
    at = begin + length;
  }
}

function writePayload(out: ByteWriter, entry: ChunkEntry): void {
  switch (entry.kind) {
    case 'frame':
      return out.bytes(entry.frame);
    case 'items':
      out.number(entry.productId);
      out.number(entry.firstItem);
      return out.bytes(entry.texts);
    case 'orderTexts':
      out.number(entry.orderId);
      return out.bytes(entry.texts);
    case 'file':
      out.text(entry.fileId);
      out.number(entry.offset);
      return out.bytes(entry.bytes);
    case 'queues':
      return out.bytes(Buffer.from(JSON.stringify(entry.queues)));
  }
}

function readPayload(kind: (typeof KINDS)[number], payload: Buffer): ChunkEntry {
  const input = new ByteReader(payload);
  switch (kind) {
    case 'frame':
      return { kind, frame: payload };
    // Fields are read in the order in which they stand here.
    case 'items':
      return { kind, productId: input.number(), firstItem: input.number(), texts: input.rest() };
    case 'orderTexts':
      return { kind, orderId: input.number(), texts: input.rest() };
    case 'file':
      return { kind, fileId: input.text(), offset: input.number(), bytes: input.rest() };
    case 'queues':
      return { kind, queues: JSON.parse(payload.toString()) as readonly QueueProgress[] };
  }
}

function damaged(): DamagedDataError {
  return new DamagedDataError('the body of a chunk is damaged');
}
