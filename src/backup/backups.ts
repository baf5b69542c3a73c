/**
 * Backups as the main thread sees them: the continuous one, and single ones.
 *
 * Invariant: a purchase pays one assignment and one comparison a group, and never waits; whatever becomes of backups,
 * the shop sells on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ThreadEndedError, WorkerLink } from '../threads/worker-link.ts';
import { BackupError } from './backup-error.ts';
import type { BackupThreadData, ContinuousSettings } from './backup-messages.ts';
import type { BackupCalls } from './backup-thread.ts';
import { CleanEndMark } from './clean-end/clean-end-mark.ts';
import { type ShippingEnd, ShippingState } from './shipping/shipping-state.ts';
import { SingleBackups } from './single-backups.ts';
import { TargetError } from './target/backup-target.ts';
import type { GapJson, PositionJson } from './target-layout.ts';

/** A start waits so long for the target, unless that has a clean end; then it goes on trying. */
const BEGIN_PATIENCE_MS = 2_000;
/** While a clean end is being taken back: between two looks, and between two lines in the log. */
const LOOK_AT_MARK_MS = 50;
const TELL_OF_MARK_MS = 60_000;
/** A stop waits so long until the rest is there. */
const FINISH_PATIENCE_MS = 10_000;
/** After the thread has died, or could not read the folder. */
const BEGIN_AGAIN_MS = 30_000;
const CLOSING_MS = 2_000;
/** Chunks of eight megabytes go through it. */
const YOUNG_GENERATION_MB = 16;

export interface BackupsOptions {
  readonly thread: BackupThreadData;
  /** Undefined without `--backup`. */
  readonly continuous: ContinuousSettings | undefined;
  /** How far the journal is durable. */
  readonly position: number;
  /** Which one is open. */
  readonly gap: () => GapJson | undefined;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Says in the log what operators should know. */
  readonly onTrouble: (message: string) => void;
}

export class Backups {
  readonly continuous: ShippingState | undefined;
  readonly single: SingleBackups;
  readonly #options: BackupsOptions;
  readonly #thread: WorkerLink<BackupThreadData, BackupCalls>;
  #position: number;
  readonly #mark: CleanEndMark;
  #ring: BackupThreadData['ring'];
  /** See `BackupError`. */
  #goneOn: string | null = null;
  /** While the node starts: no backup can ever be at the target. */
  #refuseStart: ((message: string) => void) | undefined;
  #isStopping = false;
  #isHanging = false;

