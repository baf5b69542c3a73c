/**
 * `webhooks.mdb` of a restored folder: the facts give the same events as before, and the backup tells of each account
 * from which number on they have to be delivered. Events to be delivered are pending, and due; the others aren't kept.
 *
 * Events that had failed and wait for another attempt begin anew: the history of attempts is not in a backup.
 */
import { join } from 'node:path';
import type { JournalReader } from '../persistence/journal/journal-reader.ts';
import { createEnvironment } from '../persistence/lmdb/lmdb-environment.ts';
import { firstNumberAt } from '../persistence/webhooks/event-row.ts';
import { GroupWriter } from '../persistence/webhooks/groups/group-writer.ts';
import { OUTBOX_FILE, OUTBOX_TABLES, OutboxBatch } from '../persistence/webhooks/outbox-file.ts';
import { NO_COUNTS, NO_GROUP, type PricingRow } from '../persistence/webhooks/outbox-rows.ts';
import { OutboxStore } from '../persistence/webhooks/outbox-store.ts';
import type { DerivationSink } from '../webhooks/outbox/derivation/derivation-sink.ts';
import { EventDerivation } from '../webhooks/outbox/derivation/event-derivation.ts';
import { GROUPS_KEPT_MS } from '../webhooks/outbox/scheduling/group-sweeper.ts';
import { LOWEST_NUMBER, type RestoredQueues } from './restored-queues.ts';

const WRITES_PER_TRANSACTION = 10_000;

export interface OutboxParts {
  readonly folder: string;
  /** The journal, at its beginning; it is read to its end. */
  readonly journal: JournalReader;
  readonly queues: RestoredQueues;
  readonly nowMs: number;
}

export async function restoreOutbox({ folder, journal, queues, nowMs }: OutboxParts): Promise<void> {
  await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
  const store = OutboxStore.open(folder);
  try {
    const kept = new KeptEvents(store, queues, nowMs);
    const { derivation } = kept;
    const facts = {
      fact: derivation.add.bind(derivation),
      purchases: {
        wants: derivation.wantsPurchases.bind(derivation),
        passed: derivation.addPurchase.bind(derivation),
      },
    };
    for (const _ of journal.visit(Number.POSITIVE_INFINITY, facts)) kept.writeIfFull();
    kept.finish(() => store.putEventGroup(kept.batch, derivation.group.row));
    const counters = { ...NO_COUNTS, pending: kept.count };
    store.putMeta(kept.batch, { head: journal.head, clockMs: nowMs, counters });
    store.commit(kept.batch);
  } finally {
    await journal.close();
    await store.close();
  }
}

class KeptEvents implements DerivationSink {
  readonly #store: OutboxStore;
  readonly #queues: RestoredQueues;
  readonly #nowMs: number;
  readonly #subscribers = new Set<number>();
  readonly #cancelBelow = new Map<number, number>();
  /** Gives them. */
  readonly derivation: EventDerivation;
  readonly #groups: GroupWriter;
  batch = new OutboxBatch();
  count = 0;

  constructor(store: OutboxStore, queues: RestoredQueues, nowMs: number) {
    this.#store = store;
    this.#queues = queues;
    this.#nowMs = nowMs;
    this.#groups = new GroupWriter(store, nowMs - GROUPS_KEPT_MS);
    this.derivation = new EventDerivation({
      sink: this,
      subscribers: [],
      looks: [],
      pricing: [],
      group: NO_GROUP,
    });
  }

  emit(...[accountId, number, content, createdAtMs]: Parameters<DerivationSink['emit']>): void {
    if (!this.#queues.isOpen(accountId, number)) return;
    const counts = { attempts: 0, loggedAttempts: 0, firstAttempt: undefined };
    const times = { createdAtMs, dueAtMs: this.#nowMs };
    this.#store.putEvent(this.batch, { accountId, number, status: 'pending', content, ...counts, ...times });
    this.count += 1;
  }

  group(...[stream, entry]: Parameters<DerivationSink['group']>): void {
    this.#groups.add(stream, entry);
  }

  pricingBefore(...[row, atMs]: Parameters<DerivationSink['pricingBefore']>): void {
    this.#groups.putBefore(this.batch, row, atMs);
  }

  subscriber(...[accountId, subscriber]: Parameters<DerivationSink['subscriber']>): void {
    this.#subscribers.add(accountId);
    this.#store.putSubscriber(this.batch, accountId, subscriber);
  }

  /** Cancels the account's events up to there. Their rows will say so when the node has started. */
  cancel(accountId: number, position: number): void {
    this.#cancelBelow.set(accountId, firstNumberAt(position, this.derivation.group.epoch));
  }

  look(productId: number, text: string): void {
    this.#store.putLook(this.batch, productId, text);
  }

  pricing(row: PricingRow): void {
    this.#store.putPricing(this.batch, row);
  }

  groupChanged(): void {}

  writeIfFull(): void {
    if (this.batch.size + this.#groups.size < WRITES_PER_TRANSACTION) return;
    this.#groups.put(this.batch);
    this.#store.commit(this.batch);
    this.batch = new OutboxBatch();
  }

  /** Finishes when all facts have come: puts the queues, and what `andPut` puts. */
  finish(andPut: () => void): void {
    for (const accountId of this.#subscribers) {
      const firstOpen = this.#queues.lowestOpen(accountId);
      const cancelBelow = this.#cancelBelow.get(accountId) ?? 0;
      if (firstOpen === LOWEST_NUMBER && cancelBelow === 0) continue;
      const row = { firstOpen, cancelBelow, sweptBelow: 0 };
      this.#store.putQueue(this.batch, accountId, row);
      this.writeIfFull();
    }
    this.#groups.put(this.batch);
    andPut();
  }
}
