/** Orders that support moves on: those that wait for delivery, and those from the bot. */
import assert from 'node:assert/strict';
import {
  type By,
  inTurn,
  type LedgerAccount,
  type LedgerOrder,
  type LedgerProduct,
  refundedMicros,
} from '../ledger.ts';
import { by, enterDeed, freshKey, type Month } from '../month.ts';

interface OrderBody {
  readonly orderId: number;
  readonly status: string;
  readonly createdAt: number;
  readonly totalPriceUsdt: number;
  readonly delivery?: { readonly items?: readonly string[] };
}

const OPERATOR = 'anna';

/** It is delivered by hand. */
export function complete(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const { ledger } = month;
    const items = Array.from({ length: order.quantity }, () => freshKey(month, 'by hand'));
    const { body } = await step(month, order, 'complete', { items }, 'OrderDelivered');
    assert.equal(body.status, 'completed');
    order.status = 'completed';
    order.texts = items;
    for (const text of items) ledger.sell(text, order);
  });
}

/** What was not refunded is returned. */
export function fail(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const { shop, ledger } = month;
    const { account, orderId } = order;
    const { body, who } = await step(month, order, 'fail', {}, 'OrderFailed');
    assert.equal(body.status, 'failed');
    order.status = 'failed';
    const micros = order.totalMicros - refundedMicros(order);
    const { accountId } = account;
    const { productId } = order.product;
    ledger.move(account, { shift: shop.shift, kind: 'return', micros, orderId, ...who });
    ledger.entries.push({ shift: shop.shift, kind: 'refund', micros, accountId, productId });
  });
}

/** From the bot: it waits for payment. */
export async function open(
  month: Month,
  account: LedgerAccount,
  product: LedgerProduct,
): Promise<LedgerOrder> {
  const { shop, ledger } = month;
  const { accountId } = account;
  const { productId } = product;
  const who = by(month, OPERATOR);
  const { shift } = shop;
  const body = await shop.tell<OrderBody>(OPERATOR, 'POST', '/orders', {
    accountId,
    productId,
    quantity: 1,
    ...(who.reason === undefined ? {} : { reason: who.reason }),
  });
  const { orderId, createdAt, status, requestId } = body;
  assert.equal(status, 'processing');
  const totalMicros = Math.round(body.totalPriceUsdt * 1e6);
  const order: LedgerOrder = {
    ...{ orderId, account, product, createdAt, status, requestId, shift, totalMicros },
    ...{ quantity: 1, texts: [], refunds: [], replacements: [] },
  };
  account.orders.push(order);
  ledger.orders.push(order);
  enterDeed(month, who, 'OrderOpened', { requestId, orderId, accountId, productId });
  return order;
}

/** Unless the buyers have left nothing of it, or have nothing left. */
export function pay(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const { shop, ledger } = month;
    const { account, product, orderId, totalMicros: micros } = order;
    const of = { orderId, accountId: account.accountId, productId: product.productId };
    const who = by(month, OPERATOR);
    const path = `/orders/${orderId}/pay`;
    const sent = who.reason === undefined ? {} : { reason: who.reason };
    const { status, body, text } = await shop.ask<OrderBody>(OPERATOR, 'POST', path, sent);
    if (body.error === 'OUT_OF_STOCK' || body.error === 'INSUFFICIENT_BALANCE') return;
    assert.deepEqual([status, body.status], [200, 'completed'], text);
    order.status = 'completed';
    order.texts = [...(body.delivery?.items ?? [])];
    for (const item of order.texts) ledger.sell(item, order);
    const { shift } = shop;
    ledger.move(account, { shift, kind: 'purchase', micros: -micros, orderId, ...who });
    ledger.entries.push({ shift, kind: 'sale', micros, accountId: of.accountId, productId: of.productId });
    enterDeed(month, who, 'OrderPaid', { ...of, requestId: body.requestId });
    if (order.texts.length > 0) enterDeed(month, who, 'ItemTextsShown', { ...of, requestId: body.requestId });
  });
}

async function step(
  month: Month,
  { orderId, account, product }: LedgerOrder,
  name: string,
  fields: object,
  action: string,
): Promise<{ body: OrderBody; who: By }> {
  const who = by(month, OPERATOR);
  const sent = { ...fields, ...(who.reason === undefined ? {} : { reason: who.reason }) };
  const body = await month.shop.tell<OrderBody>(OPERATOR, 'POST', `/orders/${orderId}/${name}`, sent);
  const { accountId } = account;
  const { productId } = product;
  enterDeed(month, who, action, { requestId: body.requestId, orderId, accountId, productId });
  return { body, who };
}
