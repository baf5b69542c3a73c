/** Orders that wait for delivery: support delivers them by hand, or they fail. */
import assert from 'node:assert/strict';
import { inTurn, type LedgerOrder, refundedMicros } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month, saying, type Who } from '../month.ts';

const OPERATOR = 'anna';

export function complete(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const items = Array.from({ length: order.quantity }, () => freshKey(month, 'by hand'));
    await step(month, order, 'complete', { items }, 'OrderDelivered');
    order.status = 'completed';
    order.texts = items;
    for (const text of items) month.ledger.sell(text, order);
  });
}

/** What was not refunded is returned. */
export function fail(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const { shop, ledger } = month;
    const { account, orderId, product } = order;
    const who = await step(month, order, 'fail', {}, 'OrderFailed');
    order.status = 'failed';
    const micros = order.totalMicros - refundedMicros(order);
    const { shift } = shop;
    ledger.move(account, { shift, kind: 'return', micros, orderId, ...who });
    const { accountId } = account;
    ledger.entries.push({ shift, kind: 'refund', micros, accountId, productId: product.productId });
  });
}

async function step(
  month: Month,
  { orderId, account, product }: LedgerOrder,
  name: 'complete' | 'fail',
  fields: object,
  action: string,
): Promise<Who> {
  const who = by(month, OPERATOR);
  const path = `/orders/${orderId}/${name}`;
  const told = await month.shop.tell<{ status: string }>(OPERATOR, 'POST', path, saying(who, fields));
  assert.equal(told.status, name === 'fail' ? 'failed' : 'completed');
  const of = { orderId, accountId: account.accountId, productId: product.productId };
  enterDeed(month, who, action, { requestId: told.requestId, ...of });
  return who;
}
