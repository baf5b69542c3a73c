/**
 * A file, or a part of it, as the body of a reply.
 *
 * Its first chunk is read before the reply begins, so that a file which can't be read is an error with its
 * envelope; once bytes have left, all that remains is to break the connection.
 */
import type { FileRange } from '../persistence/files/stored-file.ts';
import type { ReplyBody } from './transport/reply-stream.ts';

/** A reader that takes nothing for this long is given up. */
const READER_IDLE_TIMEOUT_MS = 30_000;

export class DownloadBody implements ReplyBody {
  readonly lengthBytes: number;
  readonly idleTimeoutMs = READER_IDLE_TIMEOUT_MS;
  readonly #range: FileRange;
  readonly #onClose: () => void;
  #first: Uint8Array | undefined;

  /** `onClose` is called once, when the file is no longer needed. */
  constructor(range: FileRange, lengthBytes: number, onClose: () => void) {
    this.#range = range;
    this.lengthBytes = lengthBytes;
    this.#onClose = onClose;
  }

  /** Rejects with `FileError`. */
  async readFirst(): Promise<void> {
    this.#first = await this.#range.read();
  }

  async read(): Promise<Uint8Array | undefined> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#range.read();
  }

  async close(): Promise<void> {
    this.#onClose();
    await this.#range.close();
  }
}
