/** What derivation gives, in a real file, and what readers of groups find there. */
import assert from 'node:assert/strict';
import { GroupReader, type ToldGroup } from '../../../src/persistence/webhooks/groups/group-reader.ts';
import { GroupWriter } from '../../../src/persistence/webhooks/groups/group-writer.ts';
import { OUTBOX_TABLES, OutboxBatch, readRows } from '../../../src/persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { EventDerivation } from '../../../src/webhooks/outbox/derivation/event-derivation.ts';

/** An outbox's rows, as far as derivation begins with them. */
export class DerivedRows {
  readonly store: OutboxStore;
  readonly emitted: [accountId: number, number: number][] = [];
  derivation: EventDerivation;
  #groups: GroupWriter;
  #batch = new OutboxBatch();

  constructor(store: OutboxStore) {
    this.store = store;
    for (const table of OUTBOX_TABLES)
      for (const { key } of readRows(store.file, table)) this.#batch.remove(table, Buffer.from(key));
    store.commit(this.#batch);
    this.#batch = new OutboxBatch();
    this.#groups = new GroupWriter(store);
    this.derivation = this.#begin();
  }

  write(): void {
    this.#groups.put(this.#batch);
    this.store.putEventGroup(this.#batch, this.derivation.group.row);
    this.store.commit(this.#batch);
    this.#batch = new OutboxBatch();
  }

  /** Goes on with what is on disk. */
  restart(): void {
    this.write();
    this.#groups = new GroupWriter(this.store);
    this.derivation = this.#begin();
  }

  #begin(): EventDerivation {
    const { store } = this;
    return new EventDerivation({
      sink: {
        emit: (accountId, number) => this.emitted.push([accountId, number]),
        group: (stream, entry) => this.#groups.add(stream, entry),
        pricingBefore: (row, atMs) => this.#groups.putBefore(this.#batch, row, atMs),
        subscriber: (accountId, subscriber) => store.putSubscriber(this.#batch, accountId, subscriber),
        cancel: () => {},
        look: (productId, text) => store.putLook(this.#batch, productId, text),
        pricing: (row) => store.putPricing(this.#batch, row),
        groupChanged: () => {},
      },
      subscribers: store.subscribers(),
      looks: store.looks(),
      pricing: store.pricing(),
      group: store.group(),
    });
  }

  /** Takes the events that came up: of each account, the products by type. */
  take(): Told {
    this.write();
    const reader = new GroupReader(this.store);
    const told = { catalog: new Map<number, number[]>(), stock: new Map<number, number[]>() };
    for (const [accountId, number] of this.emitted.splice(0)) {
      const { type, productIds } = reader.told(accountId, number) ?? assert.fail(`no group ${number}`);
      told[type === 'catalog.updated' ? 'catalog' : 'stock'].set(accountId, [...productIds]);
    }
    return told;
  }

  /** What a reader finds of the account's groups, without those that tell it nothing. */
  read(accountId: number, number = 0): ToldGroup[] {
    const reader = new GroupReader(this.store);
    const groups = [...reader.behind(accountId, number)].filter(({ productIds }) => productIds.length > 0);
    // From the other end the same is found.
    const [before, last] = groups.slice(-2);
    if (before !== undefined && last !== undefined) {
      assert.deepEqual(reader.newest(accountId, Number.MAX_SAFE_INTEGER), last);
      assert.deepEqual(reader.newest(accountId, last.number - 1), before);
    }
    return groups;
  }
}

export interface Told {
  readonly catalog: Map<number, number[]>;
  readonly stock: Map<number, number[]>;
}
