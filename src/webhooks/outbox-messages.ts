/** What passes between the main thread and the outbox's. */
import type { OutboxCounters } from '../persistence/webhooks/outbox-store.ts';
import type { DeliveryWorkerData } from './delivery-task.ts';

export interface OutboxThreadData {
  readonly folder: string;
  /** Of the `WriteGate`. */
  readonly gate: SharedArrayBuffer;
  readonly windowMs: number;
  readonly retryWaitsMs: readonly number[];
  readonly historyMs: number;
  readonly worker: DeliveryWorkerData;
}

export type OutboxRequest =
  /** The journal is durable up to here. Answered by a `report` when it has been taken note of. */
  | { readonly kind: 'durable'; readonly position: number }
  /** Answered by `replayed`, when it is on disk. See `Outbox.replay`. */
  | { readonly kind: 'replay'; readonly id: number; readonly accountId: number; readonly number: number }
  | { readonly kind: 'stop'; readonly drainMs: number };

/** The figures that operators see. */
export interface OutboxReport extends OutboxCounters {
  /** How far the journal has been read. */
  readonly position: number;
  readonly underWay: number;
}

export interface DiscardedEvent {
  readonly accountId: number;
  readonly eventId: string;
  readonly type: string;
}

export type OutboxAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'report'; readonly report: OutboxReport }
  /** `events` are the first few. */
  | { readonly kind: 'discarded'; readonly count: number; readonly events: readonly DiscardedEvent[] }
  | { readonly kind: 'replayed'; readonly id: number; readonly isTaken: boolean }
  | { readonly kind: 'delayed' }
  | { readonly kind: 'stopped' };
