/** Money back: all that is left, an amount, or the share of some items; each with a key, and again with the same one. */
import assert from 'node:assert/strict';
import { type LedgerOrder, type LedgerRefund, refundedMicros, shareMicros, usdt } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month } from '../month.ts';

export interface RefundedOrder {
  readonly orderId: number;
  readonly status: string;
  readonly refundedUsdt: number;
  readonly balanceUsdt: number;
  readonly repeated?: boolean;
}

const OPERATOR = 'anna';

/** In the account's turn; so are the others. Only of what is completed, with something left. */
export async function refundAll(month: Month, order: LedgerOrder): Promise<void> {
  const rest = order.totalMicros - refundedMicros(order);
  await refund(month, order, {}, rest, []);
}

export async function refundAmount(
  month: Month,
  order: LedgerOrder,
  micros = amountFor(month, order),
): Promise<void> {
  await refund(month, order, { amountUsdt: usdt(micros) }, micros, []);
}

/** Now and then all of it. */
function amountFor({ random }: Month, order: LedgerOrder): number {
  const rest = order.totalMicros - refundedMicros(order);
  return random.chance(0.1) ? rest : random.between(1, rest);
}

/** Not after an amount. */
export async function refundItems(month: Month, order: LedgerOrder, count?: number): Promise<void> {
  const gone = new Set(order.refunds.flatMap(({ items }) => items));
  const left = order.texts.map((_, item) => item).filter((item) => !gone.has(item));
  const items = month.random.sample(left, count ?? month.random.between(1, left.length));
  const micros = items.reduce((sum, item) => sum + shareMicros(order, item), 0);
  await refund(month, order, { items }, micros, items);
}

/** A retry never pays twice. */
export async function repeatRefund(
  { shop }: Month,
  order: LedgerOrder,
  { key, body }: LedgerRefund,
): Promise<void> {
  const { answer } = await shop.insist(() =>
    shop.tell<RefundedOrder>(OPERATOR, 'POST', `/orders/${order.orderId}/refund`, body, {
      'idempotency-key': key,
    }),
  );
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
  const sent = who.reason === undefined ? body : { ...body, reason: who.reason };
  const { answer, isFirst } = await shop.insist(() =>
    shop.tell<RefundedOrder>(OPERATOR, 'POST', `/orders/${orderId}/refund`, sent, { 'idempotency-key': key }),
  );
  const { shift } = shop;
  const { accountId } = account;
  assert.ok(!(isFirst && answer.repeated === true), 'the key was used before');
  order.refunds = [...order.refunds, { shift, key, body, micros, items, ...who }];
  if (refundedMicros(order) === order.totalMicros) order.status = 'refunded';
  ledger.move(account, { shift, kind: 'refund', micros, orderId, ...who });
  ledger.entries.push({ shift, kind: 'refund', micros, accountId, productId: product.productId });
  enterDeed(month, who, 'OrderRefunded', {
    ...(answer.repeated === true ? {} : { requestId: answer.requestId }),
    orderId,
    accountId,
    productId: product.productId,
  });
  assertRefunded(order, answer);
}

function assertRefunded(order: LedgerOrder, answer: RefundedOrder): void {
  const { orderId, status, refundedUsdt, balanceUsdt } = answer;
  assert.deepEqual(
    { orderId, status, refundedUsdt, balanceUsdt },
    {
      orderId: order.orderId,
      status: order.status,
      refundedUsdt: usdt(refundedMicros(order)),
      balanceUsdt: usdt(order.account.balanceMicros),
    },
  );
}
