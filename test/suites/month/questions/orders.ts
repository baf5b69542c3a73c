/** Orders of which money was given back, and the newest: as support sees them, with their texts. */
import assert from 'node:assert/strict';
import { inTurn, refundedMicros, usdt } from '../ledger.ts';
import type { Month } from '../month.ts';
import { repeatRefund } from '../operators.ts';

interface OrderRow {
  readonly accountId: number;
  readonly productId: number;
  readonly status: string;
  readonly quantity: number;
  readonly totalPriceUsdt: number;
  readonly createdAt: number;
  readonly idempotencyKey: string;
  readonly refundedUsdt?: number;
  readonly delivery?: { readonly items?: readonly string[] };
}

export async function byId({ shop, ledger, random }: Month): Promise<void> {
  const refunded = ledger.orders.filter(({ refunds }) => refunds.length > 0);
  for (const order of [...random.sample(refunded, 20), ...ledger.orders.slice(-5)]) {
    const row = await shop.tell<OrderRow>('anna', 'GET', `/orders/${order.orderId}`);
    assert.deepEqual(
      [row.accountId, row.productId, row.status, row.quantity, row.totalPriceUsdt, row.refundedUsdt ?? 0],
      [
        order.account.accountId,
        order.product.productId,
        order.status,
        order.quantity,
        usdt(order.totalMicros),
        usdt(refundedMicros(order)),
      ],
    );
    assert.deepEqual([row.createdAt, row.idempotencyKey], [order.createdAt, order.key]);
    if (order.status === 'completed') assert.deepEqual(row.delivery?.items, order.texts);
  }
}

/** Also of what is wholly refunded by now, and days later. */
export async function repeatedRefunds(month: Month): Promise<void> {
  const refunded = month.ledger.orders.filter(({ refunds }) => refunds.length > 0);
  for (const order of month.random.sample(refunded, 15)) {
    await inTurn(order.account, () => repeatRefund(month, order));
  }
}
