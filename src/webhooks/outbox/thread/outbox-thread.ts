/**
 * The thread that runs the outbox. A thread, because deriving, writing and reading back cost about as much as
 * deciding does; it reads the journal itself, so nothing but positions comes from the main thread.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { DiscardedEvent } from '../../../alerts/alert.ts';
import { DamagedDataError } from '../../../persistence/codec/byte-reader.ts';
import { segmentProof } from '../../../persistence/folder/folder-check.ts';
import { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import { openLogReaders } from '../../../persistence/journal/open-log.ts';
import { eventIdOf, requestIdOf } from '../../../persistence/webhooks/event-body.ts';
import { eventTypeOf, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { sayer, serve, threadStart } from '../../../threads/thread-server.ts';
import { DeliveryPool } from '../../delivery/delivery-pool.ts';
import type { DeliveryTask } from '../../delivery/delivery-task.ts';
import { WebhookChanges } from '../../webhook-changes.ts';
import { Outbox } from './outbox.ts';
import type { OutboxEvents, OutboxThreadData } from './outbox-messages.ts';
import { OutboxPasses } from './outbox-passes.ts';
import { PassPace, ProcessorWait } from './pass-pace.ts';

const DRAIN_LOOK_MS = 20;
const TOLD_EVENTS = 10;

const { data, gate } = threadStart<OutboxThreadData>();
const say = sayer<OutboxEvents>(
  'report',
  'settled',
  'discarded',
  'closeEventGroup',
  'delayed',
  'rows',
  'written',
);
const store = OutboxStore.open(data.folder, gate);
const openLog = openLogReaders(data.folder, segmentProof(data.folder), gate);
const journal = new JournalReader(openLog(), store.meta().head);
const pool = new DeliveryPool(data.worker);
const processorWait = new ProcessorWait();
const monotonicMs = () => performance.now();
const pace = new PassPace({ nowMs: monotonicMs, waitedMs: () => processorWait.read() });
/** The last that was handed over to be shipped, and the last that was written. */
let [handedId, writtenId] = [0, 0];
const ship = (parts: readonly Buffer[]) => {
  handedId += 1;
  say.rows(handedId, parts);
};
const outbox = new Outbox({
  store,
  journal,
  clocks: { wallMs: Date.now, monotonicMs },
  changes: WebhookChanges.of(data.worker.changes),
  windowMs: data.windowMs,
  retryWaitsMs: data.retryWaitsMs,
  historyMs: data.historyMs,
  places: data.worker.places,
  pace,
  ship: data.isShipped ? ship : undefined,
  send: pool.send,
  onWork: () => passes.attemptEnded(),
  closeEventGroup: say.closeEventGroup,
  onDiscarded: (events) => say.discarded(events.length, events.slice(0, TOLD_EVENTS).map(discarded)),
});
const passes = new OutboxPasses({
  outbox,
  pace,
  nowMs: monotonicMs,
  say,
  onPassEnd: () => {
    if (outbox.hasWebhooks) pool.prepare();
    if (writtenId === handedId || outbox.writer.isWaiting) return;
    writtenId = handedId;
    say.written(writtenId);
  },
});

function discarded(event: OutboxEvent): DiscardedEvent {
  return {
    requestId: requestIdOf(event, event.loggedAttempts),
    accountId: event.accountId,
    eventId: eventIdOf(event),
    type: eventTypeOf(event.number),
  };
}

const calls = {
  /**
   * The journal is durable up to here. A `report` follows when it has been taken note of. `mainThreadWorks`: how much
   * of its time since the last one, from 0 to 1.
   */
  durable: (position: number, mainThreadWorks: number) => passes.durable(position, mainThreadWorks),
  /**
   * Somebody's webhook has changed, as the `WebhookChanges` says already, or asks for groups: the journal is read up to
   * here at once.
   */
  changed: (position: number) => passes.changed(position),
  /** Whether somebody waits for groups. */
  watch: (isWatched: boolean) => passes.watch(isWatched),
  /** The events' schedules start anew; how many could be, when that is on disk. Throws `DamagedDataError`. */
  replay: async (accountId: number, numbers: readonly number[]): Promise<number> => {
    const count = numbers.filter((number) => outbox.replay(accountId, number)).length;
    await passes.whenWritten();
    return count;
  },
  /** Other nodes have the rows that were handed over: see `RowShipping`. */
  shipped: () => passes.shipped(),
  /** The backlog, and how far the journal has been read. */
  backlog: () => outbox.backlog(),
  /** Accounts above `after` whose latest attempt failed, by their ids. */
  failingAbove: (after: number, limit: number) => outbox.health.failingAbove(after, limit),
  /** How deliveries of these accounts go, of those that have been read of. */
  reports: (accountIds: readonly number[]) => outbox.reports(accountIds),
  /** One attempt at once, beside all queues and kept nowhere. */
  test: (task: DeliveryTask) => pool.send(task),
  stop: async (drainMs: number): Promise<void> => {
    outbox.stop();
    const endMs = performance.now() + drainMs;
    while (outbox.underWay > 0 && performance.now() < endMs) await delay(DRAIN_LOOK_MS);
    await passes.end();
    await pool.close();
    await journal.close();
    await store.close();
    processorWait.close();
  },
};
export type OutboxCalls = typeof calls;

journal.checkHead('webhooks.mdb goes');
serve(calls, [DamagedDataError]);
passes.start();
