/** The gap of a restored shop, naively: who holds each item, by number, and the text of each number. */
import type { Fact } from '../../../src/engine/fact.ts';
import type { ItemRange } from '../../../src/engine/item-ranges.ts';
import { NO_ITEM, type Order } from '../../../src/engine/orders.ts';
import type { State } from '../../../src/engine/state.ts';
import { type Receipt, WORLD } from './restored-shop.ts';

export function numbersOf(ranges: readonly ItemRange[]): number[] {
  return ranges.flatMap((range) => Array.from({ length: range.count }, (_, at) => range.firstItem + at));
}

/** Instead of the order that a key has. */
const REFUSED = 0;

/** The naive shop's gap: the holder of each item, by number, and the text of each number. */
export class NaiveGap {
  readonly wallets: Record<number, number> = {};
  readonly waiting = new Map<number, number>();
  /** By product and item: for sale, in quarantine, given back, released (`gone`), or whose order has it. */
  readonly #items = new Map<string, 'sale' | 'quarantine' | 'back' | 'gone' | number>();
  readonly #texts = new Map<string, string>();
  readonly #keys = new Map<string, number>();
  isOpen = false;

  constructor(state: State, orders: readonly Order[]) {
    for (const { accountId, walletMicros } of state.accounts.values()) this.wallets[accountId] = walletMicros;
    for (let productId = 1; productId <= WORLD.products; productId += 1) {
      const { end, next } = state.stock.of(productId);
      const gone = new Set(numbersOf(state.stock.withdrawn(productId)));
      for (let item = 0; item < end; item += 1) {
        this.#texts.set(`${productId} ${item}`, `${productId} ${item}`);
        if (gone.has(item)) this.#items.set(`${productId} ${item}`, 'back');
        else if (item >= next) this.#items.set(`${productId} ${item}`, 'sale');
      }
    }
    for (const order of orders) this.#give(order, numbersOf(itemsOf(state, order)));
  }

  #give({ orderId, productId, accountId, idempotencyKey }: Order, items: readonly number[]): void {
    for (const item of items) this.#items.set(`${productId} ${item}`, orderId);
    this.#keys.set(`${accountId} ${idempotencyKey}`, orderId);
  }

  /** By state, ascending. */
  numbers(productId: number, state: 'sale' | 'quarantine'): number[] {
    return Array.from(this.#items)
      .filter(([place, is]) => is === state && place.startsWith(`${productId} `))
      .map(([place]) => Number(place.split(' ')[1]))
      .sort((a, b) => a - b);
  }

  upload(productId: number, firstItem: number, added: number): void {
    for (let item = firstItem; item < firstItem + added; item += 1) {
      this.#items.set(`${productId} ${item}`, 'sale');
      this.#texts.set(`${productId} ${item}`, `${productId} ${item}`);
    }
  }

  quarantine(productId: number, wanted: number): void {
    for (const item of this.numbers(productId, 'sale').slice(0, wanted)) {
      this.#items.set(`${productId} ${item}`, 'quarantine');
    }
  }

  /** Puts items of the quarantine back where they were. */
  putBack(productId: number): void {
    for (const item of this.numbers(productId, 'quarantine')) this.#items.set(`${productId} ${item}`, 'sale');
  }

  endQuarantine(productId: number, firstItem: number | undefined): void {
    for (const [index, item] of this.numbers(productId, 'quarantine').entries()) {
      this.#items.set(`${productId} ${item}`, firstItem === undefined ? 'back' : 'gone');
      if (firstItem === undefined) continue;
      this.#items.set(`${productId} ${firstItem + index}`, 'sale');
      this.#texts.set(`${productId} ${firstItem + index}`, this.#texts.get(`${productId} ${item}`) ?? '');
    }
  }

  /** The outcome of a receipt. */
  recover(receipt: Receipt): 'done' | 'again' | 'refused' {
    const { accountId, productId, idempotencyKey, orderId, totalMicros } = receipt;
    const has = this.#keys.get(`${accountId} ${idempotencyKey}`);
    if (has !== undefined) return has === orderId ? 'again' : 'refused';
    const items = numbersOf(receipt.items);
    const isFree = items.every((item) => {
      const is = this.#items.get(`${productId} ${item}`);
      return is === 'sale' || is === 'quarantine' || is === 'back';
    });
    if (!isFree) return 'refused';
    const unpriced = { priceRule: null, priceListId: null };
    this.#give({ ...receipt, status: 'completed', firstItem: NO_ITEM, adjustments: [], ...unpriced }, items);
    const wallet = this.wallets[accountId] ?? 0;
    if (wallet < totalMicros) this.waiting.set(orderId, totalMicros);
    else this.wallets[accountId] = wallet - totalMicros;
    return 'done';
  }

  /** A later receipt says that an item took the place of one of the order's. */
  replace({ orderId, productId }: Receipt, item: number): void {
    this.#items.set(`${productId} ${item}`, orderId);
  }

  settle(orderId: number, accountId: number): boolean {
    const amount = this.waiting.get(orderId);
    const wallet = this.wallets[accountId] ?? 0;
    if (amount === undefined || wallet < amount) return false;
    this.waiting.delete(orderId);
    this.wallets[accountId] = wallet - amount;
    return true;
  }

  /** A purchase that the engine made as `order`. */
  bought(order: Order): void {
    const { accountId, productId, quantity, totalMicros } = order;
    this.wallets[accountId] = (this.wallets[accountId] ?? 0) - totalMicros;
    this.#give(order, this.numbers(productId, 'sale').slice(0, quantity));
  }

  /** Whether the key has an order. */
  hasKey(accountId: number, key: string): boolean {
    return (this.#keys.get(`${accountId} ${key}`) ?? REFUSED) !== REFUSED;
  }

  refuse(accountId: number, key: string): void {
    this.#keys.set(`${accountId} ${key}`, REFUSED);
  }

  /** The texts that buyers have, each with its orders. */
  sold(): Map<string, number[]> {
    const sold = new Map<string, number[]>();
    for (const [place, is] of this.#items) {
      if (typeof is !== 'number') continue;
      const text = this.#texts.get(place) ?? '';
      sold.set(text, [...(sold.get(text) ?? []), is]);
    }
    return sold;
  }
}

function itemsOf({ stock }: State, { productId, firstItem, quantity }: Order): readonly ItemRange[] {
  return firstItem === NO_ITEM ? [] : stock.itemsFrom(productId, firstItem, quantity);
}

export function ordersOf(facts: readonly Fact[]): Order[] {
  return facts.flatMap((fact) => (fact.kind === 'OrderPlaced' ? [fact.order] : []));
}
