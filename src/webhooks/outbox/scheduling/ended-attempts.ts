/**
 * Events whose attempt has ended, until that is written: delivered, to be attempted again, or given up.
 */
import type { AttemptRow, OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { isDelivered } from '../../delivery/delivery-result.ts';
import type { EndedAttempt } from './attempts.ts';
import type { Lane } from './lane.ts';
import { nextAttemptAtMs } from './retry-schedule.ts';

/** An attempt, or an end without one. */
export type Settled = { readonly lane: Lane; readonly event: OutboxEvent } & (
  | EndedAttempt
  | { readonly status: 'discarded' | 'cancelled' }
);

export interface Ended {
  readonly lane: Lane;
  readonly event: OutboxEvent;
  /** The event as it is now. */
  readonly after: OutboxEvent;
  /** An attempt was made, and failed by itself. */
  readonly isFailure: boolean;
}

/** Each writes several pages, which are in memory until the transaction ends. */
const SETTLED_PER_TURN = 1_000;

export class EndedAttempts {
  readonly #store: OutboxStore;
  readonly #retryWaitsMs: readonly number[];
  readonly #waiting: Settled[] = [];

  constructor(store: OutboxStore, retryWaitsMs: readonly number[]) {
    this.#store = store;
    this.#retryWaitsMs = retryWaitsMs;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(settled: Settled): void {
    if ('result' in settled) settled.lane.isFailing = !isDelivered(settled.result) && !isBrokenOff(settled);
    this.#waiting.push(settled);
  }

  /** Writes the first of them, and with them where their lanes stand. */
  write(batch: OutboxBatch, nowMs: number): Ended[] {
    const ended = this.#waiting.splice(0, SETTLED_PER_TURN).map((settled) => this.#writeOne(batch, settled, nowMs));
    const firsts = new Map<Lane, Set<number>>();
    for (const { lane, event } of ended) {
      if (!lane.openFirsts.has(event.number)) continue;
      const numbers = firsts.get(lane) ?? new Set();
      firsts.set(lane, numbers.add(event.number));
    }
    for (const [lane, numbers] of firsts) {
      this.#store.putLane(batch, lane.accountId, lane.rowAfter(numbers));
    }
    return ended;
  }

  #writeOne(batch: OutboxBatch, settled: Settled, nowMs: number): Ended {
    const { lane, event } = settled;
    const isAttempt = 'result' in settled;
    const end = isAttempt ? this.#afterAttempt(settled, nowMs) : endOf(event, settled.status, nowMs);
    let after = end;
    if (end.loggedAttempts > event.loggedAttempts) {
      const row = isAttempt ? rowOf(settled.result, settled.shownStartMs) : notAttempted(nowMs);
      if (end.loggedAttempts === 1) after = { ...end, firstAttempt: row };
      else this.#store.putAttempt(batch, event.accountId, event.number, end.loggedAttempts, row);
    }
    if (event.loggedAttempts > 0) this.#store.removeDue(batch, event);
    this.#store.putEvent(batch, after);
    if (after.status === 'pending') this.#store.putDue(batch, after);
    else this.#store.putEnded(batch, after);
    return {
      lane,
      event,
      after,
      isFailure: isAttempt && after.status !== 'delivered' && !isBrokenOff(settled),
    };
  }

  #afterAttempt(settled: Extract<Settled, EndedAttempt>, nowMs: number): OutboxEvent {
    const { lane, event, result, startedAtMs } = settled;
    // One that was broken off says nothing of the webhook as it is now: its event is due again at once.
    const attempts = event.attempts + (isBrokenOff(settled) ? 0 : 1);
    const after = { ...event, attempts, loggedAttempts: event.loggedAttempts + 1 };
    if (isDelivered(result)) return { ...after, status: 'delivered', dueAtMs: nowMs };
    if (event.number < lane.cancelBelow) return { ...after, status: 'cancelled', dueAtMs: nowMs };
    if (isBrokenOff(settled)) return { ...after, dueAtMs: nowMs };
    const dueAtMs = nextAttemptAtMs(attempts, startedAtMs, this.#retryWaitsMs);
    if (dueAtMs === undefined) return { ...after, status: 'discarded', dueAtMs: nowMs };
    return { ...after, dueAtMs };
  }
}

function isBrokenOff({ result }: EndedAttempt): boolean {
  return result.error?.code === 'replaced';
}

function rowOf(result: EndedAttempt['result'], startedAtMs: number): AttemptRow {
  return { startedAtMs, ...result };
}

/** What is given up without an attempt has a row that tells operators why. */
function endOf(event: OutboxEvent, status: 'discarded' | 'cancelled', nowMs: number): OutboxEvent {
  const loggedAttempts = event.loggedAttempts + (status === 'discarded' ? 1 : 0);
  return { ...event, status, loggedAttempts, dueAtMs: nowMs };
}

function notAttempted(nowMs: number): AttemptRow {
  const message = 'no attempt was made: it had waited for its turn longer than the history is kept';
  return { startedAtMs: nowMs, durationMs: 0, error: { code: 'waited', message } };
}
