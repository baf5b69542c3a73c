/**
 * The outbox as the main thread sees it: told how far the journal is durable and whose webhook has changed, and
 * otherwise on its own.
 *
 * A position is sent only when the one before has been taken up, so a purchase costs nothing here and a busy node
 * sends some dozens of messages a second. The thread's death is fatal: events would no longer come up.
 */
import type { Fact } from '../engine/fact.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { RowShipping, type Ship } from '../persistence/shipping/row-shipping.ts';
import { NO_COUNTS } from '../persistence/webhooks/outbox-rows.ts';
import { ThreadEndedError, WorkerLink } from '../threads/worker-link.ts';
import type { DeliveryResult } from './delivery/delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData } from './delivery/delivery-task.ts';
import { DeliveryCounters } from './outbox/thread/delivery-figures.ts';
import type {
  OutboxEvents,
  OutboxReport,
  OutboxThreadData,
  QueueReport,
} from './outbox/thread/outbox-messages.ts';
import type { OutboxBacklog } from './outbox/thread/outbox-options.ts';
import type { OutboxCalls } from './outbox/thread/outbox-thread.ts';
import { WebhookChanges } from './webhook-changes.ts';

export interface WebhookOutboxOptions extends Omit<OutboxThreadData, 'worker' | 'isShipped'> {
  readonly worker: Omit<DeliveryWorkerData, 'changes'>;
  readonly onFatal: (error: unknown) => void;
  readonly onDiscarded: OutboxEvents['discarded'];
  readonly onDelay: OutboxEvents['delayed'];
  /** See `WebhookOutbox.settled`, which is another one now. */
  readonly onSettled?: () => void;
  /**
   * Takes what is about to be written to the folders of other nodes; it is written here when this has resolved, and never
   * when it rejects: the process is about to end then.
   */
  readonly ship?: Ship | undefined;
}

/** Has the journal say that the open group closes; `ended` is called when it says so, or won't. */
export type CloseEventGroupCall = (ended: () => void) => void;

/** The thread makes short-lived objects only; by default they would take three times the room. */
const YOUNG_GENERATION_MB = 4;
/** The most operators' replays at once, which wait for the disk; as many of their tests, and of their looks. */
const MAX_ASKED = 16;
/** Beyond the time for attempts under way, closing may take this long. */
const CLOSING_MS = 5_000;

/** Before the thread's first word. */
export const NO_REPORT: OutboxReport = {
  position: 0,
  settled: 0,
  groupsAt: 0,
  underWay: 0,
  failingReceivers: 0,
  figures: new DeliveryCounters().figures,
  ...NO_COUNTS,
};

export class WebhookOutbox {
  readonly #thread: WorkerLink<OutboxThreadData, OutboxCalls>;
  readonly #changes = WebhookChanges.create();
  #report = NO_REPORT;
  #durablePosition = 0;
  #postedPosition = 0;
  /** Where a webhook was changed last, and the last such place that the thread knows. */
  #changedAt = 0;
  #postedChange = 0;
  #isTelling = false;
  #loopAtLast = performance.eventLoopUtilization();
  #isStopping = false;
  /** Before `open`, nothing is closed: the thread asks again. */
  #closeEventGroup: CloseEventGroupCall = (ended) => ended();
  #isClosingGroup = false;
  /** Counts of operators' calls under way. */
  readonly #asked = { replay: 0, test: 0, look: 0 };

  /**
   * Groups of events are on disk up to this fact (`GroupReader`): one that comes later has a higher number than all events of
   * facts up to it.
   */
  settled = 0;
  /** Groups came up to this fact last; 0 when none did since the start. */
  groupsAt = 0;
  readonly #onSettled: (() => void) | undefined;
  readonly #shipping: RowShipping | undefined;
  /** The last set of rows that the thread has handed over, and the last that it has written. */
  #handedId = 0;
  #writtenId = 0;

