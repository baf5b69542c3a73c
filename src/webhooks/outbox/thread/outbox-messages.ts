/** What passes between the main thread and the outbox's. */
import type { OutboxCounters } from '../../../persistence/webhooks/outbox-rows.ts';
import type { DeliveryResult } from '../../delivery/delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData } from '../../delivery/delivery-task.ts';
import type { DeliveryFigures } from './delivery-figures.ts';

export interface OutboxThreadData {
  readonly folder: string;
  /** Of the `WriteGate`. */
  readonly gate: SharedArrayBuffer;
  readonly windowMs: number;
  readonly retryWaitsMs: readonly number[];
  readonly historyMs: number;
  /** Of the `WebhookChanges`. */
  readonly changes: SharedArrayBuffer;
  readonly worker: Omit<DeliveryWorkerData, 'changes'>;
}

export type OutboxRequest =
  /**
   * The journal is durable up to here. Answered by a `report` when it has been taken note of. `mainThreadWorks`: how
   * much of its time since the last one, from 0 to 1.
   */
  | { readonly kind: 'durable'; readonly position: number; readonly mainThreadWorks: number }
  /**
   * Somebody's webhook has changed, as the `WebhookChanges` says already: the journal is to be read up to here at once.
   */
  | { readonly kind: 'changed'; readonly position: number }
  /** The events' schedules start anew. Answered by `replayed`, or by `failed`. */
  | {
      readonly kind: 'replay';
      readonly id: number;
      readonly accountId: number;
      readonly numbers: readonly number[];
    }
  /** One attempt at once, beside all lanes and kept nowhere. Answered by `tested`. */
  | { readonly kind: 'test'; readonly id: number; readonly task: DeliveryTask }
  | { readonly kind: 'stop'; readonly drainMs: number };

/** The figures that operators see. */
export interface OutboxReport extends OutboxCounters {
  /** How far the journal has been read. */
  readonly position: number;
  readonly underWay: number;
  readonly figures: DeliveryFigures;
}

export interface DiscardedEvent {
  /** Of its last delivery. */
  readonly requestId: string;
  readonly accountId: number;
  readonly eventId: string;
  readonly type: string;
}

export type OutboxAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'report'; readonly report: OutboxReport }
  /** `events` are the first few. */
  | { readonly kind: 'discarded'; readonly count: number; readonly events: readonly DiscardedEvent[] }
  /** So many could be replayed, and it is on disk. */
  | { readonly kind: 'replayed'; readonly id: number; readonly count: number }
  /** A row that it takes is damaged. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** See `OutboxOptions`. */
  | { readonly kind: 'closeGroup'; readonly unlessBeyond: number }
  | { readonly kind: 'tested'; readonly id: number; readonly result: DeliveryResult }
  | { readonly kind: 'delayed' }
  | { readonly kind: 'stopped' };
