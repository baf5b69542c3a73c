/**
 * The leader's hand on the shared log: entries, in the order in which they are handed over, one insert at a time.
 *
 * Invariant: an `append` resolves only when its entry is confirmed, which no failure of PostgreSQL undoes, and nobody
 * else's entry has its place. An unknown outcome is asked again, with the same entries, until it is known. Once another
 * node has the place, nothing is ever written again.
 *
 * Facts go first: texts and the outbox's rows wait while there are any, and then go along with them. An insert has a
 * bounded size, so that no purchase waits long for an upload.
 */
import { JournalFullError } from '../engine/loop/journal.ts';
import type { Lease } from '../threads/lease.ts';
import { type ClusterClock, sleep } from './cluster-clock.ts';
import { ClusterError } from './cluster-error.ts';
import { type Entry, type EntryKind, NOT_DURABLE, type SharedTable } from './shared-table.ts';

/** The most bytes of one insert; the first entry is taken whatever its size. */
const MAX_INSERT_BYTES = 256 * 1024;
const MAX_INSERT_ENTRIES = 16;
/** When nothing follows an entry for so long, a beat tells followers that it is confirmed. */
const CONFIRM_MS = 50;
/** How often the leader shows that it lives, and renews its lease. */
const BEAT_MS = 500;
const ASK_AGAIN_MS = 100;
const STOPPED = 'this node has stopped leading';

export interface LogWriterOptions {
  readonly table: SharedTable;
  readonly term: number;
  /** The entry that began the term: the newest one, and confirmed. */
  readonly begin: number;
  readonly lease: Lease;
  readonly clock: ClusterClock;
  /** Nothing can be written any more. */
  readonly onFenced: (error: ClusterError) => void;
}

interface Waiting {
  readonly kind: EntryKind;
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class LogWriter {
  readonly #options: LogWriterOptions;
  #newest: number;
  readonly #facts: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #isWriting = false;
  #fenced: ClusterError | undefined;
  #isClosed = false;
  #hasEnded = false;
  #cancelBeat = () => {};

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#newest = options.begin;
    this.#beatIn(0);
  }

  /** The newest entry that is confirmed. */
  get confirmed(): number {
    return this.#newest;
  }

