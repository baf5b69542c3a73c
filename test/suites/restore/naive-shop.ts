/**
 * A shop at a moment, found out without a backup: its own folder, read fact by fact up to there, with every text
 * compared with every other.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { replacedItems } from '../../../src/engine/adjustments.ts';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { NO_ITEM, type Order } from '../../../src/engine/orders.ts';
import { State } from '../../../src/engine/state.ts';
import { STOCK_FILE } from '../../../src/persistence/folder/data-folder.ts';
import { GENESIS } from '../../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../../src/persistence/journal/journal-reader.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import type { DataKeys } from '../../../src/persistence/keys/data-keys.ts';
import { KeyRing } from '../../../src/persistence/keys/key-ring.ts';
import { canonicalTables } from '../../../src/persistence/state-tables.ts';
import { lookUp } from '../../../src/persistence/stock/delivered/known-texts.ts';
import { readOrderTexts } from '../../../src/persistence/stock/delivered/order-texts.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock } from '../../../src/persistence/stock/file/stock-block.ts';
import { blockWith, openStockFile, type StockFile } from '../../../src/persistence/stock/file/stock-file.ts';
import { productStockOf } from '../../../src/persistence/stock/product-stock.ts';
import { stockTexts } from '../../../src/persistence/stock/stock-texts.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { firstNumberAt } from '../../../src/persistence/webhooks/event-row.ts';
import { NO_GROUP } from '../../../src/persistence/webhooks/outbox-rows.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { EventDerivation } from '../../../src/webhooks/outbox/derivation/event-derivation.ts';

export class NaiveShop {
  readonly state = new State();
  readonly orders = new Map<number, Order>();
  /** By account and number, in order: what each says. */
  readonly events: string[] = [];
  readonly facts: Fact[] = [];
  readonly #stock: StockFile;
  readonly #blocks = new Map<string, ItemBlock>();
  readonly #derivation: EventDerivation;

  private constructor(folder: string, keys: DataKeys) {
    this.#stock = openStockFile(join(folder, STOCK_FILE), keys);
    const nothing = () => {};
    const cancelled = (accountId: number, position: number) => {
      const kept = this.events.filter((event) => {
        const [account, number] = JSON.parse(event) as [number, number];
        return account !== accountId || number >= firstNumberAt(position, this.state.epochs.current);
      });
      this.events.splice(0, this.events.length, ...kept);
    };
    this.#derivation = new EventDerivation({
      sink: {
        emit: (...event) => this.events.push(JSON.stringify(event)),
        group: nothing,
        pricingBefore: nothing,
        subscriber: nothing,
        cancel: cancelled,
        look: nothing,
        pricing: nothing,
        groupChanged: nothing,
      },
      subscribers: [],
      looks: [],
      pricing: [],
      group: NO_GROUP,
    });
  }

  /** Facts of a stopped folder, as long as they are wanted. */
  static async read(
    folder: string,
    isWanted: (seq: number, fact: Fact) => boolean = () => true,
    masterKey?: string,
  ): Promise<NaiveShop> {
    const { keys } = KeyRing.read(folder, masterKey);
    const shop = new NaiveShop(folder, keys);
    const journal = new JournalReader(openLogReader(folder), GENESIS);
    for (const { firstSequence, facts } of journal.read()) {
      for (const [index, fact] of facts.entries()) {
        if (!isWanted(firstSequence + index, fact)) break;
        shop.#add(fact, firstSequence + index);
      }
    }
    await journal.close();
    return shop;
  }

  get tables(): string[] {
    return canonicalTables(this.state);
  }

  /** Whether the account's webhook was removed since. */
  isCancelled(event: string): boolean {
    const [account, number] = JSON.parse(event) as [number, number];
    return this.facts.some(
      (fact, index) =>
        fact.kind === 'WebhookRemoved' &&
        fact.accountId === account &&
        number < firstNumberAt(index + 1, this.state.epochs.at(index + 1)),
    );
  }

  /** Every order with all that it delivers. */
  get sold(): readonly object[] {
    return [...this.orders.values()].map((order) => ({ ...order, texts: this.#textsOf(order) }));
  }

  /** The texts that each product had, and whether each may come again: found by comparing, … */
  had(): string[] {
    const found = new Map<string, string>();
    for (const order of this.orders.values()) {
      if (order.textCount === 0) continue;
      for (const text of readOrderTexts(this.#stock, order.orderId, order.textCount)) {
        found.set(JSON.stringify([order.productId, text]), 'had');
      }
    }
    const { stock } = this.state;
    for (const [productId, { end }] of stock.entries()) {
      for (let item = 0; item < end; item += 1) {
        const name = JSON.stringify([productId, this.#itemText(productId, item)]);
        const isIn = (ranges: readonly { readonly firstItem: number; readonly count: number }[]) =>
          ranges.some(({ firstItem, count }) => item >= firstItem && item < firstItem + count);
        if (isIn(stock.recalled(productId))) found.set(name, 'recalled');
        else if (!isIn(stock.withdrawn(productId)) && found.get(name) !== 'recalled') found.set(name, 'had');
        else if (!found.has(name)) found.set(name, 'free');
      }
    }
    return [...found].map(([name, holder]) => `${name} ${holder}`).sort();
  }

  /** … and of the same texts, found by their fingerprints. */
  lookedUp(had: readonly string[]): string[] {
    const texts = stockTexts(this.#stock);
    return had.map((line) => {
      const name = line.slice(0, line.lastIndexOf(' '));
      const [productId, text] = JSON.parse(name) as [number, string];
      const { end, ...counted } = productStockOf(this.state, productId);
      const textOf = (item: number) =>
        item < end ? Buffer.from(this.#itemText(productId, item)) : undefined;
      const key = texts.fingerprints.keyOf(Buffer.from(text));
      const had = lookUp(texts, { ...counted, textOf }, key, Buffer.from(text))?.had;
      return `${name} ${had === 'recalled' ? had : had === undefined ? 'free' : 'had'}`;
    });
  }

  async close(): Promise<void> {
    await this.#stock.environment.close();
  }

  #add(fact: Fact, sequence: number): void {
    apply(this.state, fact);
    this.facts.push(fact);
    if ('order' in fact) this.orders.set(fact.order.orderId, fact.order);
    this.#derivation.add(fact, sequence);
  }

  #textsOf({ orderId, productId, firstItem, quantity, textCount, adjustments }: Order): string[] {
    if (textCount > 0) return readOrderTexts(this.#stock, orderId, textCount);
    if (firstItem === NO_ITEM) return [];
    const texts = this.state.stock
      .itemsFrom(productId, firstItem, quantity)
      .flatMap(({ firstItem: first, count }) =>
        Array.from({ length: count }, (_, index) => this.#itemText(productId, first + index)),
      );
    for (const [place, item] of replacedItems(adjustments)) texts[place] = this.#itemText(productId, item);
    return texts;
  }

  #itemText(productId: number, item: number): string {
    const name = `${productId} ${blockOf(item)}`;
    let block = this.#blocks.get(name);
    if (block === undefined || block.count <= item % ITEMS_PER_BLOCK) {
      block = blockWith(this.#stock, productId, item);
      this.#blocks.set(name, block);
    }
    return block.textAt(item % ITEMS_PER_BLOCK);
  }
}

/** Up to this fact both folders have the same state, sold the same and know the same texts; and the restored one is sound. */
export async function expectSameShop(
  original: string,
  restored: string,
  last: number,
  what = '',
): Promise<void> {
  const expected = await NaiveShop.read(original, (seq) => seq <= last);
  const found = await NaiveShop.read(restored, (seq) => seq <= last);
  assert.deepEqual(found.tables, expected.tables, what);
  assert.deepEqual(found.sold, expected.sold, what);
  const had = expected.had();
  assert.deepEqual(found.had(), had, what);
  assert.deepEqual(found.lookedUp(had), had, what);
  await Promise.all([expected.close(), found.close()]);
  const report: string[] = [];
  const isSound = await verifyDataFolder(restored, (line) => report.push(line));
  assert.ok(isSound, `${what}: ${report.join('\n')}`);
  assert.ok(!report.some((line) => line.includes('not used by any product')), report.join('\n'));
}

/** The events that a folder has to deliver, as `NaiveShop.events` has them. */
export async function pendingEvents(folder: string): Promise<string[]> {
  const store = OutboxStore.open(folder);
  try {
    const queues = new Map(store.queues());
    const events: string[] = [];
    for (const [accountId] of store.subscribers()) {
      const from = queues.get(accountId)?.cancelBelow ?? 0;
      for (const { number, content, createdAtMs, status } of store.events(accountId, from)) {
        if (status === 'pending') events.push(JSON.stringify([accountId, number, content, createdAtMs]));
      }
    }
    return events;
  } finally {
    await store.close();
  }
}
