/**
 * An outbox over a real journal and a real file, with a clock of the test's own and a receiver that does what the
 * test says. `work` lets it do all that it can do at this moment; `pass` lets time go by, from one thing that it
 * wants to do to the next.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fact } from '../../../src/engine/fact.ts';
import type { FolderLog } from '../../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../../src/persistence/journal/journal-reader.ts';
import { JournalWriter } from '../../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog, openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { DeliveryHistory } from '../../../src/persistence/webhooks/delivery-history.ts';
import type { OutboxEvent } from '../../../src/persistence/webhooks/event-row.ts';
import { verifyOutbox } from '../../../src/persistence/webhooks/outbox-check.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import type { DeliveryResult } from '../../../src/webhooks/delivery/delivery-result.ts';
import type { DeliveryTask } from '../../../src/webhooks/delivery/delivery-task.ts';
import { Outbox } from '../../../src/webhooks/outbox/thread/outbox.ts';
import type { OutboxOptions } from '../../../src/webhooks/outbox/thread/outbox-options.ts';
import { WebhookChanges } from '../../../src/webhooks/webhook-changes.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { START_MS } from './shop-facts.ts';

export const OK: DeliveryResult = { status: 200, responseHead: 'thanks', durationMs: 5 };
export const REFUSED: DeliveryResult = { status: 500, responseHead: 'no', durationMs: 5 };
export const BUSY: DeliveryResult = { error: { code: 'busy', message: 'no place' }, durationMs: 0 };

export interface Sent extends DeliveryTask {
  /** Milliseconds since the scene began. */
  readonly atMs: number;
  readonly data: Record<string, unknown>;
}

export interface SceneOptions {
  readonly windowMs?: number;
  readonly historyMs?: number;
  readonly places?: number;
  readonly pace?: NonNullable<OutboxOptions['pace']>;
  /** Where other nodes follow: gets what is about to be written; they have it before the next pass but one. */
  readonly ship?: NonNullable<OutboxOptions['ship']>;
}

export class OutboxScene {
  /** Every attempt, in the order of their starts. */
  readonly sent: Sent[] = [];
  readonly discarded: OutboxEvent[] = [];
  /** The receiver's answers; a promise that doesn't settle is a receiver that hangs. */
  receiver: (sent: Sent) => DeliveryResult | Promise<DeliveryResult> = () => OK;
  /** How far the wall clock is set forward, or back. */
  wallOffsetMs = 0;
  /** `--group-window`, from the next start on. */
  windowMs: number;
  outbox: Outbox;
  /** How often the journal was to say that a group closes; and whether it does. */
  asks = 0;
  isRefusing = false;
  readonly #folder: TemporaryFolder;
  readonly #log: FolderLog;
  readonly #options: SceneOptions;
  #store: OutboxStore;
  #reader: JournalReader;
  #changes = WebhookChanges.create();
  #passedMs = 0;
  #starts = 0;
  #copies = 0;
  /** For the fact that closes the group: unless the journal goes beyond this. */
  #asked: number | undefined;

