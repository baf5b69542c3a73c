/**
 * The outbox as the main thread sees it: told how far the journal is durable and whose webhook has changed, and
 * otherwise on its own.
 *
 * A position is sent only when the one before has been taken up, so a purchase costs nothing here and a busy node
 * sends some dozens of messages a second. The thread's death is fatal: events would no longer come up.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import type { Fact } from '../engine/fact.ts';
import { WriteGate } from '../persistence/lmdb/write-gate.ts';
import { NO_COUNTS } from '../persistence/webhooks/outbox-rows.ts';
import type { DeliveryResult } from './delivery/delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData, WebhookChange } from './delivery/delivery-task.ts';
import { DeliveryCounters } from './outbox/thread/delivery-figures.ts';
import type {
  DiscardedEvent,
  OutboxAnswer,
  OutboxReport,
  OutboxRequest,
  OutboxThreadData,
} from './outbox/thread/outbox-messages.ts';
import { WebhookChanges } from './webhook-changes.ts';

export interface WebhookOutboxOptions extends Omit<OutboxThreadData, 'gate' | 'changes' | 'worker'> {
  readonly worker: Omit<DeliveryWorkerData, 'changes' | 'changeChannel'>;
  readonly onFatal: (error: unknown) => void;
  /** So many events were given up; `events` are the first few of them. */
  readonly onDiscarded: (count: number, events: readonly DiscardedEvent[]) => void;
  /** What comes up can't be written for want of room; told once until it can. */
  readonly onDelay: () => void;
}

/** Has the journal say that the open group closes; `ended` is called when it says so, or won't. */
export type CloseGroup = (ended: () => void) => void;

