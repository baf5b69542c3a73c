/**
 * The source of a streamed reply that holds its reader to the contract: one `read` at a time, none after
 * `close`, `close` once and not during a `read`. All its chunks share one piece of memory.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyBody } from '../../../src/http/transport/reply-stream.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';

/** As many bytes as the greatest prime number below 64 Ki. */
const PERIOD = patternBytes(65_521, 1);
const QUIET_LOOKS = 10;
const QUIET_LOOK_MS = 15;

export interface CountedSourceOptions {
  /** Undefined announces none; `actualBytes` says then how many there are. */
  readonly lengthBytes: number | undefined;
  readonly chunkBytes?: number;
  readonly idleTimeoutMs?: number;
  /** Bytes there really are, when not as many as announced. */
  readonly actualBytes?: number;
  /** Rejects the read that would begin here. */
  readonly failsAtByte?: number;
}

export class CountedSource implements ReplyBody {
  readonly lengthBytes: number | undefined;
  readonly idleTimeoutMs: number;
  readonly closed: Promise<void>;
  reads = 0;
  givenBytes = 0;
  closes = 0;
  readonly #actualBytes: number;
  readonly #failsAtByte: number;
  readonly #chunk: Buffer;
  #reading = false;
  #onClosed: () => void = () => {};

  constructor(options: CountedSourceOptions) {
    const { lengthBytes, chunkBytes = 64 * 1024, idleTimeoutMs = 10_000 } = options;
    this.lengthBytes = lengthBytes;
    this.idleTimeoutMs = idleTimeoutMs;
    this.#actualBytes = options.actualBytes ?? lengthBytes ?? 0;
    this.#failsAtByte = options.failsAtByte ?? Number.POSITIVE_INFINITY;
    this.#chunk = Buffer.alloc(chunkBytes);
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  async read(): Promise<Uint8Array | undefined> {
    assert.equal(this.#reading, false, 'one read at a time');
    assert.equal(this.closes, 0, 'no read after close');
    this.reads += 1;
    this.#reading = true;
    await new Promise((resolve) => setImmediate(resolve));
    this.#reading = false;
    if (this.givenBytes >= this.#failsAtByte) throw new Error('the disk is gone');
    const chunk = this.#chunk.subarray(0, this.#actualBytes - this.givenBytes);
    if (chunk.byteLength === 0) return undefined;
    fill(chunk, this.givenBytes);
    this.givenBytes += chunk.byteLength;
    return chunk;
  }

  async close(): Promise<void> {
    assert.equal(this.#reading, false, 'no close during a read');
    this.closes += 1;
    this.#onClosed();
  }
}

/** The bytes at these places of the whole: they come again after a period, which no number of chunks is long. */
function fill(chunk: Buffer, from: number): void {
  for (let at = 0; at < chunk.byteLength; ) at += PERIOD.copy(chunk, at, (from + at) % PERIOD.byteLength);
}

/**
 * Resolves once something has been read and nothing more is: over several ticks of the event loop, because after a
 * stop of the whole process one may have come before its sockets were looked at.
 */
export async function standstill(source: CountedSource): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; quiet += 1) {
    const before = source.givenBytes;
    await sleep(QUIET_LOOK_MS);
    if (source.givenBytes === 0 || source.givenBytes !== before) quiet = -1;
  }
}

/** The bytes that a client must get. */
export function countedBytes(lengthBytes: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  fill(bytes, 0);
  return bytes;
}
