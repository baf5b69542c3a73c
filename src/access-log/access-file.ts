/**
 * The file of the access log. A write that fails loses lines and nothing else; in the file are whole lines.
 *
 * Never opened to wait: a pipe that nobody reads must not hold up the end of the process. Calls come one after the other.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { folderTrouble } from '../persistence/disk/disk-trouble.ts';
import { codeOf } from '../shared/error-code.ts';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
/** The file's permissions: the group may read it, others may not. */
const MODE = 0o640;
const LINE_FEED = 0x0a;
/** The time that the reader of a full pipe is given. */
const LONGEST_WAIT_MS = 1_000;
const PAUSE_MS = 10;

/** Lines that could not be written. */
export interface LostLines {
  readonly lines: number;
  readonly reason: string;
}

export class AccessFile {
  readonly path: string;
  #handle: FileHandle;
  /** Whether the file ends within a line. */
  #isTorn: boolean;

  private constructor(path: string, handle: FileHandle, isTorn: boolean) {
    this.path = path;
    this.#handle = handle;
    this.#isTorn = isTorn;
  }

  /** Rejects with an error whose message says what to do. */
  static async open(path: string): Promise<AccessFile> {
    return new AccessFile(path, await opened(path), await endsWithinLine(path));
  }

  /** Writes whole lines. Undefined when all were written. */
  async append(lines: string): Promise<LostLines | undefined> {
    const bytes = Buffer.from(this.#isTorn ? `\n${lines}` : lines);
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    let reason = 'nobody reads from it';
    let done = 0;
    while (done < bytes.length) {
      try {
        done += (await this.#handle.write(bytes, done)).bytesWritten;
      } catch (error) {
        const isBusy = codeOf(error) === 'EAGAIN';
        if (!isBusy) reason = folderTrouble(error);
        if (!isBusy || performance.now() > untilMs) return await this.#lost(bytes, done, reason);
        await setTimeout(PAUSE_MS);
      }
    }
    this.#isTorn = false;
    return undefined;
  }

  async #lost(bytes: Buffer, done: number, reason: string): Promise<LostLines> {
    const begin = this.#isTorn ? 1 : 0;
    const whole = done === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, done - 1) + 1;
    if (done > 0) this.#isTorn = whole < done && !(await this.#cutOff(done - whole));
    let lines = 0;
    for (let at = Math.max(begin, whole); at < bytes.length; lines += 1)
      at = bytes.indexOf(LINE_FEED, at) + 1;
    return { lines, reason };
  }

  /** Whether it could be cut: a pipe can't. */
  async #cutOff(bytes: number): Promise<boolean> {
    try {
      await this.#handle.truncate((await this.#handle.stat()).size - bytes);
      return true;
    } catch {
      return false;
    }
  }

  /** Goes on in the file that has the name now. When it can't be opened, goes on in the old one and rejects. */
  async reopen(): Promise<void> {
    const before = this.#handle;
    this.#handle = await opened(this.path);
    this.#isTorn = await endsWithinLine(this.path);
    await before.close();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, MODE);
  } catch (cause) {
    throw new Error(`cannot open the access log ${path}: ${folderTrouble(cause)}`, { cause });
  }
}

/** Whether the file ends within a line, as a process that was killed or a power cut may leave it. A pipe never does. */
async function endsWithinLine(path: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    const { size } = await stat(path);
    if (size === 0) return false;
    handle = await open(path, 'r');
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== LINE_FEED;
  } catch {
    // It may be there to be written to, and not to be read.
    return false;
  } finally {
    await handle?.close();
  }
}
