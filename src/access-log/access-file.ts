/**
 * The file of the access log. A write that fails loses lines and nothing else; what is in the file are whole lines.
 *
 * Never opened to wait: a pipe that nobody reads must not hold up the thread, nor the end of the process.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { folderTrouble } from '../persistence/disk/disk-trouble.ts';
import { codeOf } from '../shared/error-code.ts';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
/** The file's permissions: the group may read it, others may not. */
const MODE = 0o640;
const LINE_FEED = 0x0a;
const LINE_END = Buffer.of(LINE_FEED);
/** The longest time that a write waits for the reader of a full pipe. */
const LONGEST_WAIT_MS = 1_000;

/** Lines that could not be written. */
export interface LostLines {
  readonly lines: number;
  readonly reason: string;
}

export class AccessFile {
  readonly #path: string;
  #descriptor: number;
  /** Whether the file ends within a line. */
  #isTorn = false;

  /** Throws an error whose message says what to do. */
  constructor(path: string) {
    this.#path = path;
    this.#descriptor = this.#open();
    this.#isTorn = endsWithinLine(path);
  }

  /** Writes whole lines. Undefined when all were written. */
  append(lines: Uint8Array): LostLines | undefined {
    const bytes = this.#isTorn ? Buffer.concat([LINE_END, lines]) : lines;
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    let reason = 'nobody reads from it';
    let done = 0;
    while (done < bytes.byteLength) {
      try {
        done += writeSync(this.#descriptor, bytes, done);
      } catch (error) {
        const isBusy = codeOf(error) === 'EAGAIN';
        if (!isBusy) reason = folderTrouble(error);
        if (!isBusy || performance.now() > untilMs) return this.#lost(bytes, done, reason);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
    this.#isTorn = false;
    return undefined;
  }

  #lost(bytes: Uint8Array, done: number, reason: string): LostLines {
    const begin = this.#isTorn ? 1 : 0;
    const whole = done === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, done - 1) + 1;
    if (done > 0) this.#isTorn = whole < done && !this.#cutOff(done - whole);
    let lines = 0;
    for (let at = Math.max(begin, whole); at < bytes.byteLength; lines += 1) {
      at = bytes.indexOf(LINE_FEED, at) + 1;
    }
    return { lines, reason };
  }

  /** Whether it could be cut: a pipe can't. */
  #cutOff(bytes: number): boolean {
    try {
      ftruncateSync(this.#descriptor, fstatSync(this.#descriptor).size - bytes);
      return true;
    } catch {
      return false;
    }
  }

  /** Goes on in the file that has the name now. When it can't be opened, goes on in the old one and throws. */
  reopen(): void {
    const descriptor = this.#open();
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#isTorn = endsWithinLine(this.#path);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #open(): number {
    try {
      return openSync(this.#path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, MODE);
    } catch (cause) {
      throw new Error(`cannot open the access log ${this.#path}: ${folderTrouble(cause)}`, { cause });
    }
  }
}

/** Whether the file ends within a line, as a process that was killed or a power cut may leave it. A pipe never does. */
function endsWithinLine(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size === 0) return false;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const last = Buffer.alloc(1);
    readSync(descriptor, last, 0, 1, stat.size - 1);
    return last[0] !== LINE_FEED;
  } catch {
    // It may be there to be written to, and not to be read.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
