/**
 * Ships a running node's folder: the newest facts every second, as `log`, and the whole behind them, as `base`.
 *
 * Invariant: facts are shipped in the journal's order, and `onShipped` tells only what was read back. `base` is brought
 * up to `log` when it begins, by schedule, and before a manifest would have too many chunks. Whatever the target does
 * costs purchases nothing: this reads what is on disk, in a thread of its own, and remembers one chunk of each series.
 *
 * Shipping ends by `finish`, which writes a clean end if it can; or by a failure that can't be helped: another node
 * that ships there (`fenced`), a target that has lost what was there (`lost`), or a folder that can't
 * be read.
 */
import type { LogHead } from '../../persistence/journal/frame-log.ts';
import type { CleanEndMark } from '../clean-end/clean-end-mark.ts';
import { expectCleanEnd } from '../clean-end/taking-back.ts';
import { recordKeyOf } from '../record.ts';
import type { Retrying } from '../retrying.ts';
import type { BackupTarget } from '../target/backup-target.ts';
import { type GapJson, type Run, runName } from '../target-layout.ts';
import { LinkedLoops } from './linked-loops.ts';
import { LogSinceBase } from './log-since-base.ts';
import { type BasePlace, findLog, type LogPlace, type SeriesPlace } from './resuming.ts';
import { removeOld } from './retention.ts';
import { SeriesShipping } from './series-shipping.ts';
import { NO_CHUNK, type Shipper, type WrittenChunk } from './series-writer.ts';
import { Shipment } from './shipment.ts';
import type { ShippedFolder } from './shipped-folder.ts';

const LOOK_FOR_OTHERS_MS = 10_000;
const REMOVE_EVERY_MS = 60 * 60 * 1_000;
const LOOK_FOR_BASE_MS = 1_000;
/** See `SeriesShipping`: a history is shipped with a quarter of the time, the newest facts with half of it. */
const BASE_REST = 3;
const LOG_REST = 1;

export interface ContinuousOptions {
  readonly folder: ShippedFolder;
  readonly target: BackupTarget;
  /** For ever: one of each, so that it is known what of the two doesn't work. */
  readonly retrying: { readonly base: Retrying; readonly log: Retrying };
  readonly intervalMs: number;
  readonly baseMs: number;
  readonly keepMs: number;
  readonly clock: () => number;
  /** The folder's mark: set before a clean end is written, and gone when this node's run has taken that back. */
  readonly mark: CleanEndMark;
  /** The last fact that is there, and when it happened, Unix milliseconds. */
  readonly onShipped: (to: LogHead, lastAtMs: number) => void;
  /** Hears of objects that are not what a node of this shop wrote; they count for nothing. May come again and again. */
  readonly onAltered: (name: string) => void;
  /** Default: every ten seconds. */
  readonly lookForOthersMs?: number;
}

