/** Orders by every filter, alone and together, newest first; and one by its id. */
import assert from 'node:assert/strict';
import { momentOf, PERIODS, queryOf } from '../calendar.ts';
import { repeatRefund } from '../deeds/refund.ts';
import { inTurn, type LedgerOrder, refundedMicros, usdt } from '../ledger.ts';
import { assertSameRows, enterDeed, type Month } from '../month.ts';

interface OrderRow {
  readonly orderId: number;
  readonly accountId: number;
  readonly productId: number;
  readonly status: string;
  readonly quantity: number;
  readonly totalPriceUsdt: number;
  readonly createdAt: number;
  readonly idempotencyKey?: string;
  readonly recipientUsername?: string;
  readonly requestId?: string | undefined;
  readonly purchaseRequestId?: string;
  readonly refundedUsdt?: number;
  readonly delivery?: { readonly items?: readonly string[] };
}

type Filter = Readonly<Record<string, string>>;

const STATUSES = ['pending_delivery', 'failed', 'refunded', 'completed'];

export async function byFilters(month: Month): Promise<void> {
  const { ledger, random } = month;
  const { orders, accounts, products } = ledger;
  const { createdAt } = random.pick(orders);
  const recipients = new Set(orders.flatMap(({ recipient }) => recipient ?? []));
  const filters: Filter[] = [
    {},
    ...random.sample(accounts, 3).map(({ accountId }) => ({ accountId: String(accountId) })),
    ...products.map(({ productId }) => ({ productId: String(productId) })),
    ...STATUSES.map((status) => ({ status })),
    ...PERIODS.map((period) => Object.fromEntries(new URLSearchParams(queryOf(period)))),
    { from: String(createdAt), to: String(createdAt + 1) },
    { from: String(createdAt), to: String(createdAt) },
    ...[...recipients].map((recipient) => ({ recipient: recipient.slice(1), status: 'refunded' })),
    { recipient: '@nobody_at_all' },
    { accountId: String(accounts[0]?.accountId), idempotencyKey: 'never used' },
    ...random
      .sample(orders, 20)
      .flatMap(({ account, key, requestId }): Filter[] => [
        { accountId: String(account.accountId), idempotencyKey: key },
        ...(requestId === undefined ? [] : [{ requestId }]),
      ]),
    ...Array.from({ length: 12 }, () => severalOf(month)),
  ];
  const newestFirst = orders.toSorted((a, b) => b.orderId - a.orderId);
  for (const filter of filters) {
    const title = `GET /orders?${new URLSearchParams(filter)}`;
    const matching = newestFirst.filter(fitting(filter));
    // Small, so that there are several pages.
    const limit = matching.length > 1_000 ? 1_000 : 97;
    const path = `/orders?${new URLSearchParams(filter)}`;
    const rows = await month.shop.all<OrderRow>('dora', path, 'orders', limit);
    const told = rows.map((row, at) => (matching[at] === undefined ? row : rowOf(row, matching[at])));
    assertSameRows(told, matching.map(expected), title);
  }
}

/** Some of what one order has, which may be in the period or not. */
function severalOf({ ledger, random }: Month): Filter {
  const { account, product, status, recipient } = random.pick(ledger.orders);
  const { from, to } = random.pick(PERIODS);
  const all = Object.entries({
    ...{
      accountId: String(account.accountId),
      productId: String(product.productId),
      status,
      recipient,
      from,
      to,
    },
  }).filter((field): field is [string, string] => field[1] !== undefined);
  return Object.fromEntries(random.sample(all, random.between(2, 4)));
}

/** As support sees it, texts and all; that is a deed, too. */
export async function byId(month: Month): Promise<void> {
  const { shop, ledger, random } = month;
  const refunded = ledger.orders.filter(({ refunds }) => refunds.length > 0);
  const replaced = ledger.orders.filter(({ replacements }) => replacements.length > 0);
  const some = [...random.sample(refunded, 15), ...random.sample(replaced, 5), ...ledger.orders.slice(-5)];
  for (const order of some) {
    const row = await shop.tell<OrderRow>('dora', 'GET', `/orders/${order.orderId}`);
    assert.equal(row.delivery, undefined, 'a viewer sees no texts');
    assert.deepEqual(rowOf({ ...row, requestId: row.purchaseRequestId }, order), expected(order));
    assert.equal(row.refundedUsdt ?? 0, usdt(refundedMicros(order)), `refunded of ${order.orderId}`);
    if (order.status !== 'completed' || order.texts.length === 0) continue;
    const whole = await shop.tell<OrderRow>('anna', 'GET', `/orders/${order.orderId}`);
    assert.deepEqual(whole.delivery?.items, order.texts);
    const { orderId, account, product } = order;
    const of = { orderId, accountId: account.accountId, productId: product.productId };
    enterDeed(month, { operator: 'anna' }, 'ItemTextsShown', { ...of, requestId: whole.requestId });
  }
}

/** Also of what is wholly refunded by now, and days later. */
export async function repeatedRefunds(month: Month): Promise<void> {
  const refunded = month.ledger.orders.filter(({ refunds }) => refunds.length > 0);
  for (const order of month.random.sample(refunded, 15)) {
    await inTurn(order.account, () => repeatRefund(month, order));
  }
}

/** Whether an order fits. */
function fitting(filter: Filter): (order: LedgerOrder) => boolean {
  const fromMs = momentOf(filter.from, -Infinity);
  const toMs = momentOf(filter.to, Infinity);
  const isAny = (name: string, value: unknown) =>
    filter[name] === undefined || filter[name] === String(value);
  return (order) =>
    isAny('accountId', order.account.accountId) &&
    isAny('productId', order.product.productId) &&
    isAny('status', order.status) &&
    isAny('idempotencyKey', order.key) &&
    isAny('requestId', order.requestId) &&
    (filter.recipient === undefined || bare(order.recipient) === bare(filter.recipient)) &&
    order.createdAt >= fromMs &&
    order.createdAt < toMs;
}

function bare(username: string | undefined): string | undefined {
  return username?.startsWith('@') ? username.slice(1) : username;
}

/** Without the request id where the answer that told it was lost. */
function rowOf(row: OrderRow, { requestId }: LedgerOrder): object {
  return {
    orderId: row.orderId,
    accountId: row.accountId,
    productId: row.productId,
    status: row.status,
    quantity: row.quantity,
    totalPriceUsdt: row.totalPriceUsdt,
    createdAt: row.createdAt,
    idempotencyKey: row.idempotencyKey,
    recipient: row.recipientUsername,
    ...(requestId === undefined ? {} : { requestId: row.requestId }),
  };
}

function expected({ account, product, requestId, ...order }: LedgerOrder): object {
  return {
    orderId: order.orderId,
    accountId: account.accountId,
    productId: product.productId,
    status: order.status,
    quantity: order.quantity,
    totalPriceUsdt: usdt(order.totalMicros),
    createdAt: order.createdAt,
    idempotencyKey: order.key,
    recipient: order.recipient,
    ...(requestId === undefined ? {} : { requestId }),
  };
}
