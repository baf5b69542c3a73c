/** Messages between the main thread and the outbox's: the data at its start, and its events. */
import type { DiscardedEvent } from '../../../alerts/alert.ts';
import type { OutboxCounters } from '../../../persistence/webhooks/outbox-rows.ts';
import type { DeliveryWorkerData } from '../../delivery/delivery-task.ts';
import type { DeliveryFigures } from './delivery-figures.ts';

export interface OutboxThreadData {
  readonly folder: string;
  readonly windowMs: number;
  readonly retryWaitsMs: readonly number[];
  readonly historyMs: number;
  readonly worker: DeliveryWorkerData;
  /** Whether what is written is shipped to the folders of other nodes first. */
  readonly isShipped: boolean;
}

/** How deliveries of one account go. */
export interface QueueReport {
  readonly accountId: number;
  /** Whether the latest attempt failed. */
  readonly isFailing: boolean;
  /** Events that wait for an attempt, counted up to `MOST_PENDING`. */
  readonly pending: number;
}

/** The figures that operators see. */
export interface OutboxReport extends OutboxCounters {
  /** How far the journal has been read. */
  readonly position: number;
  /** Groups are on disk up to here. */
  readonly settled: number;
  /** Groups came up to here last; 0 when none did since the start. */
  readonly groupsAt: number;
  readonly underWay: number;
  /** Accounts with a webhook whose latest attempt failed. */
  readonly failingReceivers: number;
  readonly figures: DeliveryFigures;
}

export type OutboxEvents = {
  readonly report: (report: OutboxReport) => void;
  /** Groups are on disk up to here, further than before; said between reports when somebody waits for it. */
  readonly settled: (position: number, groupsAt: number) => void;
  /** So many events were given up; `events` are the first few. */
  readonly discarded: (count: number, events: readonly DiscardedEvent[]) => void;
  /** See `OutboxOptions`. */
  readonly closeEventGroup: (unlessBeyond: number) => void;
  /** See `RowShipping.add`. */
  readonly rows: (id: number, parts: readonly Uint8Array[]) => void;
  /** The rows of this id are on disk here, too. */
  readonly written: (id: number) => void;
  /** New events can't be written for want of room; said once until they can. */
  readonly delayed: () => void;
};