export class ContinuousShipping {
  readonly #options: ContinuousOptions;
  readonly #shipment: Shipment;
  /** Where `log` goes on. */
  readonly #found: LogPlace;
  readonly #since: LogSinceBase;
  readonly #loops: LinkedLoops;
  #isFinishing = false;
  /** The position of our last manifest; undefined before it. */
  #listed: number | undefined;
  #log: SeriesShipping | undefined;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(
    options: ContinuousOptions,
    shipment: Shipment,
    found: LogPlace,
    failed: AbortController,
  ) {
    this.#options = options;
    this.#shipment = shipment;
    this.#found = found;
    // The base has all of a log that it isn't continued by, before another one is begun.
    this.#since = new LogSinceBase(found.place === undefined ? found.end.number : shipment.logThrough);
    this.#loops = new LinkedLoops(failed, options.retrying.log.signal);
  }

  /**
   * Resolves when its run is there, whose number is higher than `lastRun`. Rejects with `fenced`, with what is wrong
   * with the folder, or when it is aborted.
   */
  static async begin(given: ContinuousOptions, lastRun = 0): Promise<ContinuousShipping> {
    const failed = new AbortController();
    const [ofBase, ofLog] = [given.retrying.base, given.retrying.log];
    const retrying = { base: ofBase.endedBy(failed.signal), log: ofLog.endedBy(failed.signal) };
    const options = { ...given, retrying };
    const { folder, target, clock, mark, onAltered } = options;
    let found: LogPlace = { end: NO_CHUNK, place: undefined };
    let shipping: ContinuousShipping | undefined;
    const isStopped = () => shipping?.isBaseStopped === true;
    const onRun = () => mark.remove();
    const onBegins = ({ nonce }: Run) => mark.begins(target.url, nonce);
    const recordKey = recordKeyOf(folder.keys.fingerprintKey);
    const mayBegin = () =>
      expectCleanEnd({ target, recordKey, onAltered }, folder.runner, mark, retrying.base);
    const base = {
      folder,
      target,
      retrying: retrying.base,
      rest: BASE_REST,
      clock,
      isStopped,
      onBegins,
      mayBegin,
      onRun,
      onAltered,
    };
    const look = async (shipper: Shipper, place: BasePlace, signal: AbortSignal) => {
      found = await findLog(shipper, place.logThrough, signal);
    };
    await mayBegin();
    const shipment = await Shipment.begin(base, look, lastRun);
    shipping = new ContinuousShipping(options, shipment, found, failed);
    const { to, lastAtMs } = found.place ?? shipment.place;
    options.onShipped(to, lastAtMs);
    return shipping;
  }

  /** Number of its run. */
  get runNumber(): number {
    return this.#shipment.run.run;
  }

  get isStopping(): boolean {
    return this.#loops.areStopping;
  }

  get isBaseStopped(): boolean {
    return this.isStopping && !this.#isFinishing;
  }

  /** The key ring has changed: whoever has an old master key should find no ring that it opens. Never rejects. */
  async shipRing(): Promise<void> {
    // What it fails at, the loops fail at as well.
    if (!this.isStopping) await this.#shipment.shipRing().catch(() => undefined);
  }

  /** Call it once. Resolves after `finish`; rejects when nothing is shipped any more. */
  async run(): Promise<void> {
    this.#running = this.#run();
    await this.#running;
  }

  /** The journal's last fact is on disk: ships the rest, and marks a clean end. Rejects when `retrying` does. */
  async finish(gap?: GapJson): Promise<void> {
    this.#loops.stop();
    await this.#running;
    this.#isFinishing = true;
    const shipment = this.#shipment;
    const queues = this.#options.folder.parts.queues.all();
    const log = this.#log;
    if (log === undefined) await shipment.shipBase(undefined, queues);
    else await log.ship(undefined, queues);
    const end = log?.place ?? shipment.place;
    let since = this.#since.between(shipment.place.to.position, end.to.position);
    if (since === undefined) {
      await shipment.shipBase(end.to.position, queues);
      since = [];
    }
    await this.#options.retrying.base.until((signal) => shipment.expectNewest(signal));
    const last = since.at(-1)?.object ?? shipment.lastChunk;
    const objects = [shipment.runObject, ...(last === undefined ? [] : [last])];
    this.#options.mark.set(this.#options.target.url, { objects, run: runName(shipment.run) });
    await shipment.writeManifest(this.#since.through, {
      isCleanEnd: true,
      log: since,
      ...(gap === undefined ? {} : { gap }),
    });
    this.#options.onShipped(end.to, end.lastAtMs);
  }

  async close(): Promise<void> {
    this.#loops.stop();
    await this.#running.catch(() => undefined);
    await this.#log?.close();
    await this.#shipment.close();
  }

  async #run(): Promise<void> {
    try {
      // Without it, the first chunks of `log` would be the whole history, and then those of `base` again.
      const { end, place } = this.#found;
      if (place === undefined) await this.#shipBase();
      if (this.isStopping) return;
      const log = this.#openLog(place ?? { ...this.#shipment.place, end });
      this.#log = log;
      await this.#loops.together([
        this.#logLoop(log),
        this.#baseLoop(),
        this.#loops.every(this.#options.lookForOthersMs ?? LOOK_FOR_OTHERS_MS, () =>
          this.#shipment.expectNewest(this.#loops.signal),
        ),
        this.#loops.every(REMOVE_EVERY_MS, () => this.#removeOld()),
      ]);
    } finally {
      // Of loops that depend on each other, the others end, too.
      this.#loops.stop();
    }
  }

  #openLog(place: SeriesPlace): SeriesShipping {
    const { retrying } = this.#options;
    return new SeriesShipping({
      shipper: { ...this.#shipment.shipper, retrying: retrying.log },
      series: 'log',
      place,
      openStream: (from, lastAtMs) => this.#shipment.openStream(from, lastAtMs),
      rest: LOG_REST,
      onChunk: (chunk) => this.#shipped(chunk),
    });
  }

  #shipped(chunk: WrittenChunk): void {
    this.#since.add(chunk);
    this.#options.onShipped(chunk.head.to, chunk.head.lastAtMs);
  }

  async #logLoop(log: SeriesShipping): Promise<void> {
    const { intervalMs, folder } = this.#options;
    const { queues } = folder.parts;
    while (!this.isStopping) {
      const begunMs = performance.now();
      // Before the journal is read: no queue is ahead of its facts.
      const changed = queues.changed();
      await log.ship(undefined, changed);
      queues.shipped(changed);
      await this.#loops.rest(intervalMs - (performance.now() - begunMs));
    }
  }

  async #baseLoop(): Promise<void> {
    const { baseMs } = this.#options;
    while (!this.isStopping) {
      const begunMs = performance.now();
      await this.#shipBase();
      while (!this.isStopping && !this.#since.isFull && performance.now() - begunMs < baseMs) {
        await this.#loops.rest(Math.min(baseMs, LOOK_FOR_BASE_MS));
      }
    }
  }

  /** Ships the base up to where `log` is, or to the journal's end. */
  async #shipBase(): Promise<void> {
    const { folder, onShipped } = this.#options;
    if (this.#log !== undefined && this.#log.place.to.position === this.#listed) return;
    const { queues } = folder.parts;
    const all = queues.all();
    // Of the queues that it has, the facts are there, too.
    const through = this.#log && Math.max(this.#log.place.to.position, queues.position);
    if (!(await this.#shipment.shipBase(through, all))) return;
    const { to, lastAtMs } = this.#shipment.place;
    this.#since.covered(to.position);
    await this.#shipment.writeManifest(this.#since.through);
    // Not before: a manifest that names what is lost may be there, and a restore goes by the newest.
    if (this.#log === undefined) onShipped(to, lastAtMs);
    this.#listed = to.position;
    await this.#shipment.removeProgress();
  }

  async #removeOld(): Promise<void> {
    const { keepMs, clock } = this.#options;
    const { target, epoch, recordKey } = this.#shipment.shipper;
    await removeOld({ target, epoch, recordKey, olderThanMs: clock() - keepMs, signal: this.#loops.signal });
  }
}
