/**
 * A list of orders as columns: numbers side by side in one array, keys in another, and what few orders have beside.
 *
 * Tens of thousands of orders are younger than the checkpoint at any time, and each lives just long enough to be
 * copied twice and marked by the garbage collector before it is forgotten. As columns there is nothing for it to look
 * at, where an order has five objects. An order is put together again when it is asked for, and is equal to the one
 * that was added, not the same.
 */
import { type Adjustment, NO_ADJUSTMENTS } from '../adjustments.ts';
import { BrokenInvariantError } from '../apply/broken-invariant.ts';
import { NO_KEY, ORDER_STATUSES, type Order } from '../orders.ts';
import { PRICE_RULES } from '../pricing/price-rule.ts';
import { emptied, grown } from './kept-room.ts';
import { KeyTexts } from './key-texts.ts';

/** Numbers of an order. */
const WIDTH = 14;
/** In place of a rule, or of a list, that an order doesn't have. */
const NONE = 0;
const FIRST_ORDERS = 2 ** 11;

/** The fields of an order that say what it cost, when, and whether a buyer's key asked for it. */
export interface OrderCost
  extends Pick<Order, 'orderId' | 'totalMicros' | 'createdAtMs' | 'status' | 'adjustments'> {
  readonly isKeyed: boolean;
  readonly paidAtMs: number | undefined;
}

const NO_COST: OrderCost = {
  orderId: 0,
  totalMicros: 0,
  createdAtMs: 0,
  status: 'processing',
  adjustments: NO_ADJUSTMENTS,
  isKeyed: false,
  paidAtMs: undefined,
};

export function costOf({ idempotencyKey, paidAtMs, ...order }: Order): OrderCost {
  return { ...order, isKeyed: idempotencyKey !== NO_KEY, paidAtMs };
}

export class OrderColumns {
  #numbers = new Float64Array(FIRST_ORDERS * WIDTH);
  readonly #keys = new KeyTexts();
  /** By index, of the orders that have one. */
  readonly #recipients = new Map<number, string>();
  readonly #fileIds = new Map<number, string>();
  readonly #adjustments = new Map<number, readonly Adjustment[]>();
  readonly #paidAtMs = new Map<number, number>();

  get count(): number {
    return this.#keys.count;
  }

  push(order: Order): void {
    const index = this.count;
    if ((index + 1) * WIDTH > this.#numbers.length) this.#numbers = grown(this.#numbers);
    this.#keys.push(order.idempotencyKey);
    this.#write(index, order);
  }

  /** Puts `order` in the place of the one at `index`, whose key it has. */
  set(index: number, order: Order): void {
    if (!this.#keys.is(index, order.idempotencyKey)) {
      throw new BrokenInvariantError(`order ${order.orderId} has a different key than before`);
    }
    this.#write(index, order);
  }

  /** Whether the one at `index` was asked for by the account with the key. */
  isOf(index: number, accountId: number, idempotencyKey: string): boolean {
    return this.#has(index) && this.#number(index, 1) === accountId && this.#keys.is(index, idempotencyKey);
  }

  at(index: number): Order | undefined {
    if (!this.#has(index)) return undefined;
    const status = ORDER_STATUSES[this.#number(index, 10)];
    if (status === undefined) {
      throw new BrokenInvariantError(`the order at ${index} of ${this.count} is not whole`);
    }
    const paidAtMs = this.#paidAtMs.get(index);
    return {
      orderId: this.#number(index, 0),
      accountId: this.#number(index, 1),
      idempotencyKey: this.#keys.at(index),
      productId: this.#number(index, 2),
      quantity: this.#number(index, 3),
      expectedPriceUsdt: this.#number(index, 4),
      recipientUsername: this.#recipients.get(index) ?? null,
      requestNumber: this.#number(index, 11),
      status,
      totalMicros: this.#number(index, 5),
      balanceAfterMicros: this.#number(index, 6),
      firstItem: this.#number(index, 7),
      fileId: this.#fileIds.get(index) ?? null,
      textCount: this.#number(index, 8),
      createdAtMs: this.#number(index, 9),
      adjustments: this.#adjustments.get(index) ?? NO_ADJUSTMENTS,
      priceRule: PRICE_RULES[this.#number(index, 12) - 1] ?? null,
      priceListId: this.#number(index, 13) || null,
      ...(paidAtMs === undefined ? undefined : { paidAtMs }),
    };
  }

  /** Gives `take` what each order of the account cost and when, in one object, which is the next order's after that. */
  eachCost(accountId: number, take: (cost: OrderCost) => void): void {
    const cost: { -readonly [Field in keyof OrderCost]: OrderCost[Field] } = { ...NO_COST };
    const [numbers, { count }] = [this.#numbers, this];
    for (let index = 0, at = 0; index < count; index += 1, at += WIDTH) {
      if (numbers[at + 1] !== accountId) continue;
      cost.orderId = numbers[at] ?? 0;
      cost.isKeyed = !this.#keys.is(index, NO_KEY);
      cost.totalMicros = numbers[at + 5] ?? 0;
      cost.createdAtMs = numbers[at + 9] ?? 0;
      cost.status = ORDER_STATUSES[numbers[at + 10] ?? 0] ?? cost.status;
      cost.adjustments = this.#adjustments.get(index) ?? NO_ADJUSTMENTS;
      cost.paidAtMs = this.#paidAtMs.get(index);
      take(cost);
    }
  }

  /** Forgets all orders. */
  clear(): void {
    this.#numbers = emptied(this.#numbers, this.count * WIDTH, FIRST_ORDERS * WIDTH);
    this.#keys.clear();
    this.#recipients.clear();
    this.#fileIds.clear();
    this.#adjustments.clear();
    this.#paidAtMs.clear();
  }

  #write(index: number, order: Order): void {
    put(this.#recipients, index, order.recipientUsername);
    put(this.#fileIds, index, order.fileId);
    put(this.#paidAtMs, index, order.paidAtMs ?? null);
    put(this.#adjustments, index, order.adjustments.length === 0 ? null : order.adjustments);
    const numbers = this.#numbers;
    const at = index * WIDTH;
    numbers[at] = order.orderId;
    numbers[at + 1] = order.accountId;
    numbers[at + 2] = order.productId;
    numbers[at + 3] = order.quantity;
    numbers[at + 4] = order.expectedPriceUsdt;
    numbers[at + 5] = order.totalMicros;
    numbers[at + 6] = order.balanceAfterMicros;
    numbers[at + 7] = order.firstItem;
    numbers[at + 8] = order.textCount;
    numbers[at + 9] = order.createdAtMs;
    numbers[at + 10] = ORDER_STATUSES.indexOf(order.status);
    numbers[at + 11] = order.requestNumber;
    numbers[at + 12] = order.priceRule === null ? NONE : PRICE_RULES.indexOf(order.priceRule) + 1;
    numbers[at + 13] = order.priceListId ?? NONE;
  }

  /** Asked first: what lies outside an array takes ten times as long to be found missing. */
  #has(index: number): boolean {
    return index >= 0 && index < this.count;
  }

  #number(index: number, column: number): number {
    return this.#numbers[index * WIDTH + column] ?? 0;
  }
}

function put<Value>(values: Map<number, Value>, index: number, value: Value | null): void {
  if (value !== null) values.set(index, value);
  else if (values.size > 0) values.delete(index);
}
