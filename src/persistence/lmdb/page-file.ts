/**
 * Random reads of a file at bounded memory, without mapping it.
 *
 * A tree's pages lie scattered over its file. A file that fits the budget is read once, front to back, which is
 * what cold disks are good at; of a larger one, windows are kept in a table with one place for each (the place is
 * the window's number modulo the table's size). Mapping would be simpler and is what must not happen: a hole in a
 * mapped file ends the process with SIGBUS. The memory goes with `close`: several files are proved when a node starts,
 * after which nothing would have it collected for minutes.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { codeOf } from '../../shared/error-code.ts';
import { DamagedFileError } from './damaged-file.ts';

const WINDOW_BYTES = 16_384;
const MEMORY_BUDGET_BYTES = 64 * 1024 * 1024;
const READ_AHEAD_BYTES = 4 * 1024 * 1024;
const NO_WINDOW = -1;

export class PageFile {
  readonly path: string;
  /** Length of the file when it was opened. */
  readonly bytes: number;
  readonly #descriptor: number;
  readonly #store: ArrayBuffer;
  readonly #memory: Buffer;
  readonly #windowAt: Float64Array;

  private constructor(path: string, descriptor: number, bytes: number) {
    const places = Math.min(Math.ceil(bytes / WINDOW_BYTES), MEMORY_BUDGET_BYTES / WINDOW_BYTES);
    this.path = path;
    this.bytes = bytes;
    this.#descriptor = descriptor;
    const memoryBytes = places * WINDOW_BYTES;
    this.#store = new ArrayBuffer(memoryBytes, { maxByteLength: memoryBytes });
    this.#memory = Buffer.from(this.#store);
    this.#windowAt = new Float64Array(places).fill(NO_WINDOW);
  }

  /** @throws DamagedFileError when there is no such file, it cannot be read, or is empty */
  static open(path: string): PageFile {
    const bytes = fileLength(path);
    const descriptor = attempt(path, () => openSync(path, 'r'));
    const file = new PageFile(path, descriptor, bytes);
    try {
      file.#readAllIfItFits();
    } catch (error) {
      file.close();
      throw error;
    }
    return file;
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#store.resize(0);
  }

  /**
   * Fills `target` with the file's bytes from `start` on.
   * @throws DamagedFileError when the file ends before that
   */
  readAt(target: Uint8Array, start: number): void {
    const end = start + target.length;
    if (end > this.bytes) throw this.cutShort(end);
    let done = 0;
    while (done < target.length) {
      const position = start + done;
      const within = position % WINDOW_BYTES;
      const from = this.#load((position - within) / WINDOW_BYTES) + within;
      const length = Math.min(target.length - done, WINDOW_BYTES - within);
      this.#memory.copy(target, done, from, from + length);
      done += length;
    }
  }

  damaged(page: number, what: string): DamagedFileError {
    return new DamagedFileError(this.path, `is damaged at page ${page}: ${what}`);
  }

  cutShort(expectedBytes: number): DamagedFileError {
    return new DamagedFileError(this.path, `is cut short: ${this.bytes} bytes, ${expectedBytes} expected`);
  }

  /** Where in the memory the window lies. */
  #load(window: number): number {
    const place = window % this.#windowAt.length;
    const at = place * WINDOW_BYTES;
    if (this.#windowAt[place] !== window) {
      this.#windowAt[place] = NO_WINDOW;
      const start = window * WINDOW_BYTES;
      this.#readFully(at, start, Math.min(WINDOW_BYTES, this.bytes - start));
      this.#windowAt[place] = window;
    }
    return at;
  }

  #readAllIfItFits(): void {
    if (this.bytes > this.#memory.length) return;
    for (let start = 0; start < this.bytes; start += READ_AHEAD_BYTES) {
      this.#readFully(start, start, Math.min(READ_AHEAD_BYTES, this.bytes - start));
    }
    for (let place = 0; place < this.#windowAt.length; place += 1) this.#windowAt[place] = place;
  }

  #readFully(at: number, start: number, length: number): void {
    let done = 0;
    while (done < length) {
      const count = attempt(this.path, () =>
        readSync(this.#descriptor, this.#memory, at + done, length - done, start + done),
      );
      if (count === 0) {
        throw new DamagedFileError(
          this.path,
          `has become shorter while it was read: ${this.bytes} bytes before`,
        );
      }
      done += count;
    }
  }
}

/** Looked at before it is opened, for opening a pipe would wait for its other end. */
function fileLength(path: string): number {
  const status = attempt(path, () => statSync(path));
  if (!status.isFile()) throw new DamagedFileError(path, 'is not a regular file');
  if (status.size === 0) throw new DamagedFileError(path, 'is empty');
  return status.size;
}

function attempt<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    const code = codeOf(cause) ?? cause;
    throw new DamagedFileError(path, code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`, {
      cause,
    });
  }
}