/** The thread makes short-lived objects only; by default they would take three times the room. */
const YOUNG_GENERATION_MB = 4;
/** Operators' replays that wait for the disk. */
const MAX_REPLAYS = 16;
/** Under way. */
const MAX_TESTS = 16;
interface Waiting {
  readonly resolve: (count: number | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Beyond the time for attempts under way, closing may take this long. */
const CLOSING_MS = 5_000;

export class WebhookOutbox {
  readonly #options: WebhookOutboxOptions;
  readonly #worker: Worker;
  readonly #changes: WebhookChanges;
  /** To the threads that send. */
  readonly #channel: BroadcastChannel;
  #report: OutboxReport = {
    position: 0,
    underWay: 0,
    figures: new DeliveryCounters().figures,
    ...NO_COUNTS,
  };
  #durablePosition = 0;
  #toldPosition = 0;
  #isTelling = false;
  #loopAtLast = performance.eventLoopUtilization();
  #isStopping = false;
  #isStopped = false;
  #stopped: () => void = () => {};
  #closeGroup: CloseGroup = () => {};
  #isClosingGroup = false;
  /** By the id of the request. */
  readonly #replays = new Map<number, Waiting>();
  readonly #tests = new Map<number, (result: DeliveryResult | undefined) => void>();
  #lastRequest = 0;

  private constructor(
    options: WebhookOutboxOptions,
    worker: Worker,
    changes: WebhookChanges,
    changeChannel: string,
  ) {
    this.#options = options;
    this.#worker = worker;
    this.#changes = changes;
    this.#channel = new BroadcastChannel(changeChannel).unref();
    worker.on('message', (answer: OutboxAnswer) => this.#hear(answer));
    worker.on('error', (cause) => options.onFatal(new Error('the thread of the webhooks failed', { cause })));
    worker.on('exit', () => {
      this.#stopped();
      if (!this.#isStopping) options.onFatal(new Error('the thread of the webhooks has ended'));
    });
  }

  /** Starts the thread. Rejects when `webhooks.mdb` doesn't belong to the journal. */
  static async start(options: WebhookOutboxOptions): Promise<WebhookOutbox> {
    const { onFatal, onDiscarded, onDelay, ...data } = options;
    const gate = new WriteGate();
    const changes = WebhookChanges.create();
    const changeChannel = `purser-webhooks-${randomUUID()}`;
    const workerData: OutboxThreadData = {
      ...data,
      gate: gate.shared,
      changes: changes.shared,
      worker: { ...data.worker, changeChannel },
    };
    const worker = new Worker(new URL('./outbox/thread/outbox-thread.js', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    gate.guard(worker);
    await once(worker, 'message');
    return new WebhookOutbox(options, worker, changes, changeChannel);
  }

  /** As of the thread's latest word. */
  get report(): OutboxReport {
    return this.#report;
  }

  /** The journal ended here when the node started. Nothing is sent before it is read up to here. */
  open(position: number, closeGroup: CloseGroup): void {
    this.#closeGroup = closeGroup;
    this.#changes.open(position);
    this.#post({ kind: 'changed', position });
    this.advance(position, []);
  }

  /**
   * The journal is durable up to here, with these facts. Cheap: call it for every group, and before any of its
   * answers leaves, so that none says that a webhook is another one while the one before is still used.
   */
  advance(position: number, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind !== 'WebhookSet' && fact.kind !== 'WebhookRemoved') continue;
      this.#changed(fact.accountId, position);
    }
    this.#durablePosition = position;
    if (!this.#isTelling && !this.#isStopping) this.#tell();
  }

  /** How far the journal must have been read to know what became of the account's webhook. */
  neededPosition(accountId: number): number {
    return this.#changes.neededPosition(accountId);
  }

  /**
   * Starts the schedules of these events anew; how many could be, when that is on disk. Undefined when too many replays
   * wait, or when the node stops. Rejects when the thread can't read the rows that it needs.
   */
  async replay(accountId: number, numbers: readonly number[]): Promise<number | undefined> {
    if (this.#isStopping || this.#replays.size >= MAX_REPLAYS) return undefined;
    const id = this.#nextRequest();
    this.#post({ kind: 'replay', id, accountId, numbers });
    return new Promise((resolve, reject) => this.#replays.set(id, { resolve, reject }));
  }

  /** Makes one attempt at once, and keeps nothing of it. Undefined when too many are made, or when the node stops. */
  test(ping: Omit<DeliveryTask, 'position'>): Promise<DeliveryResult | undefined> {
    if (this.#isStopping || this.#tests.size >= MAX_TESTS) return Promise.resolve(undefined);
    const id = this.#nextRequest();
    const task = { ...ping, position: this.#changes.neededPosition(ping.accountId) };
    this.#post({ kind: 'test', id, task });
    return new Promise((resolve) => this.#tests.set(id, resolve));
  }

  /**
   * Lets attempts under way end for up to `drainMs`, and ends the thread. Events that wait go out
   * after the next start.
   */
  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true;
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    this.#post({ kind: 'stop', drainMs });
    const timer = setTimeout(this.#stopped, drainMs + CLOSING_MS);
    await stopped;
    for (const { resolve } of this.#replays.values()) resolve(undefined);
    this.#replays.clear();
    for (const resolve of this.#tests.values()) resolve(undefined);
    this.#tests.clear();
    clearTimeout(timer);
    await this.#worker.terminate();
    this.#isStopped = true;
    this.#channel.close();
  }

  #changed(accountId: number, position: number): void {
    this.#changes.post(accountId, position);
    const change: WebhookChange = { accountId, position };
    if (!this.#isStopped) this.#channel.postMessage(change);
    if (!this.#isStopping) this.#post({ kind: 'changed', position });
  }

  #nextRequest(): number {
    this.#lastRequest += 1;
    return this.#lastRequest;
  }

  #tell(): void {
    if (this.#toldPosition === this.#durablePosition) return;
    this.#isTelling = true;
    this.#toldPosition = this.#durablePosition;
    const sinceLast = performance.eventLoopUtilization(this.#loopAtLast);
    this.#loopAtLast = performance.eventLoopUtilization();
    this.#post({ kind: 'durable', position: this.#durablePosition, mainThreadWorks: sinceLast.utilization });
  }

  #hear(answer: OutboxAnswer): void {
    switch (answer.kind) {
      case 'report':
        this.#report = answer.report;
        this.#isTelling = false;
        if (!this.#isStopping) this.#tell();
        break;
      case 'replayed':
        this.#replays.get(answer.id)?.resolve(answer.count);
        this.#replays.delete(answer.id);
        break;
      case 'failed':
        this.#replays.get(answer.id)?.reject(new Error(answer.message));
        this.#replays.delete(answer.id);
        break;
      case 'tested':
        this.#tests.get(answer.id)?.(answer.result);
        this.#tests.delete(answer.id);
        break;
      case 'discarded':
        this.#options.onDiscarded(answer.count, answer.events);
        break;
      case 'closeGroup':
        this.#askToClose(answer.unlessBeyond);
        break;
      case 'delayed':
        this.#options.onDelay();
        break;
      case 'stopped':
        this.#stopped();
        break;
      case 'ready':
        break;
    }
  }

  /** One at a time; what isn't taken now, the thread asks for again. */
  #askToClose(unlessBeyond: number): void {
    if (this.#isStopping || this.#isClosingGroup || this.#durablePosition > unlessBeyond) return;
    this.#isClosingGroup = true;
    this.#closeGroup(() => {
      this.#isClosingGroup = false;
    });
  }

  #post(request: OutboxRequest): void {
    this.#worker.postMessage(request);
  }
}
