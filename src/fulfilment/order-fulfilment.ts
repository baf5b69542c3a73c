/**
 * Deliveries of orders. Completes pending orders: writes their texts, then submits the fact. A supplier's items are
 * compared with all texts that the shop ever had; an operator's are not, but count as texts of the product from then
 * on.
 *
 * Invariant: texts are durable before the fact, and never overwritten after it, because only one caller at a time
 * completes an order, and checks the order before writing. If the fact is refused, the texts stay, read by nobody,
 * until the next attempt, or until the order has ended without them.
 */
import { replacedItems } from '../engine/adjustments.ts';
import type { History } from '../engine/decide/history.ts';
import { orderOf } from '../engine/decide/history.ts';
import { Rejection } from '../engine/decide/rejection.ts';
import type { ItemRange } from '../engine/item-ranges.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { isAllowed } from '../engine/order-lifecycle.ts';
import { NO_ITEM, type Order } from '../engine/orders.ts';
import type { Origin } from '../engine/origin.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import { deliveryMac } from '../persistence/stock/delivered/delivery-mac.ts';
import type { DeliveredProduct } from '../persistence/stock/delivered/order-texts-store.ts';
import { firstOtherText } from '../persistence/stock/outstanding-texts.ts';
import { durableStockOf } from '../persistence/stock/product-stock.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';

/** Each holds its texts in memory. */
const MAX_UNDER_WAY = 64;
/**
 * For suppliers' first answers, and again for their later ones: thousands may arrive at once, and may take half of
 * `MAX_UNDER_WAY` together; the rest is for operators.
 */
export const MAX_SUPPLIED_AT_ONCE = 16;

/**
 * The number of texts that, from one place or two, are opened within a few milliseconds even when they are the longest.
 */
const FEW_TEXTS = 16;

/** The product had one of the texts before, so none was written. */
export const HAD_BEFORE = 'had before';

/** A supplier purchase that ends with the order; and what may refuse its completion, asked when nobody else completes it. */
interface Completion {
  readonly supplierPurchaseId?: number;
  readonly itemsMac?: string;
  readonly refusal?: () => Promise<Rejection | undefined>;
}

/** The texts that orders deliver. */
export type OrderTexts = Pick<OrderFulfilment, 'itemsOf' | 'areMany' | 'textsOf'>;

export class OrderFulfilment {
  readonly #engine: Engine;
  readonly #history: History;
  readonly #stock: StockStore;
  readonly #macKey: Uint8Array;
  readonly #underWay = new Set<number>();

  /** `macKey`: of `macOf`; it must never change. */
  constructor(engine: Engine, history: History, stock: StockStore, macKey: Uint8Array) {
    this.#engine = engine;
    this.#history = history;
    this.#stock = stock;
    this.#macKey = macKey;
  }

  /**
   * The texts that an order delivers: its own, or its items', and new ones for those that were replaced. Throws what
   * `StockStore` throws.
   */
  readonly itemsOf = (order: Order): string[] => {
    if (this.areMany(order)) return Array.from(this.textsOf(order));
    const { orderId, productId, firstItem, quantity, textCount } = order;
    if (textCount > 0) return this.#stock.readOrderTexts(orderId, textCount);
    if (firstItem === NO_ITEM) return [];
    const { end } = this.#engine.state.stock.of(productId);
    return this.#stock.readItems(productId, firstItem, quantity, end);
  };

  /** Whether its texts may take long to open: there are many, or they are from several places. */
  readonly areMany = ({ productId, firstItem, quantity, textCount, adjustments }: Order): boolean =>
    Math.max(quantity, textCount) > FEW_TEXTS ||
    adjustments.length > 0 ||
    (firstItem !== NO_ITEM && !this.#engine.state.stock.isWholeFrom(productId, firstItem));

  /** The texts of `itemsOf`, each opened when it is asked for; which ones those are is decided now. */
  readonly textsOf = (order: Order): Iterable<string> => {
    const { orderId, productId, firstItem, quantity, textCount } = order;
    const { stock } = this.#engine.state;
    const { end } = stock.of(productId);
    const replaced = replacedItems(order.adjustments);
    if (textCount > 0) return this.#ownTexts(orderId, textCount, productId, replaced, end);
    if (firstItem === NO_ITEM) return [];
    const sold = stock.itemsFrom(productId, firstItem, quantity);
    const ranges = replaced.size === 0 ? sold : withReplaced(sold, replaced);
    return this.#stock.itemsOf(productId, ranges, end);
  };

  *#ownTexts(
    orderId: number,
    count: number,
    productId: number,
    replaced: ReadonlyMap<number, number>,
    end: number,
  ): Generator<string> {
    const own = this.#stock.orderBlock(orderId, count);
    for (let place = 0; place < count; place += 1) {
      const item = replaced.get(place);
      yield item === undefined ? own.textAt(place) : this.#stock.readItems(productId, item, 1, end).join();
    }
  }

