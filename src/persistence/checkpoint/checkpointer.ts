/**
 * Decides when the journal is folded into the checkpoint, and lets the engine forget what has been.
 *
 * Invariant: one fold at a time; memory forgets a generation only after its rows are on disk and visible to the
 * history. A disk without room, a lack of file descriptors, or a damaged file delays folds and loses nothing: the
 * journal has it all, and commands are refused when memory is full of what isn't folded. A fold that fails otherwise is
 * fatal, because what it would have to skip can't be skipped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../engine/loop/engine.ts';
import { WorkerLink } from '../../threads/worker-link.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import { Compacting, DAMAGE_ADVICE, REFUSAL_ADVICE } from '../runs/compacting.ts';
import type { CompactionLimits } from '../runs/compaction.ts';
import type { CheckpointHistory } from './checkpoint-history.ts';
import type { CheckpointCalls, CheckpointThreadData, FoldTrouble } from './checkpoint-thread.ts';

/** How often it looks whether a fold is due. */
const LOOK_INTERVAL_MS = 100;
/** A fold is due after this many facts, … */
const FACTS_PER_FOLD = 32_000;
/**
 * … or this long after the last one, when there is anything to fold: each fold is a file, and some syncs. Well below what
 * the alert of a checkpoint that is behind takes for a trouble (`checkpoint-watch.ts`). Whoever reads the indexes has it
 * folded at once.
 */
const FOLD_INTERVAL_MS = 20_000;
/** How long readers of its indexes wait for them. */
const REACH_PATIENCE_MS = 10_000;
/** Objects of a fold die young: a larger nursery holds garbage, no more, and a smaller one is swept more often. */
const THREAD_YOUNG_GENERATION_MB = 8;
const RETRY_INTERVAL_MS = 1_000;
/**
 * How long commands wait for a checkpoint that is too far behind. A fold that is merely slow is done by then; one
 * that finds no room on the disk may take for ever, and its buyers should hear of it.
 */
const MAX_STALL_MS = 5_000;

/** The trouble whose end a fold waits for. */
type Delay = Exclude<FoldTrouble['kind'], 'other'>;
/**
 * The cause that keeps the checkpoint behind a position: the fold takes longer, finds no room or damage, or the node
 * stops.
 */
export type Unreached = 'slow' | Delay | 'stopping';
export type Reached = 'reached' | Unreached;

