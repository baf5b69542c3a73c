/** Orders by every filter, alone and together, newest first; and one by its id. */
import assert from 'node:assert/strict';
import { forEachAtOnce } from '../at-once.ts';
import { momentOf, PERIODS, queryOf } from '../calendar.ts';
import { type LedgerOrder, refundedMicros, usdt } from '../ledger.ts';
import type { Month } from '../month.ts';

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

/** Small, so that there are several pages; and of many orders the largest that there is. */
const PAGE = 197;
const PAGE_OF_MANY = 1_000;

export async function byAccountProductAndStatus(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  const accounts = random.sample(ledger.accounts, isLong ? 8 : 3);
  await compareAll(month, [
    {},
    ...accounts.map(({ accountId }) => ({ accountId: String(accountId) })),
    ...ledger.products.map(({ productId }) => ({ productId: String(productId) })),
    ...['processing', 'pending_delivery', 'failed', 'refunded', 'completed'].map((status) => ({ status })),
  ]);
}

export async function byDate(month: Month): Promise<void> {
  const { createdAt } = month.random.pick(month.ledger.orders);
  await compareAll(month, [
    ...PERIODS.map((period) => Object.fromEntries(new URLSearchParams(queryOf(period)))),
    { from: String(createdAt), to: String(createdAt + 1) },
    { from: String(createdAt), to: String(createdAt) },
  ]);
}

export async function byRecipient(month: Month): Promise<void> {
  const recipients = new Set(month.ledger.orders.map(({ recipient }) => recipient));
  const filters = [...recipients].flatMap((recipient) =>
    recipient === undefined ? [] : [{ recipient }, { recipient: recipient.slice(1), status: 'refunded' }],
  );
  await compareAll(month, [...filters, { recipient: '@nobody_at_all' }]);
}

export async function byKeyAndRequest(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  const filters: Filter[] = [
    { accountId: String(ledger.accounts[0]?.accountId), idempotencyKey: 'never used' },
    { requestId: 'req_1790000000000_0' },
  ];
  for (const { account, key, requestId } of random.sample(ledger.orders.slice(-5_000), isLong ? 200 : 20)) {
    const accountId = String(account.accountId);
    if (key !== undefined) filters.push({ accountId, idempotencyKey: key });
    if (requestId !== undefined) filters.push({ requestId });
  }
  await compareAll(month, filters);
  const without = await month.shop.ask('dora', 'GET', '/orders?idempotencyKey=buy');
  assert.equal(without.status, 400, 'a key is an account’s');
  assert.match(without.body.message ?? '', /accountId/);
}

export async function byAllTogether(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  const filters = Array.from({ length: isLong ? 40 : 12 }, (): Filter => {
    const order = random.pick(ledger.orders);
    const { from, to } = random.pick(PERIODS);
    const all: Filter = {
      accountId: String(order.account.accountId),
      productId: String(order.product.productId),
      status: order.status,
      ...(order.recipient === undefined ? {} : { recipient: order.recipient }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
    const names = random.sample(Object.keys(all), random.between(2, 4));
    return Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
  });
  await compareAll(month, filters);
}

/** As support sees it, texts and all; that is a deed, too. */
export async function byId(month: Month): Promise<void> {
  const { shop, ledger, random, isLong } = month;
  const changed = ledger.orders.filter(
    ({ refunds, replacements }) => refunds.length + replacements.length > 0,
  );
  const some = [...random.sample(changed.slice(-2_000), isLong ? 100 : 15), ...ledger.orders.slice(-5)];
  await forEachAtOnce(some, async (order) => {
    const row = await shop.tell<OrderRow>('dora', 'GET', `/orders/${order.orderId}`);
    assert.equal(row.delivery, undefined, 'a viewer sees no texts');
    assert.deepEqual(rowOf({ ...row, requestId: row.purchaseRequestId }, order), expected(order));
    assert.equal(row.refundedUsdt ?? 0, usdt(refundedMicros(order)), `refunded of ${order.orderId}`);
    if (order.status !== 'completed' || order.texts.length === 0) return;
    const whole = await shop.tell<OrderRow>('anna', 'GET', `/orders/${order.orderId}`);
    assert.deepEqual(whole.delivery?.items, order.texts);
    const { orderId, account, product } = order;
    ledger.deeds.push({
      ...{
        operator: 'anna',
        action: 'ItemTextsShown',
        shift: shop.shift,
        requestId: whole.requestId,
        orderId,
      },
      ...{ accountId: account.accountId, productId: product.productId },
    });
  });
}

function compareAll(month: Month, filters: readonly Filter[]): Promise<void> {
  return forEachAtOnce(filters, (filter) => compare(month, filter));
}

async function compare({ shop, ledger }: Month, filter: Filter): Promise<void> {
  const query = new URLSearchParams(filter);
  const title = `GET /orders?${query}`;
  const isOfOne = filter.idempotencyKey !== undefined || filter.requestId !== undefined;
  const candidates = isOfOne ? ledger.orderOf(filter) : ledger.ordersNewestFirst();
  const matching = candidates.filter(fitting(filter));
  const limit = matching.length > 5_000 ? PAGE_OF_MANY : PAGE;
  let at = 0;
  for await (const rows of shop.pages<OrderRow>('dora', `/orders?${query}`, 'orders', limit)) {
    for (const row of rows) {
      const order = matching[at];
      assert.ok(order, `${title}: more than the ${matching.length} that fit`);
      assert.deepEqual(rowOf(row, order), expected(order), title);
      at += 1;
    }
  }
  assert.equal(at, matching.length, title);
}

/** Whether an order fits. What can be read once for all orders is. */
function fitting(filter: Filter): (order: LedgerOrder) => boolean {
  const { status, idempotencyKey, requestId } = filter;
  const accountId = numberOf(filter.accountId);
  const productId = numberOf(filter.productId);
  const recipient = bare(filter.recipient);
  const fromMs = momentOf(filter.from, -Infinity);
  const toMs = momentOf(filter.to, Infinity);
  return (order) =>
    (accountId === undefined || order.account.accountId === accountId) &&
    (productId === undefined || order.product.productId === productId) &&
    (status === undefined || order.status === status) &&
    (idempotencyKey === undefined || order.key === idempotencyKey) &&
    (requestId === undefined || order.requestId === requestId) &&
    (recipient === undefined || bare(order.recipient) === recipient) &&
    order.createdAt >= fromMs &&
    order.createdAt < toMs;
}

function numberOf(id: string | undefined): number | undefined {
  return id === undefined ? undefined : Number(id);
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
