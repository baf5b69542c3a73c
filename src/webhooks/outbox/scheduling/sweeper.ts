/**
 * Clears up behind the deliveries in small steps, so that no batch is long: says in their rows what was cancelled,
 * and removes what ended too long ago.
 *
 * Deleting a webhook cancels a million events at once by one number in the lane's row; the rest is done here.
 */
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { Lane } from './lane.ts';

const EVENTS_PER_STEP = 1_000;
/** How often it looks for what is too old. */
const FORGET_MS = 5_000;

export interface SweeperOptions {
  readonly store: OutboxStore;
  readonly lanes: ReadonlyMap<number, Lane>;
  /** `--webhook-history`. */
  readonly historyMs: number;
  /** The lane's retries, which wait for it, may begin. */
  readonly onSwept: (lane: Lane) => void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #swept = new Set<Lane>();
  /** The lane that is swept waits for an attempt under way. */
  #isWaiting = false;
  #nextForgetMs = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Whether there is a step to be made at once. */
  get isDue(): boolean {
    return this.#swept.size > 0 && !this.#isWaiting;
  }

  /** When to look for what is too old, if anything has ended. */
  get nextForgetMs(): number {
    return this.#nextForgetMs;
  }

  /** The lane has cancelled events whose rows don't say so. */
  add(lane: Lane): void {
    this.#swept.add(lane);
    this.#isWaiting = false;
  }

  /** Something was written: maybe what became of the attempt that it waits for. */
  written(): void {
    this.#isWaiting = false;
  }

  /** One step among the events whose rows are on disk: those below `writtenBelow`. How many of them are cancelled now. */
  cancel(batch: OutboxBatch, nowMs: number, writtenBelow: number): number {
    const { store, onSwept } = this.#options;
    let cancelled = 0;
    this.#isWaiting = this.#swept.size > 0;
    for (const lane of this.#swept) {
      let left = EVENTS_PER_STEP;
      let sweptBelow = Math.min(lane.cancelBelow, writtenBelow);
      for (const event of store.events(lane.accountId, lane.sweptBelow, sweptBelow)) {
        if (left === 0 || lane.busy.has(event.number)) {
          sweptBelow = event.number;
          break;
        }
        left -= 1;
        if (event.status !== 'pending') continue;
        store.putEvent(batch, { ...event, status: 'cancelled', dueAtMs: nowMs }, event);
        cancelled += 1;
      }
      if (sweptBelow > lane.sweptBelow) {
        lane.sweptBelow = sweptBelow;
        store.putLane(batch, lane.accountId, lane.rowAfter(new Set()));
        this.#isWaiting = false;
      }
      if (lane.isSwept) {
        this.#swept.delete(lane);
        onSwept(lane);
      }
      if (left === 0) break;
    }
    return cancelled;
  }

  /** One step, when it is time, of removing what ended longer ago than the history is kept and isn't being replayed. */
  forget(batch: OutboxBatch, nowMs: number): void {
    if (nowMs < this.#nextForgetMs) return;
    const { store, lanes, historyMs } = this.#options;
    let steps = 0;
    const lists = new Map<number, number>();
    for (const event of store.endedBefore(Math.max(0, nowMs - historyMs), EVENTS_PER_STEP)) {
      const { accountId, number, content } = event;
      steps += 1;
      if (lanes.get(accountId)?.busy.has(number)) continue;
      store.removeEvent(batch, event);
      if ('listNumber' in content) lists.set(number, (lists.get(number) ?? 0) + 1);
    }
    for (const [number, fewer] of lists) store.releaseList(batch, number, fewer);
    this.#nextForgetMs = steps < EVENTS_PER_STEP ? nowMs + FORGET_MS : nowMs;
  }
}
