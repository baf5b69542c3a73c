/** Looks at a node from all sides: what must hold after every step, and what must when everything has ended. */
import { strict as assert } from 'node:assert';
import { replacedItems } from '../../src/engine/adjustments.ts';
import { brokenInvariants } from '../../src/engine/apply/invariants.ts';
import { type History, orderOf } from '../../src/engine/decide/history.ts';
import { NO_ITEM, type Order } from '../../src/engine/orders.ts';
import type { State } from '../../src/engine/state.ts';
import { isIn, productStockOf } from '../../src/persistence/stock/product-stock.ts';
import type { NaiveShop } from '../engine/naive-shop.ts';
import { plainOrder } from '../engine/plain-answer.ts';
import type { TextDisk } from './simulated-stock.ts';
import type { SimulatedPurchase } from './simulated-supplier.ts';
import { ACCOUNTS, TYPES } from './start.ts';

/** Where a text is, or was. */
interface Place {
  readonly productId: number;
  readonly text: string;
  /** Given back to the operator: it may come again. */
  readonly isWithdrawn: boolean;
}

export class Inspection {
  readonly #state: State;
  readonly #history: History;
  readonly #texts: TextDisk;
  readonly #shop: NaiveShop;

  constructor(state: State, history: History, texts: TextDisk, shop: NaiveShop) {
    this.#state = state;
    this.#history = history;
    this.#texts = texts;
    this.#shop = shop;
  }

