/**
 * What has come of a request body and was not taken yet, in blocks of one size that are used again.
 *
 * A chunk must be copied, since its memory is the server's. A new buffer for each would be garbage outside the
 * heap, which the collector is in no hurry to free: an upload of a gigabyte took hundreds of megabytes.
 * Small chunks share a block, so a client that sends single bytes holds no more than what it sent, rounded up.
 */
const BLOCK_BYTES = 256 * 1024;
/** Some are filled while one is read; more than these are left by a burst. */
const MAX_SPARE = 4;

interface Block {
  readonly memory: Buffer;
  bytes: number;
}

export class BodyBlocks {
  #filled: Block[] = [];
  #spare: Buffer[] = [];
  #lent: Buffer | undefined;
  #bytes = 0;

  /** How many bytes wait to be taken. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.byteLength; ) {
      const block = this.#open();
      const part = chunk.subarray(offset, offset + BLOCK_BYTES - block.bytes);
      block.memory.set(part, block.bytes);
      block.bytes += part.byteLength;
      offset += part.byteLength;
    }
    this.#bytes += chunk.byteLength;
  }

  /** The bytes that came first, whose memory the next call takes back; undefined when there are none. */
  take(): Uint8Array | undefined {
    if (this.#lent !== undefined && this.#spare.length < MAX_SPARE) this.#spare.push(this.#lent);
    this.#lent = undefined;
    const block = this.#filled.shift();
    if (block === undefined) return undefined;
    this.#lent = block.memory;
    this.#bytes -= block.bytes;
    return block.memory.subarray(0, block.bytes);
  }

  /** Forgets what waits, and frees all memory but what is lent. */
  clear(): void {
    this.#filled = [];
    this.#spare = [];
    this.#bytes = 0;
  }

  /** The youngest block, which has room. */
  #open(): Block {
    const youngest = this.#filled.at(-1);
    if (youngest !== undefined && youngest.bytes < BLOCK_BYTES) return youngest;
    const block = { memory: this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES), bytes: 0 };
    this.#filled.push(block);
    return block;
  }
}