  private constructor(folder: TemporaryFolder, log: FolderLog, options: SceneOptions) {
    this.#folder = folder;
    this.#log = log;
    this.#options = options;
    this.windowMs = options.windowMs ?? 1_000;
    [this.#store, this.#reader, this.outbox] = this.#start();
    this.know();
  }

  static async open(options: SceneOptions = {}): Promise<OutboxScene> {
    const folder = await createTemporaryFolder('outbox');
    await createLog(folder.path);
    await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
    return new OutboxScene(folder, openLog(folder.path), options);
  }

  get folder(): string {
    return this.#folder.path;
  }

  get store(): OutboxStore {
    return this.#store;
  }

  /** Facts of the journal. */
  get position(): number {
    return this.#log.head.position;
  }

  get wallMs(): number {
    return START_MS + this.#passedMs + this.wallOffsetMs;
  }

  get passedMs(): number {
    return this.#passedMs;
  }

  /** The events that were sent, for messages and comparisons: event type and what it is about. */
  get told(): string[] {
    return this.sent.map(({ eventType, data }) => {
      const about = data.orderId ?? data.productIds ?? data.balanceUsdt;
      return `${eventType} ${Array.isArray(about) ? about.join(',') : about}`;
    });
  }

  /** Each group is one commit of the journal. */
  async append(...groups: Fact[][]): Promise<void> {
    const journal = new JournalWriter(this.#log);
    for (const facts of groups) await journal.append(this.position + 1, facts);
    const { position } = this.#log.head;
    this.outbox.cursor.advance(position);
    for (const fact of groups.flat()) {
      if (fact.kind !== 'WebhookSet' && fact.kind !== 'WebhookRemoved') continue;
      this.#changes.post(fact.accountId, position);
      this.outbox.catchUp(position);
    }
  }

  /** Appends one group and lets the outbox do what it can. */
  async happen(...facts: Fact[]): Promise<void> {
    await this.append(facts);
    await this.work();
  }

  async work(): Promise<void> {
    for (let passes = 0; passes < 10_000; passes += 1) {
      this.outbox.pass();
      this.outbox.writer.shipped();
      await this.#closeEventGroup();
      // Attempts end in microtasks of their own.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.outbox.nextPassInMs !== 0) return;
    }
    throw new Error('it wants pass after pass');
  }

  async pass(durationMs: number): Promise<void> {
    const endMs = this.#passedMs + durationMs;
    for (;;) {
      await this.work();
      const waitMs = this.outbox.nextPassInMs ?? Number.POSITIVE_INFINITY;
      if (this.#passedMs + waitMs > endMs) break;
      this.#passedMs += waitMs;
    }
    this.#passedMs = endMs;
    await this.work();
  }

  /** Time goes by, and nobody gets a pass. */
  skip(durationMs: number): void {
    this.#passedMs += durationMs;
  }

  /** A copy of what is known of deliveries by now, for `restart`. */
  keepProgress(): string {
    this.#copies += 1;
    const copy = join(this.folder, `progress-${this.#copies}`);
    copyFileSync(join(this.folder, OUTBOX_FILE), copy);
    return copy;
  }

  /**
   * A crash, and another start: memory is gone, and attempts under way never end. The progress of deliveries is that of
   * `progress`, if it is given.
   */
  async restart(progress?: string): Promise<void> {
    this.#starts += 1;
    this.#asked = undefined;
    await this.#reader.close();
    await this.#store.close();
    if (progress !== undefined) copyFileSync(progress, join(this.folder, OUTBOX_FILE));
    this.#changes = WebhookChanges.create();
    [this.#store, this.#reader, this.outbox] = this.#start();
    this.know();
  }

  /** A pass that `crash` may end right behind any of its commits, by `chance`. */
  async passWithCrashes(chance: () => boolean, crash: () => Promise<void>): Promise<void> {
    const store = this.#store;
    const commit = store.commit.bind(store);
    store.commit = (batch) => {
      commit(batch);
      if (chance()) throw new Crash();
    };
    try {
      this.outbox.pass();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      await crash();
    } finally {
      store.commit = commit;
    }
  }

  /** The main thread has recovered, and says how far the journal goes. */
  know(): void {
    const { position } = this.#log.head;
    this.#changes.open(position);
    this.outbox.catchUp(position);
  }

  /** Sales are closed, or open again. */
  hold(isHeld: boolean): void {
    this.#changes.isHeld = isHeld;
    this.outbox.catchUp(this.position);
  }

  /** As operators see it, newest first. */
  async history(accountId: number, limit = 100): Promise<ReturnType<DeliveryHistory['page']>> {
    return new DeliveryHistory(this.#store).page(accountId, limit);
  }

  /** Throws unless the rows of the file fit together. */
  async close(): Promise<void> {
    await verifyOutbox(this.#folder.path);
    await this.#reader.close();
    await this.#store.close();
    await this.#log.close();
    await this.#folder.remove();
  }

  /** As the main thread does when it was asked to. */
  async #closeEventGroup(): Promise<void> {
    const unlessBeyond = this.#asked;
    this.#asked = undefined;
    if (unlessBeyond === undefined) return;
    this.asks += 1;
    if (this.isRefusing || this.position > unlessBeyond) return;
    await this.append([{ kind: 'EventGroupClosed', atMs: this.wallMs, windowMs: this.windowMs }]);
  }

  #start(): [OutboxStore, JournalReader, Outbox] {
    const store = OutboxStore.open(this.#folder.path);
    const journal = new JournalReader(openLogReader(this.#folder.path), store.meta().head);
    const start = this.#starts;
    const outbox = new Outbox({
      store,
      journal,
      clocks: {
        wallMs: () => this.wallMs,
        monotonicMs: () => this.#passedMs,
      },
      changes: this.#changes,
      windowMs: this.windowMs,
      retryWaitsMs: [60_000, 300_000, 1_800_000, 21_600_000],
      historyMs: this.#options.historyMs ?? 7 * 86_400_000,
      places: this.#options.places ?? 100,
      ...(this.#options.pace === undefined ? {} : { pace: this.#options.pace }),
      ship: this.#options.ship,
      send: async (task) => {
        const data = JSON.parse(task.body) as Record<string, unknown>;
        const sent = { ...task, atMs: this.#passedMs, data };
        this.sent.push(sent);
        const result = await this.receiver(sent);
        // Nobody is there any more after a restart.
        return start === this.#starts ? result : new Promise<never>(() => {});
      },
      onWork: () => {
        if (start === this.#starts) this.outbox.dispatch();
      },
      closeEventGroup: (unlessBeyond) => {
        if (start === this.#starts) this.#asked = unlessBeyond;
      },
      onDiscarded: (events) => this.discarded.push(...events),
    });
    return [store, journal, outbox];
  }
}

class Crash extends Error {}