  /** Money, holds, shelves and supplier purchases are as in the naive shop, and no text is in two places. */
  afterStep(): void {
    assert.deepEqual(brokenInvariants(this.#state), []);
    for (const account of ACCOUNTS) {
      const { walletMicros, heldMicros } = this.#state.accounts.get(account) ?? assert.fail();
      const naive = [this.#shop.wallets[account] ?? 0, this.#shop.held(account)];
      assert.deepEqual([walletMicros / 1e6, heldMicros / 1e6], naive, `account ${account}`);
    }
    for (const [index, { shelf, suppliers, supplied }] of this.#shop.products.entries()) {
      const told = suppliers.map((supplier) => supplied[supplier] ?? 0);
      assert.deepEqual(this.#state.products.get(index + 1)?.sourceStocks, told, `product ${index + 1}`);
      const { next, end } = this.#state.stock.of(index + 1);
      const { withdrawn } = productStockOf(this.#state, index + 1);
      const items = Array.from({ length: end - next }, (_, at) => next + at).filter(
        (item) => !isIn(withdrawn, item),
      );
      assert.deepEqual(items, shelf, `product ${index + 1}`);
    }
    const naive = this.#shop.supplierPurchases.map(({ phase }, index) => `${index + 1} ${phase}`);
    const supplierPurchases = [...this.#state.supplierPurchases.values()].toSorted(
      (a, b) => a.supplierPurchaseId - b.supplierPurchaseId,
    );
    assert.deepEqual(
      supplierPurchases.map(({ supplierPurchaseId, phase }) => `${supplierPurchaseId} ${phase}`),
      naive.filter((supplierPurchase) => !supplierPurchase.endsWith(' ended')),
    );
    const places = this.places().filter(({ isWithdrawn }) => !isWithdrawn);
    const texts = new Set(places.map(({ text }) => text));
    const named = () => places.map(({ productId, text }) => `${text} of product ${productId}`).toSorted();
    assert.equal(texts.size, places.length, `a text is in two places: ${named().join()}`);
  }

  orders(): void {
    assert.equal(this.#state.lastOrderId, this.#shop.orders.length);
    for (const [index, naive] of this.#shop.orders.entries()) {
      assert.deepEqual(plainOrder(this.#order(index + 1), this.#state.stock), naive);
    }
  }

  /** How many orders have another price than their product's. */
  otherPriced(): number {
    const orders = this.#shop.orders.map((_, index) => this.#order(index + 1));
    return orders.filter(({ priceRule }) => priceRule !== 'product').length;
  }

  noHolds(): void {
    for (const { accountId, heldMicros } of this.#state.accounts.values()) {
      assert.equal(heldMicros, 0, `a hold of account ${accountId} has leaked`);
    }
  }

  /** Asserts that all money that was put in is in the wallets, or paid for what was bought. */
  books(): void {
    const wallets = ACCOUNTS.reduce((sum, account) => sum + (this.#shop.wallets[account] ?? 0), 0);
    const isSold = ({ status }: { status: string }) =>
      status === 'pending_delivery' || status === 'completed';
    const sold = this.#shop.orders.filter(isSold);
    const revenue = sold.reduce((sum, { total, refunded }) => sum + total - refunded, 0);
    assert.equal(wallets + revenue, this.#shop.deposits, 'money came from nowhere, or went there');
    assert.equal(this.#state.ledger.revenueMicros, revenue * 1e6);
  }

  /**
   * Asserts that every text that suppliers delivered is in a place, of any product, whatever became of the purchase,
   * unless an operator gave up a purchase that delivered it. A supplier may sell one text twice: its second copy is a
   * duplicate and enters no stock, so when the operator gives up the purchase with the first one, there is none left.
   */
  items(purchases: readonly SimulatedPurchase[]): void {
    const places = new Set(this.places().map(({ text }) => text));
    const isGivenUp = ({ supplierPurchase: { supplierPurchaseId } }: SimulatedPurchase) =>
      this.#shop.supplierPurchases[supplierPurchaseId - 1]?.isGivenUp === true;
    const dropped = new Set(purchases.filter(isGivenUp).flatMap(deliveredTexts));
    for (const purchase of purchases.filter((one) => !isGivenUp(one))) {
      for (const text of deliveredTexts(purchase)) {
        const isSellable = text !== ' ';
        if (isSellable && dropped.has(text)) continue;
        assert.equal(places.has(text), isSellable, `${text} of ${purchase.supplierPurchase.reference}`);
      }
    }
  }

  /** Every text that is for sale, or ever was, or was delivered without; each as often as it is. */
  places(): Place[] {
    const found: Place[] = [];
    for (let productId = 1; productId <= TYPES.length; productId += 1) {
      const { end, withdrawn } = productStockOf(this.#state, productId);
      for (const [item, text] of this.#texts.itemsOf(productId).slice(0, end).entries()) {
        found.push({ productId, text, isWithdrawn: isIn(withdrawn, item) });
      }
    }
    for (let orderId = 1; orderId <= this.#state.lastOrderId; orderId += 1) {
      const order = this.#order(orderId);
      if (order.textCount === 0) continue;
      const { productId } = order;
      found.push(...this.#soldTextsOf(order).map((text) => ({ productId, text, isWithdrawn: false })));
    }
    return found;
  }

  /** The texts that an order delivers now. */
  textsOf(order: Order): readonly string[] {
    const texts = [...this.#soldTextsOf(order)];
    for (const [place, item] of replacedItems(order.adjustments)) {
      if (place < texts.length) texts[place] = this.#texts.itemsOf(order.productId)[item] ?? assert.fail();
    }
    return texts;
  }

  #soldTextsOf({ orderId, productId, firstItem, quantity, textCount, status }: Order): readonly string[] {
    if (status !== 'completed' && status !== 'refunded') return [];
    if (textCount > 0) {
      const texts = this.#texts.textsOf(orderId);
      assert.equal(texts.length, textCount, `the texts of order ${orderId}`);
      return texts;
    }
    if (firstItem === NO_ITEM) return [];
    const items = this.#texts.itemsOf(productId);
    return this.#state.stock
      .itemsFrom(productId, firstItem, quantity)
      .flatMap((range) => items.slice(range.firstItem, range.firstItem + range.count));
  }

  #order(orderId: number): Order {
    return orderOf(this.#state, this.#history, orderId) ?? assert.fail(`no order ${orderId}`);
  }
}

/** The texts that a supplier delivered for a purchase. */
function deliveredTexts({ fate }: SimulatedPurchase): readonly string[] {
  return typeof fate === 'object' ? fate : [];
}
