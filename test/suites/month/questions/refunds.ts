/** What refunds, whole and in part, come to, that a retry pays nothing, and what is refused and changes nothing. */
import assert from 'node:assert/strict';
import { forEachAtOnce } from '../at-once.ts';
import { repeatRefund } from '../deeds/refund.ts';
import { inTurn, type LedgerOrder, refundedMicros, usdt } from '../ledger.ts';
import type { Month } from '../month.ts';

interface RefundedRow {
  readonly status: string;
  readonly refundedUsdt?: number;
}

export async function sumsOfParts(month: Month): Promise<void> {
  const { shop, ledger, random, isLong } = month;
  const parted = ledger.orders.filter(({ refunds }) => refunds.length > 1);
  assert.ok(parted.length > 0, 'the month has orders with several refunds');
  await forEachAtOnce(random.sample(parted.slice(-1_000), isLong ? 200 : 20), async (order) => {
    const row = await shop.tell<RefundedRow>('dora', 'GET', `/orders/${order.orderId}`);
    assert.deepEqual([row.status, row.refundedUsdt], [order.status, usdt(refundedMicros(order))]);
  });
}

/** Also of what is wholly refunded by now, and days later. */
export async function retriesPayNothing(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  const refunded = ledger.orders.filter(({ refunds }) => refunds.length > 0);
  await forEachAtOnce(random.sample(refunded.slice(-1_000), isLong ? 100 : 15), (order) =>
    inTurn(order.account, () => repeatRefund(month, order, random.pick(order.refunds))),
  );
}

export async function whatIsRefused(month: Month): Promise<void> {
  const { ledger } = month;
  const isOpen = (order: LedgerOrder) =>
    order.status === 'completed' && order.product.kind === 'stock' && order.texts.length === order.quantity;
  const fresh = ledger.orders.find((order) => isOpen(order) && order.refunds.length === 0);
  const withAmount = ledger.orders.find(
    (order) => isOpen(order) && order.refunds.some(({ items }) => items.length === 0),
  );
  const withItems = ledger.orders.find(
    (order) => isOpen(order) && order.refunds.some(({ items }) => items.length > 0),
  );
  const processing = ledger.orders.find(({ status }) => status === 'processing');
  assert.ok(fresh && withAmount && withItems && processing, 'the month has one of each');
  const tooMuch = usdt(fresh.totalMicros + 10_000);
  const [given] = withItems.refunds;
  const cases: readonly [
    title: string,
    order: LedgerOrder,
    body: object,
    key: string | null,
    status: number[],
  ][] = [
    ['a part without a key', fresh, { amountUsdt: 0.01 }, null, [400]],
    ['an amount and items', fresh, { amountUsdt: 0.01, items: [0] }, 'both', [400]],
    ['nothing', fresh, { amountUsdt: 0 }, 'zero', [400]],
    ['less than nothing', fresh, { amountUsdt: -1 }, 'negative', [400]],
    ['no items', fresh, { items: [] }, 'empty', [400]],
    ['an item twice', fresh, { items: [0, 0] }, 'twice', [400]],
    ['an item that it has not', fresh, { items: [fresh.quantity] }, 'beyond', [400]],
    ['more than is left', fresh, { amountUsdt: tooMuch }, 'too much', [400, 409]],
    ['items after an amount', withAmount, { items: [0] }, 'items', [409]],
    ['an item once more', withItems, { items: given?.items }, 'again', [409]],
    ['another body', withItems, { amountUsdt: 0.01 }, given?.key ?? '', [409]],
    ['what was never paid', processing, {}, 'unpaid', [409]],
  ];
  for (const [title, order, body, key, statuses] of cases) {
    const before = await month.shop.tell<RefundedRow>('dora', 'GET', `/orders/${order.orderId}`);
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
    const path = `/orders/${order.orderId}/refund`;
    const { status, text } = await month.shop.ask('anna', 'POST', path, body, headers);
    assert.ok(statuses.includes(status), `${title}: ${status} ${text}`);
    const after = await month.shop.tell<RefundedRow>('dora', 'GET', `/orders/${order.orderId}`);
    assert.deepEqual({ ...after, requestId: '' }, { ...before, requestId: '' }, title);
  }
}

export async function creditsAreSaidToBeRepeated({ shop, ledger, random }: Month): Promise<void> {
  assert.ok(ledger.repeatedCredits > 0, 'the month has repeated credits');
  const account = random.pick(ledger.accounts);
  for (const { reference, micros, balanceMicros } of random.sample(account.credits.slice(-50), 5)) {
    const path = `/accounts/${account.accountId}/credits`;
    const body = { amountUsdt: usdt(micros), reference };
    const answer = await shop.ask<{ repeated?: boolean; balanceUsdt: number }>('carla', 'POST', path, body);
    assert.deepEqual(
      [answer.status, answer.body.repeated, answer.body.balanceUsdt],
      [200, true, usdt(balanceMicros)],
      reference,
    );
  }
}
