/**
 * Operators' acts: stock and prices; money for an account; orders that are delivered by hand or fail; money back, all
 * that is left, an amount, or the share of some items. Calls with a key are sent again with it at times, and pay
 * nothing.
 */
import assert from 'node:assert/strict';
import {
  inTurn,
  type LedgerAccount,
  type LedgerOrder,
  type LedgerProduct,
  refundedMicros,
  shareMicros,
  unrefundedPlaces,
  usdt,
} from './ledger.ts';
import { by, freshKey, type Month, saying } from './month.ts';
import type { By } from './staff.ts';

interface CreditBody {
  readonly amountUsdt: number;
  readonly balanceUsdt: number;
  readonly reference: string;
  readonly repeated?: boolean;
}

interface RefundedOrder {
  readonly orderId: number;
  readonly status: string;
  readonly refundedUsdt: number;
  readonly balanceUsdt: number;
  readonly repeated?: boolean;
}

const SUPPORT = 'anna';
const STOCK = 'ben';
const FINANCE = 'carla';

export async function upload(month: Month, product: LedgerProduct, count: number): Promise<void> {
  const lot = freshKey(month, 'lot');
  const texts = Array.from({ length: count }, (_, item) => `code ${lot} ${item}`);
  // Buyers may buy of it before it is told.
  product.onShelf += count;
  const query = new URLSearchParams(saying(by(month, STOCK), {}));
  const { added } = await month.shop.tell<{ added: number }>(
    STOCK,
    'POST',
    `/products/${product.productId}/stock?${query}`,
    texts.join('\n'),
    { 'content-type': 'text/plain' },
  );
  assert.equal(added, count, lot);
}

export async function changePrice(month: Month, product: LedgerProduct): Promise<void> {
  const micros = month.random.between(1, 400) * 10_000;
  const sent = saying(by(month, STOCK), { priceUsdt: micros / 1e6 });
  await month.shop.tell(STOCK, 'PATCH', `/products/${product.productId}`, sent);
  product.priceMicros = micros;
}

/** In the account's turn; so are the repetition and all refunds. */
export async function credit(month: Month, account: LedgerAccount, micros: number): Promise<void> {
  const { shop, ledger } = month;
  const { accountId } = account;
  const who = by(month, FINANCE);
  const reference = freshKey(month, 'credit');
  const path = `/accounts/${accountId}/credits`;
  const sent = saying(who, { amountUsdt: usdt(micros), reference });
  const { answer, isFirst } = await shop.insist(() => shop.tell<CreditBody>(FINANCE, 'POST', path, sent));
  assert.ok(!(isFirst && answer.repeated), `${reference} was there before`);
  const { shift } = shop;
  ledger.move(account, { shift, kind: micros < 0 ? 'adjustment' : 'credit', micros, reference, ...who });
  ledger.entries.push({ shift, kind: 'deposit', micros, accountId });
  assert.equal(answer.balanceUsdt, usdt(account.balanceMicros), `wallet ${accountId} after ${reference}`);
  account.credits.push({ reference, micros, balanceMicros: account.balanceMicros });
}

/** By another operator, with another reason: it is the same credit still. */
export async function repeatCredit({ shop, random }: Month, account: LedgerAccount): Promise<void> {
  const { reference, micros, balanceMicros } = random.pick(account.credits);
  const path = `/accounts/${account.accountId}/credits`;
  const sent = { amountUsdt: usdt(micros), reference, reason: 'once more, to be sure' };
  const { answer } = await shop.insist(() => shop.tell<CreditBody>('emil', 'POST', path, sent));
  assert.deepEqual(
    [answer.repeated, answer.reference, answer.amountUsdt, answer.balanceUsdt],
    [true, reference, usdt(micros), usdt(balanceMicros)],
  );
}

export function complete(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const items = Array.from({ length: order.quantity }, () => freshKey(month, 'by hand'));
    await step(month, order, 'complete', { items });
    order.status = 'completed';
    order.texts = items;
    month.ledger.sell(order);
  });
}

/** Fails an order: everything that was not refunded is returned. */
export function fail(month: Month, order: LedgerOrder): Promise<void> {
  return inTurn(order.account, async () => {
    const who = await step(month, order, 'fail', {});
    order.status = 'failed';
    giveBack(month, order, 'return', order.totalMicros - refundedMicros(order), who);
  });
}

async function step(
  month: Month,
  { orderId }: LedgerOrder,
  name: 'complete' | 'fail',
  fields: object,
): Promise<By> {
  const who = by(month, SUPPORT);
  const path = `/orders/${orderId}/${name}`;
  const { status } = await month.shop.tell<{ status: string }>(SUPPORT, 'POST', path, saying(who, fields));
  assert.equal(status, name === 'fail' ? 'failed' : 'completed');
  return who;
}

/** Only of what is completed, with something left; so are the others. */
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
  const { answer } = await shop.insist(() => shop.tell<RefundedOrder>(SUPPORT, 'POST', path, body, headers));
  assertRefunded(order, answer);
}

async function refund(
  month: Month,
  order: LedgerOrder,
  body: object,
  micros: number,
  items: readonly number[],
): Promise<void> {
  const who = by(month, SUPPORT);
  const key = freshKey(month, 'refund');
  const path = `/orders/${order.orderId}/refund`;
  const headers = { 'idempotency-key': key };
  const { answer, isFirst } = await month.shop.insist(() =>
    month.shop.tell<RefundedOrder>(SUPPORT, 'POST', path, saying(who, body), headers),
  );
  assert.ok(!(isFirst && answer.repeated), 'the key was used before');
  order.refunds = [...order.refunds, { key, body, micros, items }];
  if (refundedMicros(order) === order.totalMicros) order.status = 'refunded';
  giveBack(month, order, 'refund', micros, who);
  assertRefunded(order, answer);
}

function giveBack(
  { shop, ledger }: Month,
  { account, orderId, product: { productId } }: LedgerOrder,
  kind: 'refund' | 'return',
  micros: number,
  who: By,
): void {
  const { shift } = shop;
  ledger.move(account, { shift, kind, micros, orderId, ...who });
  ledger.entries.push({ shift, kind: 'refund', micros, accountId: account.accountId, productId });
}

function assertRefunded(order: LedgerOrder, answer: RefundedOrder): void {
  assert.deepEqual(
    [answer.orderId, answer.status, answer.refundedUsdt, answer.balanceUsdt],
    [order.orderId, order.status, usdt(refundedMicros(order)), usdt(order.account.balanceMicros)],
  );
}
