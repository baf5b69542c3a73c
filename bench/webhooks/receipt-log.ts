/**
 * The deliveries that receivers got, kept as bytes: nothing is parsed or verified while time is being measured.
 *
 * A record is 16 bytes (receiver, text length, time) and the text: signature, request id, event id, body, a line
 * each. Chunks are allocated as they are needed, up to a bound; beyond it receiving fails, because a check of only
 * some deliveries could not say that none is missing.
 */
const CHUNK_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 16;

export interface Receipt {
  readonly receiver: number;
  /** Unix milliseconds, when the whole request was there. */
  readonly receivedAtMs: number;
  readonly signature: string;
  readonly requestId: string;
  readonly eventId: string;
  readonly body: string;
}

export class ReceiptLog {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #used = CHUNK_BYTES;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(receiver: number, receivedAtMs: number, lines: string, body: Uint8Array): void {
    const length = lines.length + body.length;
    if (this.#used + HEAD_BYTES + length > CHUNK_BYTES) this.#nextChunk(length);
    const chunk = this.#chunks.at(-1);
    if (chunk === undefined) return;
    chunk.writeUInt32LE(receiver, this.#used);
    chunk.writeUInt32LE(length, this.#used + 4);
    chunk.writeDoubleLE(receivedAtMs, this.#used + 8);
    chunk.write(lines, this.#used + HEAD_BYTES, 'latin1');
    chunk.set(body, this.#used + HEAD_BYTES + lines.length);
    this.#used += HEAD_BYTES + length;
  }

  /** In the order of their arrival; the log is empty afterwards. */
  *take(): IterableIterator<Receipt> {
    const last = this.#used;
    const chunks = this.#chunks.splice(0);
    this.#used = CHUNK_BYTES;
    for (const [index, chunk] of chunks.entries()) {
      yield* readChunk(chunk, index === chunks.length - 1 ? last : CHUNK_BYTES);
    }
  }

  #nextChunk(length: number): void {
    if ((this.#chunks.length + 1) * CHUNK_BYTES > this.#maxBytes || HEAD_BYTES + length > CHUNK_BYTES) {
      throw new Error(`receivers got more than ${this.#maxBytes} bytes: shorten the run with --seconds`);
    }
    // What is left of the chunk before has length 0, which ends it.
    this.#chunks.push(Buffer.alloc(CHUNK_BYTES));
    this.#used = 0;
  }
}

function* readChunk(chunk: Buffer, end: number): IterableIterator<Receipt> {
  for (let at = 0; at + HEAD_BYTES <= end; ) {
    const length = chunk.readUInt32LE(at + 4);
    if (length === 0) return;
    const text = chunk.toString('latin1', at + HEAD_BYTES, at + HEAD_BYTES + length);
    const [signature = '', requestId = '', eventId = '', ...body] = text.split('\n');
    yield {
      receiver: chunk.readUInt32LE(at),
      receivedAtMs: chunk.readDoubleLE(at + 8),
      signature,
      requestId,
      eventId,
      body: body.join('\n'),
    };
    at += HEAD_BYTES + length;
  }
}
