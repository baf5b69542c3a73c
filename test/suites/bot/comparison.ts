/**
 * What the chats show, compared with the ledger: the operator API of the node. Every difference is a line.
 */

import type { Person } from './person.ts';
import { itemIdsIn, type Order, type Shop } from './shop.ts';

export class Comparison {
  /** By chat and in words. */
  readonly differences: string[] = [];
  /** Completed orders whose copies must be there. */
  orders = 0;
  /** Documents, or messages, that showed again what an earlier one had. */
  repeats = 0;
  readonly #shop: Shop;
  readonly #refunded: ReadonlySet<number>;

  /** `refunded`: orders whose items may have been gone before they were copied. */
  constructor(shop: Shop, refunded: ReadonlySet<number>) {
    this.#shop = shop;
    this.#refunded = refunded;
  }

  async compare(person: Person): Promise<void> {
    const orders = await this.#shop.ordersOf(person.accountId);
    this.#copies(person, orders);
    this.#purchases(person, orders);
    await this.#wallet(person, orders);
    await this.#key(person);
  }

  #copies(person: Person, orders: readonly Order[]): void {
    const { shown } = person.chat;
    const documents = shown.flatMap(({ document }) => (document === undefined ? [] : [document]));
    const files = documents.map(({ bytes }) => bytes.toString());
    const texts = shown.map(({ text }) => text);
    const own = new Set<string>();
    let handbooks = 0;
    for (const order of orders) {
      const items = order.delivery?.items ?? [];
      for (const id of itemIdsIn(items.join('\n'))) own.add(id);
      const isSure = order.status === 'completed' && !person.excused.has(order.orderId);
      if (!isSure || this.#refunded.has(order.orderId)) continue;
      this.orders += 1;
      if (this.#shop.kindOf(order.productId) === 'file') handbooks += 1;
      const missing = items.filter((item) => !files.some((file) => file.includes(`${item}\n`)));
      if (missing.length > 0) this.#differ(person, `no copy of order ${order.orderId}: ${missing[0]}`);
      if (!texts.some((text) => new RegExp(`\\b${order.orderId}\\b`).test(text)))
        this.#differ(person, `no summary of order ${order.orderId}`);
    }
    const copies = documents.filter(({ bytes }) => bytes.equals(this.#shop.file)).length;
    if (copies < handbooks) this.#differ(person, `${copies} files, and ${handbooks} were bought`);
    this.#strangers(person, [...files, ...texts], own, orders);
    const again = this.#again(person, orders);
    this.repeats += Math.max(again(files), again(texts));
  }

  /** Items that no order of the account has. */
  #strangers(person: Person, texts: readonly string[], own: Set<string>, orders: readonly Order[]): void {
    // A refunded order has no items any more.
    if (orders.some(({ status }) => status === 'refunded')) return;
    const stranger = texts.flatMap(itemIdsIn).find((id) => !own.has(id));
    if (stranger !== undefined) this.#differ(person, `${stranger} is of another's order, or of none`);
  }

  /** Counts those that begin with an item that an earlier one has. What `/order` shows again doesn't count. */
  #again(person: Person, orders: readonly Order[]): (texts: readonly string[]) => number {
    const asked = orders.filter(({ orderId }) => person.askedFor.has(orderId));
    const ignored = new Set(asked.flatMap(({ delivery }) => itemIdsIn(delivery?.items?.join('\n') ?? '')));
    return (texts) => {
      const seen = new Set<string>();
      let repeats = 0;
      for (const text of texts) {
        const ids = itemIdsIn(text).filter((id) => !ignored.has(id));
        if (ids.some((id) => seen.has(id))) repeats += 1;
        for (const id of ids) seen.add(id);
      }
      return repeats;
    };
  }

  /** Each press that bought, once. */
  #purchases(person: Person, orders: readonly Order[]): void {
    const paid = orders
      .filter(({ status }) => ['completed', 'pending_delivery', 'refunded'].includes(status))
      .filter(({ orderId }) => !person.byApi.has(orderId));
    const inLedger = paid.map(({ productId, quantity }) => `${productId} x ${quantity}`).sort();
    const pressed = [...person.bought].sort();
    if (inLedger.join() === pressed.join()) return;
    const [extra, missing] = [without(inLedger, pressed), without(pressed, inLedger)];
    this.#differ(person, `bought and not pressed: ${extra}; pressed and not bought: ${missing}`);
  }

  async #wallet(person: Person, orders: readonly Order[]): Promise<void> {
    const movements = await this.#shop.movementsOf(person.accountId);
    const deposits = movements
      .filter(({ kind }) => kind === 'deposit')
      .map(({ reference }) => reference ?? '');
    const paid = this.#shop.paid.get(person.accountId) ?? [];
    const isSame = [...deposits].sort().join() === [...paid].sort().join();
    if (!isSame) this.#differ(person, `deposits ${deposits}, and paid was ${paid}`);
    const charged = orders.filter(({ status }) =>
      ['completed', 'pending_delivery', 'refunded'].includes(status),
    );
    const micros = (usdt: number) => Math.round(usdt * 1e6);
    const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + micros(b), 0);
    const spent = sum(charged.map(({ totalPriceUsdt, refundedUsdt = 0 }) => totalPriceUsdt - refundedUsdt));
    const funds = movements.filter(({ kind }) => kind === 'deposit' || kind === 'credit');
    const left = sum(funds.map(({ amountUsdt }) => amountUsdt)) - spent;
    const balance = sum(movements.map(({ amountUsdt }) => amountUsdt));
    if (left !== balance)
      this.#differ(person, `the statement's sum is ${balance}, and that of orders ${left}`);
  }

  async #key(person: Person): Promise<void> {
    const { key } = person;
    if (key === undefined) return;
    const { status } = await this.#shop.buyers.balance(key);
    if (status !== 200) this.#differ(person, `the newest key that was shown is answered ${status}`);
  }

  #differ(person: Person, what: string): void {
    this.differences.push(`chat ${person.chat.id}, account ${person.accountId}: ${what}`);
  }
}

/** Those of `all` that are left when each of `some` takes one away. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const rest = [...all];
  for (const each of some) {
    const at = rest.indexOf(each);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}