  private constructor(options: WebhookOutboxOptions) {
    const { onFatal, onDiscarded, onDelay, onSettled, ship, ...data } = options;
    this.#onSettled = onSettled;
    const shipping = ship && new RowShipping(ship, () => this.#thread.tell('shipped', []));
    this.#shipping = shipping;
    const events: OutboxEvents = {
      report: (report) => {
        this.#report = report;
        this.#isTelling = false;
        if (!this.#isStopping) this.#tell();
        this.#settle(report.settled, report.groupsAt);
      },
      settled: (position, groupsAt) => this.#settle(position, groupsAt),
      discarded: onDiscarded,
      closeEventGroup: (unlessBeyond) => this.#askToClose(unlessBeyond),
      delayed: onDelay,
      rows: (id, parts) => {
        this.#handedId = id;
        shipping?.add(id, parts);
      },
      written: (id) => {
        this.#writtenId = id;
      },
    };
    this.#thread = new WorkerLink({
      program: new URL('./outbox/thread/outbox-thread.js', import.meta.url),
      name: 'the thread of the webhooks',
      data: {
        ...data,
        isShipped: shipping !== undefined,
        worker: { ...data.worker, changes: this.#changes.shared },
      },
      youngGenerationMb: YOUNG_GENERATION_MB,
      errors: [DamagedDataError],
      events,
      onDeath: onFatal,
    });
  }

  /** Starts the thread. Rejects when `webhooks.mdb` doesn't belong to the journal. */
  static async start(options: WebhookOutboxOptions): Promise<WebhookOutbox> {
    const outbox = new WebhookOutbox(options);
    await outbox.#thread.start();
    return outbox;
  }

  /** Figures as of the thread's latest word. */
  get report(): OutboxReport {
    return this.#report;
  }

  /** Has groups settle without delay from now on, or when there is time for it. */
  watch(isWatched: boolean): void {
    if (!this.#isStopping) this.#thread.tell('watch', [isWatched]);
  }

  /** Has groups settle up to this durable fact without delay. */
  settle(position: number): void {
    if (!this.#isStopping && position > this.settled) this.#thread.tell('changed', [position]);
  }

  /**
   * Whether rows are on their way to other nodes and not in this folder yet, which is behind the log then. Meanwhile
   * nobody may write down how far the folder has come with the log.
   */
  get isShipping(): boolean {
    return this.#writtenId < this.#handedId;
  }

  /**
   * The journal ended here when the node started. Nothing is sent before it is read up to here, and, when sales are closed,
   * before they are open.
   */
  open(position: number, closeEventGroup: CloseEventGroupCall, areSalesClosed = false): void {
    this.#closeEventGroup = closeEventGroup;
    this.#changes.isHeld = areSalesClosed;
    this.#changes.open(position);
    this.#thread.tell('changed', [position]);
    this.advance(position, []);
  }

  /**
   * The journal is durable up to here, with these facts. Cheap: call it for every group, and before any of its
   * answers leaves, so that none says that a webhook is another one while the one before is still used.
   */
  advance(position: number, facts: readonly Fact[]): void {
    this.noteChanges(position, facts);
    this.readThrough(position);
  }

  /** The first half of `advance`, where the folder's journal follows later: nothing is sent by what has changed. */
  noteChanges(position: number, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === 'SalesOpened') this.#changes.isHeld = false;
      else if (fact.kind === 'WebhookSet' || fact.kind === 'WebhookRemoved')
        this.#changes.post(fact.accountId, position);
      else continue;
      this.#changedAt = position;
    }
  }

  /** The second half: the folder's journal has the facts. */
  readThrough(position: number): void {
    this.#durablePosition = position;
    if (this.#isStopping) return;
    if (this.#postedChange < this.#changedAt && this.#changedAt <= position) {
      this.#postedChange = this.#changedAt;
      this.#thread.tell('changed', [this.#changedAt]);
    }
    if (!this.#isTelling) this.#tell();
  }

  /** How far the journal must have been read to know what became of the account's webhook. */
  neededPosition(accountId: number): number {
    return this.#changes.neededPosition(accountId);
  }

  /**
   * Starts the schedules of these events anew; how many could be, when that is on disk. Undefined when too many replays
   * wait, or when the node stops. Rejects when the thread can't read the rows that it needs.
   */
  replay(accountId: number, numbers: readonly number[]): Promise<number | undefined> {
    return this.#ask('replay', () => this.#thread.call('replay', [accountId, numbers]));
  }

  /** Makes one attempt at once, and keeps nothing of it. Undefined when too many are made, or when the node stops. */
  test(ping: Omit<DeliveryTask, 'position'>): Promise<DeliveryResult | undefined> {
    const task = { ...ping, position: this.#changes.neededPosition(ping.accountId) };
    return this.#ask('test', () => this.#thread.call('test', [task]));
  }

  /** See `OutboxCalls`. Undefined when too many look, or when the node stops. */
  failingAbove(after: number, limit: number): Promise<number[] | undefined> {
    return this.#ask('look', () => this.#thread.call('failingAbove', [after, limit]));
  }

  reports(accountIds: readonly number[]): Promise<QueueReport[] | undefined> {
    return this.#ask('look', () => this.#thread.call('reports', [accountIds]));
  }

  /** Undefined when the node stops. */
  async backlog(): Promise<OutboxBacklog | undefined> {
    if (this.#isStopping) return undefined;
    return unlessEnded(this.#thread.call('backlog', []));
  }

  /**
   * Lets attempts under way end for up to `drainMs`, and ends the thread. Events that wait go out
   * after the next start.
   */
  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true;
    await this.#thread.stop(drainMs, CLOSING_MS);
    await this.#shipping?.close();
  }

  /** Undefined when too many like it are under way, or when the node stops. */
  async #ask<Answer>(
    what: 'replay' | 'test' | 'look',
    call: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    if (this.#isStopping || this.#asked[what] >= MAX_ASKED) return undefined;
    this.#asked[what] += 1;
    try {
      return await unlessEnded(call());
    } finally {
      this.#asked[what] -= 1;
    }
  }

  #settle(position: number, groupsAt: number): void {
    if (position <= this.settled) return;
    this.settled = position;
    this.groupsAt = groupsAt;
    this.#onSettled?.();
  }

  #tell(): void {
    if (this.#postedPosition === this.#durablePosition) return;
    this.#isTelling = true;
    this.#postedPosition = this.#durablePosition;
    const sinceLast = performance.eventLoopUtilization(this.#loopAtLast);
    this.#loopAtLast = performance.eventLoopUtilization();
    this.#thread.tell('durable', [this.#durablePosition, sinceLast.utilization]);
  }

  /** One at a time; what isn't taken now, the thread asks for again. */
  #askToClose(unlessBeyond: number): void {
    if (this.#isStopping || this.#isClosingGroup || this.#durablePosition > unlessBeyond) return;
    this.#isClosingGroup = true;
    this.#closeEventGroup(() => {
      this.#isClosingGroup = false;
    });
  }
}

async function unlessEnded<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ThreadEndedError) return undefined;
    throw error;
  }
}
