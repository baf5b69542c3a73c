/** Orders by every filter, alone and together, newest first; and one by its id. */
import assert from 'node:assert/strict';
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
  await compare(month, {});
  for (const { accountId } of random.sample(ledger.accounts, isLong ? 8 : 3)) {
    await compare(month, { accountId: String(accountId) });
  }
  for (const { productId } of ledger.products) await compare(month, { productId: String(productId) });
  for (const status of ['processing', 'pending_delivery', 'failed', 'refunded', 'completed']) {
    await compare(month, { status });
  }
}

export async function byDate(month: Month): Promise<void> {
  for (const period of PERIODS) {
    await compare(month, Object.fromEntries(new URLSearchParams(queryOf(period))));
  }
  const { createdAt } = month.random.pick(month.ledger.orders);
  await compare(month, { from: String(createdAt), to: String(createdAt + 1) });
  await compare(month, { from: String(createdAt), to: String(createdAt) });
}

export async function byRecipient(month: Month): Promise<void> {
  const recipients = new Set(month.ledger.orders.map(({ recipient }) => recipient));
  for (const recipient of recipients) {
    if (recipient === undefined) continue;
    await compare(month, { recipient });
    await compare(month, { recipient: recipient.slice(1), status: 'refunded' });
  }
  await compare(month, { recipient: '@nobody_at_all' });
}

export async function byKeyAndRequest(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  for (const { account, key, requestId } of random.sample(ledger.orders.slice(-5_000), isLong ? 200 : 20)) {
    const accountId = String(account.accountId);
    if (key !== undefined) await compare(month, { accountId, idempotencyKey: key });
    if (requestId !== undefined) await compare(month, { requestId });
  }
  await compare(month, { accountId: String(ledger.accounts[0]?.accountId), idempotencyKey: 'never used' });
  await compare(month, { requestId: 'req_1790000000000_0' });
  const without = await month.shop.ask('dora', 'GET', '/orders?idempotencyKey=buy');
  assert.equal(without.status, 400, 'a key is an account’s');
  assert.match(without.body.message ?? '', /accountId/);
}

export async function byAllTogether(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  for (let count = 0; count < (isLong ? 100 : 12); count += 1) {
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
    await compare(month, Object.fromEntries(names.map((name) => [name, all[name] ?? ''])));
  }
}

/** As support sees it, texts and all; that is a deed, too. */
export async function byId(month: Month): Promise<void> {
  const { shop, ledger, random, isLong } = month;
  const changed = ledger.orders.filter(
    ({ refunds, replacements }) => refunds.length + replacements.length > 0,
  );
  const some = [...random.sample(changed.slice(-2_000), isLong ? 100 : 15), ...ledger.orders.slice(-5)];
  for (const order of some) {
    const row = await shop.tell<OrderRow>('dora', 'GET', `/orders/${order.orderId}`);
    assert.equal(row.delivery, undefined, 'a viewer sees no texts');
    assert.deepEqual(rowOf({ ...row, requestId: row.purchaseRequestId }, order), expected(order));
    assert.equal(row.refundedUsdt ?? 0, usdt(refundedMicros(order)), `refunded of ${order.orderId}`);
    if (order.status !== 'completed' || order.texts.length === 0) continue;
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
  }
}

async function compare({ shop, ledger }: Month, filter: Filter): Promise<void> {
  const query = new URLSearchParams(filter);
  const title = `GET /orders?${query}`;
  const matching = ledger.ordersNewestFirst().filter(fitting(filter));
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
