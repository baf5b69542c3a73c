/** Options of an outbox: its file, the journal, clocks, the sender, and operators' settings; and its backlog. */
import type { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import type { OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { DeliveryResult } from '../../delivery/delivery-result.ts';
import type { DeliveryTask } from '../../delivery/delivery-task.ts';
import type { WebhookChanges } from '../../webhook-changes.ts';
import type { Clocks } from '../scheduling/schedule-clock.ts';
import type { PassPace } from './pass-pace.ts';

export interface OutboxOptions {
  readonly store: OutboxStore;
  /** A reader of the journal at the position that the store's cursor names. */
  readonly journal: Pick<JournalReader, 'head' | 'visit'>;
  readonly clocks: Clocks;
  readonly changes: WebhookChanges;
  /** `--group-window`. */
  readonly windowMs: number;
  /** `--webhook-retries`. */
  readonly retryWaitsMs: readonly number[];
  /** `--webhook-history`. */
  readonly historyMs: number;
  /** Attempts under way, in all. */
  readonly places: number;
  /** How many facts a pass reads, and how many attempts may begin before the next; by default any number begins. */
  readonly pace?: Pick<PassPace, 'facts' | 'mayBegin' | 'begun'>;
  /** Takes what is about to be written to other nodes; `OutboxWriter.shipped` says that they have it. */
  readonly ship?: ((parts: readonly Buffer[]) => void) | undefined;
  /** One attempt. Must not reject. */
  readonly send: (task: DeliveryTask) => Promise<DeliveryResult>;
  /** Something happened that wants a pass soon: an attempt has ended. */
  readonly onWork: () => void;
  /** See `EventGroupWatchOptions`. */
  readonly closeEventGroup: (unlessBeyond: number) => void;
  /** Events that were given up: an alert (SPEC.md §6). */
  readonly onDiscarded: (events: readonly OutboxEvent[]) => void;
}

/** The backlog of the outbox; asked for, because finding it reads a row of each account that is behind. */
export interface OutboxBacklog {
  /** How far the journal has been read. */
  readonly position: number;
  /** For how long the event that waits longest could have been attempted; 0 when none waits. */
  readonly waitedMs: number;
}
