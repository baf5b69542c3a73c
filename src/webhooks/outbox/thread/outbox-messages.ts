/** What passes between the main thread and the outbox's. */
import type { EventHistory } from '../../../persistence/webhooks/delivery-history.ts';
import type { EventStatus } from '../../../persistence/webhooks/event-row.ts';
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

/** What operators want to know, or to be done. See `OperatorRequests`. */
export type OperatorQuestion =
  | {
      readonly kind: 'page';
      readonly accountId: number;
      readonly limit: number;
      readonly before: number | undefined;
    }
  | { readonly kind: 'find'; readonly accountId: number; readonly number: number }
  | { readonly kind: 'replay'; readonly accountId: number; readonly number: number }
  | {
      readonly kind: 'replaySince';
      readonly accountId: number;
      readonly sinceMs: number;
      readonly from: number;
      readonly statuses: readonly EventStatus[];
    };

export interface OperatorAnswers {
  readonly page: readonly EventHistory[];
  /** Undefined when there is no such event, or not any more. */
  readonly find: EventHistory | undefined;
  /** Whether it was replayed. */
  readonly replay: boolean;
  /** `next`: the number of an event from which to go on; undefined when there is no more. */
  readonly replaySince: { readonly count: number; readonly next: number | undefined };
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
  /** Answered by `answered`, or by `failed`; what it does is on disk then. */
  | { readonly kind: 'ask'; readonly id: number; readonly question: OperatorQuestion }
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
  | {
      readonly kind: 'answered';
      readonly id: number;
      readonly answer: OperatorAnswers[keyof OperatorAnswers];
    }
  /** The question could not be answered: a row is damaged. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** See `OutboxOptions`. */
  | { readonly kind: 'closeGroup'; readonly unlessBeyond: number }
  | { readonly kind: 'tested'; readonly id: number; readonly result: DeliveryResult }
  | { readonly kind: 'delayed' }
  | { readonly kind: 'stopped' };