  constructor(options: BackupsOptions) {
    const { thread, continuous, position, clock } = options;
    this.#options = options;
    this.#position = position;
    this.#ring = thread.ring;
    this.#mark = new CleanEndMark(thread.folder);
    this.continuous = continuous && new ShippingState(continuous.target, position, clock);
    this.#thread = new WorkerLink({
      program: new URL('./backup-thread.js', import.meta.url),
      name: 'the thread that backs up',
      data: thread,
      youngGenerationMb: YOUNG_GENERATION_MB,
      errors: [BackupError],
      events: {
        shipped: (to: PositionJson, lastAtMs: number) => this.continuous?.shipped(to, lastAtMs),
        trouble: (series: 'base' | 'log', message: string | null, isImpossible: boolean) =>
          this.#hearTrouble(series, message, isImpossible),
        lost: (message: string) => this.#hearLoss(message),
        altered: (name: string) => this.#hearAltered(name),
        warned: (message: string) => options.onTrouble(message),
        ended: (why: ShippingEnd['why'], message: string, goneOn: string | null) =>
          this.#hearEnd(why, message, goneOn),
        progress: (backupId: string, to: PositionJson, bytes: number) =>
          this.single.progressed(backupId, to, bytes),
      },
      onDeath: (error) => this.#died(error),
      startsAgain: true,
    });
    this.single = new SingleBackups(clock, (backupId, target) => {
      const done = this.#thread.call('backUp', [{ backupId, target, through: this.#position }]);
      this.#thread.tell('setRing', [this.#ring]);
      return done;
    });
  }

  /** The journal is durable up to here. Cheap: call it for every group. */
  advance(position: number): void {
    this.#position = position;
    this.continuous?.advance(position);
  }

  /**
   * Resolves when the continuous backup has begun, or in two seconds. With a clean end at the target: not before it is
   * taken back, or the operator has removed its mark. Rejects with a `TargetError` (`refused`) when another node has gone
   * on from that clean end, with another (`impossible`) when no backup can ever be there, and with the
   * reason of `signal`; then nothing is under way any more.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#options.continuous === undefined) return;
    try {
      await this.#started(this.#options.continuous, signal);
    } catch (error) {
      this.#isStopping = true;
      await this.#stopThread();
      throw error;
    }
  }

  /** Begins the continuous backup without any wait: for a folder without a clean end. */
  startBehind(): void {
    void this.#begin();
  }

  async #started(continuous: ContinuousSettings, signal: AbortSignal): Promise<void> {
    const patience = delay(BEGIN_PATIENCE_MS, undefined, { ref: false, signal }).catch(() => undefined);
    const refused = new Promise<never>((_, reject) => {
      this.#refuseStart = (message) => reject(new TargetError('impossible', `--backup: ${message}`));
    });
    await Promise.race([this.#begin(), patience, refused]);
    this.#refuseStart = undefined;
    signal.throwIfAborted();
    const mark = this.#mark;
    for (let tellAtMs = 0; mark.isAt(continuous.target); await restUnless(signal)) {
      if (this.#goneOn !== null) {
        throw new TargetError('refused', mark.refusal(continuous.target, this.#goneOn));
      }
      if (performance.now() < tellAtMs) continue;
      tellAtMs = performance.now() + TELL_OF_MARK_MS;
      const { target, error = null } = this.continuous ?? { target: '' };
      this.#options.onTrouble(mark.waiting(target, error));
    }
  }

  /** The key ring is another now. */
  setRing(ring: BackupThreadData['ring']): void {
    this.#ring = ring;
    this.#thread.tell('setRing', [ring]);
  }

  /** All facts are on disk: ships the rest, within ten seconds. A failure there doesn't keep the node from stopping. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#options.continuous !== undefined && this.continuous?.end === undefined) {
      const finished = this.#thread.call('finish', [this.#options.gap()]).catch(() => false);
      const late = delay(FINISH_PATIENCE_MS, false, { ref: false });
      if (!(await Promise.race([finished, late]))) {
        this.#options.onTrouble('the backup has no clean end: a restore from it begins with sales closed');
      }
    }
    await this.#stopThread();
  }

  async #stopThread(): Promise<void> {
    const stopped = this.#thread.stop(0, CLOSING_MS).then(
      () => false,
      () => false,
    );
    this.#isHanging = await Promise.race([stopped, delay(2 * CLOSING_MS, true, { ref: false })]);
  }

  /** After `stop`, or a start that has failed: a target that does not answer holds a thread, and the process must be killed to end. */
  get isHanging(): boolean {
    return this.#isHanging;
  }

  async #begin(): Promise<void> {
    const { continuous, onTrouble } = this.#options;
    if (continuous === undefined || this.#isStopping) return;
    this.continuous?.begins();
    try {
      const begun = this.#thread.call('begin', [continuous]);
      this.#thread.tell('setRing', [this.#ring]);
      await begun;
    } catch (error) {
      if (this.#isStopping || !(error instanceof ThreadEndedError)) return;
      onTrouble(`the continuous backup can't begin: ${error.message}`);
      // A thread that has started and died is begun again by `#died`.
      if (!error.hasStarted) this.#beginLater();
    }
  }

  #beginLater(): void {
    setTimeout(() => void this.#begin(), BEGIN_AGAIN_MS).unref();
  }

  /**
   * Troubles of the target. An impossible one refuses a start; a node that has started waits until the target is as
   * before.
   */
  #hearTrouble(series: 'base' | 'log', message: string | null, isImpossible: boolean): void {
    if (isImpossible && message !== null) this.#refuseStart?.(message);
    const isNew = this.continuous?.trouble(series, message) === true;
    if (isNew && message !== null) this.#options.onTrouble(`the continuous backup: ${message}`);
  }

  #hearLoss(message: string): void {
    this.continuous?.lost();
    this.#options.onTrouble(`the continuous backup begins anew, with all there is: ${message}`);
  }

  #hearAltered(name: string): void {
    const { continuous } = this;
    if (continuous?.foundAltered(name) !== true) return;
    this.#options.onTrouble(
      `${name} at ${continuous.target} is not what this shop wrote, and counts for nothing: find out who wrote it, and remove it`,
    );
  }

  #hearEnd(why: ShippingEnd['why'], message: string, goneOn: string | null): void {
    const { continuous } = this.#options;
    this.#goneOn = goneOn;
    // Who waits until a clean end is taken back is to find the right target when it is there again.
    const isOver = why === 'fenced' && !(continuous && this.#mark.isAt(continuous.target));
    this.continuous?.ended(isOver ? 'fenced' : 'failed', message);
    this.#options.onTrouble(`nothing is backed up any more: ${message}`);
    if (!isOver) this.#beginLater();
  }

  #died(error: Error): void {
    if (this.#options.continuous === undefined || this.#isStopping) return;
    this.#options.onTrouble(`the continuous backup begins again: ${error.message}`);
    this.#beginLater();
  }
}

async function restUnless(signal: AbortSignal): Promise<void> {
  await delay(LOOK_AT_MARK_MS, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