  /**
   * By hand. Resolves with the completed order, durable, or with the refusal. `texts` may be none. Rejects with what
   * `OrderTextsStore.write` does; then nothing has changed, and it may be tried again.
   */
  async complete(orderId: number, texts: readonly string[], origin?: Origin): Promise<Order | Rejection> {
    const order = orderOf(this.#engine.state, this.#history, orderId);
    const of = { productId: order?.productId ?? 0 };
    const refusal = async () => order && (await this.#otherTexts(order, texts));
    const completed = await this.#complete(orderId, texts, of, { refusal }, origin);
    if (completed === HAD_BEFORE) throw new Error('texts were compared that were not to be');
    return completed;
  }

  /**
   * With a supplier's items; the fact also ends the supplier purchase. Resolves with `HAD_BEFORE`, and changes nothing,
   * when the product had one of the items, unless they were claimed. Otherwise like `complete`.
   */
  async deliver(
    orderId: number,
    items: readonly string[],
    purchase: SupplierPurchase,
  ): Promise<Order | Rejection | typeof HAD_BEFORE> {
    const { supplierPurchaseId, productId } = purchase;
    const itemsMac = await this.macOf(purchase, items);
    const readStock = () => durableStockOf(this.#engine, productId);
    const of = { productId, supplierPurchaseId, readStock };
    return await this.#complete(orderId, items, of, { supplierPurchaseId, itemsMac });
  }

  /** The MAC by which a supplier's items are known when it delivers them again. */
  macOf({ reference }: SupplierPurchase, items: readonly string[]): Promise<string> {
    return deliveryMac(this.#macKey, reference, items);
  }

  /**
   * Before the order exists: reserves the items for this supplier purchase, until they are delivered or `dropReservation` is
   * called. Resolves with false when the product had one of them. Rejects with what `OrderTextsStore.reservation` does.
   */
  async reservation(
    items: readonly string[],
    { supplierPurchaseId, productId }: SupplierPurchase,
  ): Promise<boolean> {
    const readStock = () => durableStockOf(this.#engine, productId);
    return await this.#stock.orderTexts.reservation({ supplierPurchaseId, texts: items, readStock });
  }

  /** May be called for a supplier purchase that has no reservation. */
  dropReservation({ supplierPurchaseId }: SupplierPurchase): void {
    this.#stock.orderTexts.dropReservation(supplierPurchaseId);
  }

  /**
   * Removes texts that were written for an order that wasn't completed with them (the fact was refused, or a crash came
   * first), so that they can be delivered or uploaded again. Only for an order that has ended, or is ended next. False,
   * and nothing removed, while the order is being completed. Rejects with what `OrderTextsStore.remove` does.
   */
  async forget(orderId: number): Promise<boolean> {
    if (this.#underWay.has(orderId)) return false;
    const order = orderOf(this.#engine.state, this.#history, orderId);
    if (order?.textCount === 0) await this.#stock.orderTexts.remove(orderId);
    return true;
  }

  /** While nobody completes the order. Resolves with undefined, and nothing done, when somebody does. */
  async alone<Result>(orderId: number, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#underWay.has(orderId)) return undefined;
    this.#underWay.add(orderId);
    try {
      return await work();
    } finally {
      this.#underWay.delete(orderId);
    }
  }

  /** Why these texts can't complete an order that was delivered before, in a gap: its buyer has others. */
  async #otherTexts(
    { orderId, productId, status }: Order,
    texts: readonly string[],
  ): Promise<Rejection | undefined> {
    const outstanding = this.#engine.state.stock.lost(productId)?.outstandingOf(orderId);
    const count = outstanding?.itemHashes.length ?? 0;
    if (outstanding === undefined || count === 0 || texts.length === 0 || status !== 'pending_delivery')
      return undefined;
    const other = await firstOtherText(outstanding, texts);
    if (other < 0 && texts.length === count) return undefined;
    const what =
      other < 0 || other >= count
        ? `these are ${texts.length}, and it had ${count}`
        : `number ${other + 1} is another text`;
    const message = `items: order ${orderId} was delivered before, as its receipt says, and must be completed with the same texts in the same order: ${what}. Its buyer has them, too.`;
    return new Rejection('BAD_REQUEST', message);
  }

  async #complete(
    orderId: number,
    texts: readonly string[],
    of: DeliveredProduct,
    { refusal, ...ends }: Completion,
    origin?: Origin,
  ): Promise<Order | Rejection | typeof HAD_BEFORE> {
    if (this.#underWay.has(orderId)) {
      return new Rejection('TRANSITION_NOT_ALLOWED', `Order ${orderId} is being completed at this moment.`);
    }
    if (this.#underWay.size >= MAX_UNDER_WAY) return new Rejection('RATE_LIMITED');
    this.#underWay.add(orderId);
    try {
      const refused = await refusal?.();
      if (refused !== undefined) return refused;
      const textCount = texts.length;
      const areTextsWritten = textCount > 0 && this.#isPending(orderId);
      if (areTextsWritten && !(await this.#stock.orderTexts.write(orderId, texts, of))) return HAD_BEFORE;
      const completed = await new Promise<Order | Rejection>((resolve) => {
        const command = { kind: 'CompleteOrder', orderId, textCount, areTextsWritten, ...ends } as const;
        this.#engine.submit(command, resolve, origin);
      });
      if (areTextsWritten && completed instanceof Rejection && this.#hasEndedWithoutTexts(orderId)) {
        await this.#stock.orderTexts.remove(orderId);
      }
      return completed;
    } finally {
      this.#underWay.delete(orderId);
    }
  }

  #isPending(orderId: number): boolean {
    const order = orderOf(this.#engine.state, this.#history, orderId);
    return order !== undefined && isAllowed(order.status, 'OrderDelivered', 'completed');
  }

  #hasEndedWithoutTexts(orderId: number): boolean {
    const order = orderOf(this.#engine.state, this.#history, orderId);
    if (order === undefined || order.textCount > 0) return false;
    return order.status !== 'processing' && order.status !== 'pending_delivery';
  }
}

/** The items of an order one by one, with new ones in the places of those that were replaced. */
function* withReplaced(
  sold: Iterable<ItemRange>,
  replaced: ReadonlyMap<number, number>,
): Generator<ItemRange> {
  let place = 0;
  for (const { firstItem, count } of sold) {
    for (let item = firstItem; item < firstItem + count; item += 1) {
      yield { firstItem: replaced.get(place) ?? item, count: 1 };
      place += 1;
    }
  }
}
