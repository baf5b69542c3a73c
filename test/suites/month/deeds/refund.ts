/** Money back: all that is left, an amount, or the share of some items; each with a key, and again with the same one. */
import assert from 'node:assert/strict';
import { type LedgerOrder, refundedMicros, shareMicros, unrefundedPlaces, usdt } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month, saying } from '../month.ts';

interface RefundedOrder {
  readonly orderId: number;
  readonly status: string;
  readonly refundedUsdt: number;
  readonly balanceUsdt: number;
  readonly repeated?: boolean;
}

const OPERATOR = 'anna';

/** In the account's turn; so are the others. Only of what is completed, with something left. */
export function refundAll(month: Month, order: LedgerOrder): Promise<void> {
  return refund(month, order, {}, order.totalMicros - refundedMicros(order), []);
}

/** Now and then all of it. */
export function refundAmount(month: Month, order: LedgerOrder): Promise<void> {
  const rest = order.totalMicros - refundedMicros(order);
  const micros = month.random.chance(0.1) ? rest : month.random.between(1, rest);
  return refund(month, order, { amountUsdt: usdt(micros) }, micros, []);
}

/** Not after an amount. */
export function refundItems(month: Month, order: LedgerOrder): Promise<void> {
  const left = unrefundedPlaces(order);
  const items = month.random.sample(left, month.random.between(1, left.length));
  const micros = items.reduce((sum, item) => sum + shareMicros(order, item), 0);
  return refund(month, order, { items }, micros, items);
}

/** A retry never pays twice. */
export async function repeatRefund({ shop, random }: Month, order: LedgerOrder): Promise<void> {
  const { key, body } = random.pick(order.refunds);
  const path = `/orders/${order.orderId}/refund`;
  const headers = { 'idempotency-key': key };
  const { answer } = await shop.insist(() => shop.tell<RefundedOrder>(OPERATOR, 'POST', path, body, headers));
  assertRefunded(order, answer);
}

async function refund(
  month: Month,
  order: LedgerOrder,
  body: object,
  micros: number,
  items: readonly number[],
): Promise<void> {
  const { shop, ledger } = month;
  const { account, product, orderId } = order;
  const who = by(month, OPERATOR);
  const key = freshKey(month, 'refund');
  const path = `/orders/${orderId}/refund`;
  const { answer, isFirst } = await shop.insist(() =>
    shop.tell<RefundedOrder>(OPERATOR, 'POST', path, saying(who, body), { 'idempotency-key': key }),
  );
  const { shift } = shop;
  const isRepeated = answer.repeated === true;
  assert.ok(!(isFirst && isRepeated), 'the key was used before');
  order.refunds = [...order.refunds, { key, body, micros, items }];
  if (refundedMicros(order) === order.totalMicros) order.status = 'refunded';
  ledger.move(account, { shift, kind: 'refund', micros, orderId, ...who });
  const of = { accountId: account.accountId, productId: product.productId };
  ledger.entries.push({ shift, kind: 'refund', micros, ...of });
  const requestId = isRepeated ? undefined : answer.requestId;
  enterDeed(month, who, 'OrderRefunded', { requestId, orderId, ...of });
  assertRefunded(order, answer);
}

function assertRefunded(order: LedgerOrder, answer: RefundedOrder): void {
  assert.deepEqual(
    [answer.orderId, answer.status, answer.refundedUsdt, answer.balanceUsdt],
    [order.orderId, order.status, usdt(refundedMicros(order)), usdt(order.account.balanceMicros)],
  );
}
