/**
 * The proof of the log, wherever frames come from: each must be sound, continue the sequence, and name the hash of the
 * one before. A frame that fails is a `DamagedDataError`.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import type { LogHead } from './frame-log.ts';
import { extentOf, type FrameHead, frameHash, readHead } from './journal-frame.ts';

export class FrameChain {
  #head: LogHead | undefined;

  /** Starts behind `head`, which the caller knows to be sound; without one, the first frame is taken at its word. */
  constructor(head?: LogHead) {
    this.#head = head;
  }

  /** The place behind the last frame that was proved. */
  get head(): LogHead {
    if (this.#head === undefined) throw new Error('no frame has been proved yet');
    return this.#head;
  }

  /** Throws `DamagedDataError` when the frame is damaged or doesn't continue the one before. */
  add(bytes: Uint8Array): FrameHead {
    const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const link = readHead(frame);
    const before = this.#head;
    if (before !== undefined && link.firstSequence !== before.position + 1) {
      throw new DamagedDataError(
        `the journal goes from fact ${before.position} to fact ${link.firstSequence}: facts between them are missing`,
      );
    }
    if (before !== undefined && !link.previousHash.equals(before.hash)) {
      throw new DamagedDataError(
        `the journal frame at fact ${link.firstSequence} has a wrong hash of the frame before it`,
      );
    }
    this.#head = { position: extentOf(frame).last, hash: frameHash(frame) };
    return link;
  }
}
