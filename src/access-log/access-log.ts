/**
 * The access log as the main thread sees it: every request of both listeners becomes a row of a batch, and another thread
 * makes lines of the batches and writes them.
 *
 * Invariant: no request waits for the log. Batches that the thread hasn't taken yet are bounded; rows beyond that are
 * lost and counted, as are lines that can't be written, and the node's log says so. Lines go to the thread at most a
 * tenth of a second later, unless it is behind, and are in the file when `stop` resolves; a process that is killed
 * loses what it had not handed over.
 *
 * Rejected: pino's transport (`thread-stream`), which makes the JSON and a buffer of each line on the main thread, keeps
 * without bound what the thread does not take, blocks the main thread for up to ten seconds at its end, and can't be told
 * to open its file again. And a ring of shared memory: it saves a message each batch, which is a thousandth of a purchase.
 */
import type { Logger } from 'pino';
import type { EndedRequest, OnEnded } from '../http/transport/transport.ts';
import type { ListenerName } from '../metrics/request-meter.ts';
import { WorkerLink } from '../threads/worker-link.ts';
import { AccessBatch } from './access-batch.ts';
import type { AccessLogCalls } from './access-log-thread.ts';

/** When a batch goes that isn't full. */
const FLUSH_EVERY_MS = 100;
/** Full batches that the thread has not written yet: as many lines as a second of the busiest node. */
const MAX_UNDER_WAY = 24;
/** To ask uWebSockets.js for an address costs a fiftieth of a purchase. */
const ADDRESSES_A_FLUSH = 100;
/** Losses are told at once, and then at most so often. */
const TELL_LOST_EVERY_MS = 10_000;
/** With so many under way the thread is behind: only full ones go, so that their bound is one of lines. */
const BEHIND = 2;
/** The thread makes short-lived objects only. */
const YOUNG_GENERATION_MB = 16;
/** How long a disk that does not answer may hold up the end of the node. */
const CLOSING_MS = 5_000;

export interface AccessLogCounters {
  /** Lines that were handed over to the thread. */
  readonly lines: number;
  /** Lines that were lost, handed over or not, because the thread or the disk could not take them. */
  readonly lost: number;
}

export interface AccessLogOptions {
  /** Absolute path. */
  readonly file: string;
  readonly log: Logger;
}

export class AccessLog {
  readonly #file: string;
  readonly #log: Logger;
  readonly #thread: WorkerLink<string, AccessLogCalls>;
  readonly #batch = new AccessBatch();
  readonly #counters = { lines: 0, lost: 0 };
  #underWay = 0;
  #addressesLeft = ADDRESSES_A_FLUSH;
  #flush: NodeJS.Timeout | undefined;
  /** Lines lost since the log last told of lost ones. */
  #lost = 0;
  #lostWhy = '';
  #telling: NodeJS.Timeout | undefined;

  private constructor({ file, log }: AccessLogOptions) {
    this.#file = file;
    this.#log = log;
    this.#thread = new WorkerLink({
      program: new URL('./access-log-thread.js', import.meta.url),
      name: 'the thread of the access log',
      data: file,
      youngGenerationMb: YOUNG_GENERATION_MB,
      errors: [Error],
      onDeath: (error) => log.error({ err: error }, 'the access log is interrupted'),
      startsAgain: true,
    });
  }

  /** Rejects with an error that says what to do when the file can't be opened. */
  static async open(options: AccessLogOptions): Promise<AccessLog> {
    const accessLog = new AccessLog(options);
    await accessLog.#thread.start();
    return accessLog;
  }

  get counters(): AccessLogCounters {
    return this.#counters;
  }

  /** The function that takes a listener's ended requests. */
  listener(name: ListenerName): OnEnded {
    return (request, status, bytes, startedMs, durationMs) =>
      this.#add(name, request, status, bytes, startedMs, durationMs);
  }

  /** Whether the address of one more request may be asked for now. */
  takeAddress(): boolean {
    if (this.#addressesLeft === 0) return false;
    this.#addressesLeft -= 1;
    return true;
  }

  /**
   * Opens the file of that name anew. Requests that ended before go to the file that was open, later ones to the new
   * one.
   */
  reopen(): void {
    this.#handOver();
    this.#thread.call('reopen', []).then(
      () => this.#log.info({ file: this.#file }, 'the access log is opened anew'),
      (error: Error) => this.#log.error(`${error.message}; it goes on in the file that was open`),
    );
  }

  /** Resolves when everything is written that can be. */
  async stop(): Promise<void> {
    clearTimeout(this.#flush);
    this.#handOver();
    await this.#thread.stop(0, CLOSING_MS).catch(() => {});
    clearTimeout(this.#telling);
    this.#tellLost();
  }

  #add(
    listener: ListenerName,
    request: EndedRequest,
    status: number,
    bytes: number,
    startedMs: number,
    durationMs: number,
  ): void {
    if (this.#underWay >= MAX_UNDER_WAY) return this.#lose(1, 'they come faster than they can be written');
    this.#startFlush();
    this.#batch.add(listener, request, status, bytes, startedMs, durationMs);
    if (this.#batch.isFull) this.#handOver();
  }

  #startFlush(): void {
    this.#flush ??= setTimeout(() => this.#endFlush(), FLUSH_EVERY_MS).unref();
  }

  #endFlush(): void {
    this.#flush = undefined;
    this.#addressesLeft = ADDRESSES_A_FLUSH;
    if (this.#underWay < BEHIND) this.#handOver();
    else this.#startFlush();
  }

  #handOver(): void {
    const lines = this.#batch.rows;
    if (lines === 0) return;
    const rows = this.#batch.take(Date.now() - performance.now());
    this.#counters.lines += lines;
    this.#underWay += 1;
    this.#thread.call('write', [rows], [rows.numbers.buffer]).then(
      (lost) => {
        this.#underWay -= 1;
        if (lost !== undefined) this.#lose(lost.lines, lost.reason);
      },
      (error: Error) => {
        this.#underWay -= 1;
        this.#lose(lines, error.message);
      },
    );
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
    const lost = { file: this.#file, lines: this.#lost, reason: this.#lostWhy };
    this.#lost = 0;
    this.#log.warn(lost, 'lines of the access log are lost');
    this.#telling = setTimeout(() => this.#tellLost(), TELL_LOST_EVERY_MS).unref();
  }
}
