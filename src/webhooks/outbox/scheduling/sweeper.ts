/**
 * Clears up behind the deliveries in small steps, so that no turn is long: says in their rows what was cancelled,
 * and removes what ended too long ago.
 *
 * Deleting a webhook cancels a million events at once by one number in the lane's row; the rest is done here.
 */
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { Lane } from './lane.ts';

const EVENTS_PER_STEP = 1_000;

export class Sweeper {
  readonly #store: OutboxStore;
  readonly #onSwept: (lane: Lane) => void;
  readonly #lanes = new Set<Lane>();
  /** The lane that is swept waits for an attempt under way. */
  #isWaiting = false;

  /** `onSwept`: the lane's retries, which wait for it, may begin. */
  constructor(store: OutboxStore, onSwept: (lane: Lane) => void) {
    this.#store = store;
    this.#onSwept = onSwept;
  }

  /** Whether there is a step to be made at once. */
  get isDue(): boolean {
    return this.#lanes.size > 0 && !this.#isWaiting;
  }

  /** The lane has cancelled events whose rows don't say so. */
  add(lane: Lane): void {
    this.#lanes.add(lane);
    this.#isWaiting = false;
  }

  /** Something was written: maybe what became of the attempt that it waits for. */
  written(): void {
    this.#isWaiting = false;
  }

  /** One step among the events whose rows are on disk: those below `writtenBelow`. How many of them are cancelled now. */
  cancel(batch: OutboxBatch, nowMs: number, writtenBelow: number): number {
    let cancelled = 0;
    this.#isWaiting = this.#lanes.size > 0;
    for (const lane of this.#lanes) {
      let left = EVENTS_PER_STEP;
      let sweptBelow = Math.min(lane.cancelBelow, writtenBelow);
      for (const event of this.#store.events(lane.accountId, lane.sweptBelow, sweptBelow)) {
        if (left === 0 || lane.busy.has(event.number)) {
          sweptBelow = event.number;
          break;
        }
        left -= 1;
        if (event.status !== 'pending') continue;
        if (event.loggedAttempts > 0) this.#store.removeDue(batch, event);
        const after = { ...event, status: 'cancelled', dueAtMs: nowMs } as const;
        this.#store.putEvent(batch, after);
        this.#store.putEnded(batch, after);
        cancelled += 1;
      }
      if (sweptBelow > lane.sweptBelow) {
        lane.sweptBelow = sweptBelow;
        this.#store.putLane(batch, lane.accountId, lane.rowAfter(new Set()));
        this.#isWaiting = false;
      }
      if (lane.isSwept) {
        this.#lanes.delete(lane);
        this.#onSwept(lane);
      }
      if (left === 0) break;
    }
    return cancelled;
  }

  /**
   * One step of removing what ended before a time, but for what `isBusy` says is being replayed. True when nothing is
   * left to be removed now.
   */
  forget(
    batch: OutboxBatch,
    timeMs: number,
    isBusy: (accountId: number, number: number) => boolean,
  ): boolean {
    let steps = 0;
    const lists = new Map<number, number>();
    for (const { key, accountId, number } of this.#store.endedBefore(Math.max(0, timeMs), EVENTS_PER_STEP)) {
      steps += 1;
      if (isBusy(accountId, number)) continue;
      const event = this.#store.event(accountId, number);
      this.#store.removeEnded(batch, key);
      if (event === undefined) continue;
      for (let attempt = 2; attempt <= event.loggedAttempts; attempt += 1) {
        this.#store.removeAttempt(batch, accountId, number, attempt);
      }
      this.#store.removeEvent(batch, event);
      if ('listNumber' in event.content) lists.set(number, (lists.get(number) ?? 0) + 1);
    }
    for (const [number, fewer] of lists) this.#store.releaseList(batch, number, fewer);
    return steps < EVENTS_PER_STEP;
  }
}