  /** `bytes` must not change afterwards. Rejects with `fenced`, and with `JournalFullError` when nothing was written. */
  append(kind: EntryKind, bytes: Buffer): Promise<void> {
    if (this.#fenced !== undefined) return Promise.reject(this.#fenced);
    if (this.#hasEnded || this.#isClosed) return Promise.reject(new ClusterError(STOPPED, 'fenced'));
    return new Promise((resolve, reject) => {
      (kind === 'facts' ? this.#facts : this.#others).push({ kind, bytes, resolve, reject });
      this.#write();
    });
  }

  /** The last entry: another node may lead at once. Nothing is written behind it. Rejects like `append`. */
  async end(): Promise<void> {
    const appended = this.append('end', Buffer.alloc(0));
    this.#hasEnded = true;
    await appended;
    this.close();
    // Others take what is confirmed only, and hear of it here.
    await this.#known(() => this.#options.table.beat(this.#options.term, this.#newest, this.#newest));
  }

  /** Beats end, and what was not confirmed is rejected: of an entry that is under way it isn't known whether it is there. */
  close(): void {
    this.#isClosed = true;
    this.#cancelBeat();
    this.#rejectAll([], new ClusterError(STOPPED, 'fenced'));
  }

  #write(): void {
    if (this.#isWriting || this.#isClosed || this.#fenced !== undefined) return;
    if (this.#facts.length + this.#others.length === 0) return;
    this.#isWriting = true;
    this.#cancelBeat();
    const batch = this.#take();
    const { clock, lease } = this.#options;
    const sentAtMs = clock.nowMs();
    this.#insert(batch)
      .then((isWritten) => {
        if (isWritten) {
          lease.renew(sentAtMs);
          this.#newest += batch.length;
          for (const { resolve } of batch) resolve();
        } else for (const { reject } of batch) reject(new JournalFullError());
      })
      .catch((error: Error) => this.#fence(error, batch))
      .finally(() => {
        this.#isWriting = false;
        this.#beatIn(CONFIRM_MS);
        this.#write();
      });
  }

  #take(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const queue of [this.#facts, this.#others]) {
      for (let next = queue[0]; next !== undefined; next = queue[0]) {
        bytes += next.bytes.length;
        if (batch.length > 0 && (bytes > MAX_INSERT_BYTES || batch.length === MAX_INSERT_ENTRIES))
          return batch;
        batch.push(next);
        queue.shift();
      }
    }
    return batch;
  }

  /** False when nothing was written for want of room. Rejects with `fenced`. */
  async #insert(batch: readonly Waiting[]): Promise<boolean> {
    const { table, term } = this.#options;
    const entries = batch.map(({ kind, bytes }, place): Entry => {
      return { number: this.#newest + 1 + place, term, kind, confirmed: this.#newest, bytes };
    });
    for (let isKnown = true; ; isKnown = false) {
      const inserted = await this.#known(() => table.insert(entries, term));
      if (inserted === 'confirmed') return true;
      // An earlier try may be under way still, and land.
      if (inserted === 'full' && isKnown) return false;
      if (inserted === 'fenced') throw new ClusterError('another node leads', 'fenced');
      if (inserted === 'asynchronous') throw new ClusterError(NOT_DURABLE, 'fenced');
      if (inserted === 'taken') {
        if (!(await this.#areThere(entries))) throw new ClusterError('another node leads', 'fenced');
        // They are confirmed with a commit behind them. Where there is none, another primary may lack them. So that
        // commit must not say yet that they are.
        const [last, confirmed] = [this.#newest + entries.length, this.#newest];
        if ((await this.#known(() => table.beat(term, last, confirmed))) === true) return true;
      }
      if (this.#isClosed) throw new ClusterError(STOPPED, 'fenced');
      await sleep(this.#options.clock, ASK_AGAIN_MS);
    }
  }

  async #areThere(entries: readonly Entry[]): Promise<boolean> {
    const found = await this.#known(() => this.#options.table.read(this.#newest, entries.length));
    if (found === undefined) return true;
    return entries.every(({ term, kind, bytes }, place) => {
      const there = found[place];
      return there?.term === term && there.kind === kind && there.bytes.equals(bytes);
    });
  }

  /** Undefined when it isn't known. */
  async #known<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (ClusterError.is(error, 'unreachable', 'unknown')) return undefined;
      throw error;
    }
  }

  #fence(error: Error, batch: readonly Waiting[]): void {
    const fenced = ClusterError.is(error, 'fenced')
      ? error
      : new ClusterError(error.message, 'fenced', { cause: error });
    this.#fenced = fenced;
    this.#rejectAll(batch, fenced);
    if (!this.#isClosed) this.#options.onFenced(fenced);
  }

  #rejectAll(batch: readonly Waiting[], error: ClusterError): void {
    for (const { reject } of [...batch, ...this.#facts.splice(0), ...this.#others.splice(0)]) reject(error);
  }

  #beatIn(ms: number): void {
    if (this.#isClosed || this.#fenced !== undefined) return;
    this.#cancelBeat();
    this.#cancelBeat = this.#options.clock.later(() => this.#beat(), ms);
  }

  #beat(): void {
    if (this.#isWriting || this.#isClosed || this.#fenced !== undefined) return;
    this.#isWriting = true;
    const { table, term, lease, clock } = this.#options;
    const [sentAtMs, newest] = [clock.nowMs(), this.#newest];
    this.#known(() => table.beat(term, newest, newest))
      .then((isBeaten) => {
        if (isBeaten === false)
          throw new ClusterError('another node leads, or PostgreSQL replicates no more', 'fenced');
        if (isBeaten === true) lease.renew(sentAtMs);
      })
      .catch((error: Error) => this.#fence(error, []))
      .finally(() => {
        this.#isWriting = false;
        this.#beatIn(BEAT_MS);
        this.#write();
      });
  }
}