export interface CheckpointerOptions {
  readonly folder: string;
  readonly engine: Engine;
  readonly history: CheckpointHistory;
  /** The position of the last fact that the checkpoint reflects now. */
  readonly position: number;
  /** Where what is durable reaches the folder's journal later: resolves when that has the facts up to there. */
  readonly whenReadable?: ((position: number) => Promise<void>) | undefined;
  readonly onFatal: (error: unknown) => void;
  /** A fold waits for room, or for file descriptors; told once for each fold. */
  readonly onDelay: (reason: string) => void;
  /** A file is damaged: told once for each fold that needs it, and once by merges. */
  readonly onDamage: (damage: string) => void;
  readonly compaction?: Partial<CompactionLimits> | undefined;
  /** Default: 5 s. */
  readonly maxStallMs?: number;
  /** How long after a fold the next is due, when there is anything to fold; default: 20 s. */
  readonly foldIntervalMs?: number | undefined;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #thread: WorkerLink<CheckpointThreadData, CheckpointCalls>;
  readonly #compacting: Compacting;
  #timer: NodeJS.Timeout | undefined;
  #position: number;
  #lastFoldMs = 0;
  /** When the oldest fact came that the checkpoint lacks, a little too early at the most; undefined when it lacks none. */
  #behindSinceMs: number | undefined;
  #stalledSinceMs: number | undefined;
  #fold: Promise<void> | undefined;
  #isStopping = false;
  /** The trouble whose end the fold under way waits for. */
  #delay: Delay | undefined;
  /** A fold had no room until the end: its facts are still the older generation, and no other can be cut. */
  #isGivenUp = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#thread = new WorkerLink({
      program: new URL('./checkpoint-thread.js', import.meta.url),
      name: 'the thread of the checkpoint',
      data: { folder: options.folder, compaction: options.compaction ?? {} },
      youngGenerationMb: THREAD_YOUNG_GENERATION_MB,
      onDeath: options.onFatal,
    });
    const { onDamage, onFatal } = options;
    this.#compacting = new Compacting({
      part: () => this.#thread.call('compact', []),
      // Files that were merged take room for as long as they are open.
      onEnd: () => void this.#follow().catch(options.onFatal),
      onDamage,
      onFatal,
    });
  }

  /** The journal position that the checkpoint reflects. */
  get position(): number {
    return this.#position;
  }

  /** How many durable facts it lacks, and for how long the oldest of them; since the start at the most. */
  get lag(): { readonly facts: number; readonly ms: number } {
    const facts = Math.max(0, this.#options.engine.durablePosition - this.#position);
    if (facts === 0 || this.#behindSinceMs === undefined) return { facts, ms: 0 };
    return { facts, ms: performance.now() - this.#behindSinceMs };
  }

  start(): void {
    this.#thread
      .start()
      .catch((cause) => this.#options.onFatal(new Error('the thread of the checkpoint failed', { cause })));
    this.#lastFoldMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS);
  }

  /** Folds what there is, and ends the thread. Without room it folds nothing: the journal has it all. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#compacting.stop();
    await this.#fold;
    const isBehind = this.#options.engine.durablePosition > this.#position;
    if (isBehind && !this.#isGivenUp) await this.foldNow();
    await this.#thread.stop();
  }

  /**
   * Resolves when the checkpoint reflects everything up to `position`, which must be durable, or when it is known not to
   * within `patienceMs`.
   */
  async reach(position: number, patienceMs = REACH_PATIENCE_MS): Promise<Reached> {
    if (this.#position >= position) return 'reached';
    const givenUp = delay(patienceMs, false, { ref: false });
    // A fold that is under way may have begun before.
    while (this.#position < position) {
      if (this.#isStopping) return 'stopping';
      const isFolded = await Promise.race([this.foldNow().then(() => true), givenUp]);
      if (!isFolded) return this.#delay ?? 'slow';
    }
    return 'reached';
  }

  /** Resolves as `reach` for all that is decided by now, durable or not. */
  async reachDecided(): Promise<Reached> {
    const { engine } = this.#options;
    const isDurable = await new Promise<boolean>((resolve) => engine.whenDurable(resolve));
    return isDurable ? await this.reach(engine.durablePosition) : 'no-room';
  }

  /** Folds everything that is durable by now. */
  foldNow(): Promise<void> {
    this.#fold ??= this.#cutAndFold()
      .catch(this.#options.onFatal)
      .finally(() => {
        this.#fold = undefined;
      });
    return this.#fold;
  }

  #look(): void {
    this.#watchStall();
    const behind = this.#options.engine.durablePosition - this.#position;
    if (behind > 0) this.#behindSinceMs ??= performance.now();
    if (this.#fold !== undefined) return;
    const { foldIntervalMs = FOLD_INTERVAL_MS } = this.#options;
    const isOld = performance.now() - this.#lastFoldMs >= foldIntervalMs;
    if (behind >= FACTS_PER_FOLD || (behind > 0 && isOld)) void this.foldNow();
  }

  #watchStall(): void {
    const { engine, maxStallMs = MAX_STALL_MS } = this.#options;
    if (engine.acceptsCommands) {
      this.#stalledSinceMs = undefined;
      return;
    }
    const nowMs = performance.now();
    this.#stalledSinceMs ??= nowMs;
    if (nowMs - this.#stalledSinceMs >= maxStallMs) engine.refuseWaiting();
  }

  async #cutAndFold(): Promise<void> {
    const { engine, whenReadable, onFatal } = this.#options;
    const through = await new Promise<number>((resolve) => engine.cut(resolve));
    await whenReadable?.(through);
    const cutMs = performance.now();
    for (;;) {
      const folded = await this.#foldThrough(through);
      if (typeof folded === 'number') {
        this.#delay = undefined;
        this.#position = folded;
        this.#behindSinceMs = engine.durablePosition > folded ? cutMs : undefined;
        break;
      }
      if (folded.kind === 'other')
        return onFatal(new Error(`the checkpoint could not be written: ${folded.reason}`));
      this.#tellOfDelay(folded.kind, folded.reason);
      if (this.#isStopping) {
        this.#isGivenUp = true;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
    }
    engine.forget();
    this.#lastFoldMs = performance.now();
    // Not waited for: the facts are folded, so the node may forget them meanwhile.
    this.#compacting.begin();
  }

  /** Folds, and makes what was folded visible to the history. */
  async #foldThrough(position: number): Promise<number | FoldTrouble> {
    const folded = await this.#thread.call('fold', [position]);
    if (typeof folded !== 'number') return folded;
    return (await this.#follow()) ?? folded;
  }

  /** Makes the files visible that the list names now; the trouble that keeps them unseen, if there is one. */
  async #follow(): Promise<FoldTrouble | undefined> {
    try {
      await this.#options.history.refresh();
      return undefined;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const kind = error instanceof RefusedFileError ? 'refusal' : 'damage';
      return { reason: error.message, kind };
    }
  }

  /** Once for each reason. */
  #tellOfDelay(kind: Delay, reason: string): void {
    const { onDelay, onDamage } = this.#options;
    if (kind === this.#delay) return;
    this.#delay = kind;
    if (kind === 'damage') onDamage(`the checkpoint waits, since ${reason}: ${DAMAGE_ADVICE}`);
    else if (kind === 'refusal') onDamage(`the checkpoint waits, since ${reason}; ${REFUSAL_ADVICE}`);
    else onDelay(reason);
  }
}
