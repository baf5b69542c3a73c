/**
 * The access log: every request of both listeners becomes a line, and lines are written together, ten times a second.
 *
 * Invariant: no request waits for the log, and no disk for another one: one call to the file at a time, in the pool of
 * threads that Node has for files. Lines that aren't written yet are bounded; lines beyond that are lost and counted,
 * as are those that can't be written, and the node's log says so. Lines are in the file when `stop` resolves; a process
 * that is killed loses those of a tenth of a second.
 *
 * Rejected: a thread that makes the lines, which was there, and saved the main thread 0.7 µs a request, a hundredth of
 * a purchase, but cost 300 lines beside itself. And pino's destination (`sonic-boom`), 4 µs a line where this takes
 * 1.2: it measures each line twice, doesn't count what it could not write, closes a descriptor twice after an opening
 * that failed, and as pino sets it up tries for ever to write to a full disk when the process ends.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OnEnded } from '../http/transport/transport.ts';
import type { ListenerName } from '../metrics/request-meter.ts';
import { AccessFile, type LostLines } from './access-file.ts';
import { accessLine } from './access-line.ts';

const FLUSH_EVERY_MS = 100;
/** Characters of lines that are written together at most: more would hold up the requests that come meanwhile. */
const MAX_TOGETHER = 256 * 1024;
/** Characters of lines that wait: as many as in some seconds of the busiest node. */
const MAX_WAITING = 12 * 1024 * 1024;
/** To ask uWebSockets.js for an address costs a fiftieth of a purchase. */
const ADDRESSES_A_FLUSH = 100;
/** Losses are told at once, and then at most so often. */
const TELL_LOST_EVERY_MS = 10_000;
/** How long a disk that does not answer may hold up the end of the node. */
const CLOSING_MS = 5_000;

export interface AccessLogCounters {
  /** Lines that were handed over to the file. */
  readonly lines: number;
  /** Lines that were lost, handed over or not, because the disk could not take them. */
  readonly lost: number;
}

export class AccessLog {
  readonly #file: Pick<AccessFile, 'path' | 'append' | 'reopen' | 'close'>;
  readonly #log: Logger;
  readonly #counters = { lines: 0, lost: 0 };
  #text = '';
  /** The number of lines in `#text`. */
  #lines = 0;
  /** Lines that are handed over, and not written yet. */
  #underWay = 0;
  /** The characters of all that isn't written yet. */
  #waiting = 0;
  /** The calls to the file, one behind the other. */
  #calls: Promise<void> = Promise.resolve();
  /** Unix milliseconds at which the clock of requests was 0. */
  #originMs = 0;
  #addressesLeft = ADDRESSES_A_FLUSH;
  #flush: NodeJS.Timeout | undefined;
  /** Lines lost since the log last told of lost ones. */
  #lost = 0;
  #lostWhy = '';
  #telling: NodeJS.Timeout | undefined;

  constructor(file: Pick<AccessFile, 'path' | 'append' | 'reopen' | 'close'>, log: Logger) {
    this.#file = file;
    this.#log = log;
  }

  /** Rejects with an error that says what to do when the file can't be opened. */
  static async open(path: string, log: Logger): Promise<AccessLog> {
    return new AccessLog(await AccessFile.open(path), log);
  }

  get counters(): AccessLogCounters {
    return this.#counters;
  }

  /** The function that takes a listener's ended requests. */
  listener(name: ListenerName): OnEnded {
    return (request, status, bytes, startedMs, durationMs) => {
      if (this.#waiting >= MAX_WAITING) return this.#lose(1, 'they come faster than they can be written');
      this.#startFlush();
      const startedAt = this.#originMs + startedMs;
      const line = accessLine(name, request, { status, bytes, startedAt, durationMs });
      this.#text += line;
      this.#lines += 1;
      this.#waiting += line.length;
      if (this.#text.length >= MAX_TOGETHER) this.#write();
    };
  }

  /** Whether the address of one more request may be asked for now. */
  takeAddress(): boolean {
    if (this.#addressesLeft === 0) return false;
    this.#addressesLeft -= 1;
    return true;
  }

  /** Lines of requests that have ended are written to the file as it is open now; later ones, to the one of that name. */
  reopen(): void {
    this.#write();
    const file = this.#file.path;
    this.#calls = this.#calls
      .then(() => this.#file.reopen())
      .then(
        () => this.#log.info({ file }, 'the access log is opened anew'),
        (error: Error) => this.#log.error(`${error.message}; it goes on in the file that was open`),
      );
  }

  /** Resolves when everything is written that can be. */
  async stop(): Promise<void> {
    clearTimeout(this.#flush);
    this.#write();
    const closed = this.#calls.then(() => this.#file.close()).catch(() => {});
    const inTime = new AbortController();
    const late = pause(CLOSING_MS, undefined, { signal: inTime.signal }).catch(() => {});
    await Promise.race([closed, late]);
    inTime.abort();
    if (this.#underWay > 0) this.#lose(this.#underWay, 'the disk does not answer');
    clearTimeout(this.#telling);
    this.#tellLost();
  }

  #startFlush(): void {
    if (this.#flush !== undefined) return;
    this.#originMs = Date.now() - performance.now();
    this.#flush = setTimeout(() => this.#endFlush(), FLUSH_EVERY_MS).unref();
  }

  #endFlush(): void {
    this.#flush = undefined;
    this.#addressesLeft = ADDRESSES_A_FLUSH;
    // A disk that is behind gets all that came meanwhile at once.
    if (this.#underWay === 0) this.#write();
    else this.#startFlush();
  }

  #write(): void {
    const [text, lines] = [this.#text, this.#lines];
    if (lines === 0) return;
    this.#text = '';
    this.#lines = 0;
    this.#counters.lines += lines;
    this.#underWay += lines;
    const written = (lost?: LostLines) => {
      this.#underWay -= lines;
      this.#waiting -= text.length;
      if (lost !== undefined) this.#lose(lost.lines, lost.reason);
    };
    this.#calls = this.#calls
      .then(() => this.#file.append(text))
      .then(written, (error: Error) => written({ lines, reason: error.message }));
  }

  #lose(lines: number, why: string): void {
    this.#counters.lost += lines;
    this.#lost += lines;
    this.#lostWhy = why;
    if (this.#telling === undefined) this.#tellLost();
  }

  #tellLost(): void {
    this.#telling = undefined;
    if (this.#lost === 0) return;
    const lost = { file: this.#file.path, lines: this.#lost, reason: this.#lostWhy };
    this.#lost = 0;
    this.#log.warn(lost, 'lines of the access log are lost');
    this.#telling = setTimeout(() => this.#tellLost(), TELL_LOST_EVERY_MS).unref();
  }
}
