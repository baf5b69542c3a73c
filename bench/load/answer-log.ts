/**
 * The answers of one window, kept as bytes: nothing is parsed while time is being measured.
 *
 * A record is 16 bytes (body length, status and lane, account and product, key number) and the body, padded
 * to 4. Chunks are allocated as they are needed, up to the plan's bound; beyond it the window fails, because
 * a check of only some answers could not say that no item was sold twice.
 */
const chunkBytes = 4 * 1024 * 1024;
const headBytes = 16;

export interface AnswerRecord {
  readonly status: number;
  /** Index of the lane in the plan. */
  readonly lane: number;
  readonly account: number;
  readonly product: number;
  readonly keyNumber: number;
  /** A view into the chunk. */
  readonly body: Buffer;
}

export class AnswerLog {
  readonly #maxBytes: number;
  readonly #full: Buffer[] = [];
  #chunk: Buffer;
  #words: Uint32Array;
  #used = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#chunk = Buffer.from(new ArrayBuffer(chunkBytes));
    this.#words = new Uint32Array(this.#chunk.buffer);
  }

  add(
    status: number,
    lane: number,
    account: number,
    product: number,
    keyNumber: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    const bodyBytes = end - start;
    if (this.#used + headBytes + bodyBytes > chunkBytes) this.#nextChunk(bodyBytes);
    const word = this.#used >> 2;
    this.#words[word] = bodyBytes;
    this.#words[word + 1] = (status << 16) | lane;
    this.#words[word + 2] = (account << 16) | product;
    this.#words[word + 3] = keyNumber;
    bytes.copy(this.#chunk, this.#used + headBytes, start, end);
    this.#used = (this.#used + headBytes + bodyBytes + 3) & ~3;
  }

  /** Everything so far, in order; the log is not used again afterwards. */
  chunks(): Buffer[] {
    return [...this.#full, this.#chunk.subarray(0, this.#used)];
  }

  #nextChunk(bodyBytes: number): void {
    if ((this.#full.length + 2) * chunkBytes > this.#maxBytes || headBytes + bodyBytes > chunkBytes) {
      throw new Error(`a window had more than ${this.#maxBytes} bytes of answers: shorten it with --seconds`);
    }
    this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = Buffer.from(new ArrayBuffer(chunkBytes));
    this.#words = new Uint32Array(this.#chunk.buffer);
    this.#used = 0;
  }
}

/** Reads a chunk on the machine that wrote it: numbers are in the machine's byte order. */
export function* readAnswers(chunk: Buffer): Generator<AnswerRecord> {
  // What came over a pipe need not be aligned.
  const bytes = chunk.byteOffset % 4 === 0 ? chunk : Buffer.from(new Uint8Array(chunk).buffer);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
  for (let at = 0; at < bytes.length; ) {
    const word = at >> 2;
    const bodyBytes = words[word] ?? 0;
    const statusAndLane = words[word + 1] ?? 0;
    const accountAndProduct = words[word + 2] ?? 0;
    yield {
      status: statusAndLane >>> 16,
      lane: statusAndLane & 0xffff,
      account: accountAndProduct >>> 16,
      product: accountAndProduct & 0xffff,
      keyNumber: words[word + 3] ?? 0,
      body: bytes.subarray(at + headBytes, at + headBytes + bodyBytes),
    };
    at = (at + headBytes + bodyBytes + 3) & ~3;
  }
}
