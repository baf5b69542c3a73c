/** A buyer buys: once, or with a key that is sent three times at once; from own stock, or from a supplier. */
import assert from 'node:assert/strict';
import type { BuyerReply } from '../../../support/buyer-client.ts';
import type { LedgerAccount, LedgerOrder, LedgerProduct } from '../ledger.ts';
import { freshKey, type Month } from '../month.ts';

const RECIPIENTS = ['@first_one', '@second_one', '@Third3', '@fourth', '@fifth_5', '@sixth_six_six'];
const MAX_QUANTITY = 3;
const AT_ONCE = 3;
/** What is answered when nothing was sold, and changes nothing. */
const REFUSALS = ['INSUFFICIENT_BALANCE', 'PRICE_CHANGED', 'OUT_OF_STOCK', 'RATE_LIMITED'];

/** Returns the order, unless it was refused. In the account's turn. */
export async function buy(
  month: Month,
  account: LedgerAccount,
  product: LedgerProduct,
  quantity = month.random.between(1, MAX_QUANTITY),
): Promise<LedgerOrder | undefined> {
  const { shop, random } = month;
  const { productId, priceMicros } = product;
  const needsRecipient = product.kind === 'recipient' || product.kind === 'manual';
  const recipient = needsRecipient ? random.pick(RECIPIENTS) : undefined;
  const key = freshKey(month, 'buy');
  const body = {
    productId,
    quantity,
    expectedPriceUsdt: (priceMicros * quantity) / 1e6,
    ...(recipient === undefined ? {} : { recipient: { username: recipient } }),
  };
  const { shift } = shop;
  const send = () => shop.insist(() => shop.buyers.purchase(account.apiKey, key, body));
  const times = random.chance(0.05) && product.kind === 'stock' ? AT_ONCE : 1;
  const replies = (await Promise.all(Array.from({ length: times }, send))).map(({ answer }) => answer);
  const sold = replies.filter(({ status }) => status === 201);
  for (const reply of replies) {
    if (reply.status !== 201) refuse(month, account, product, reply, priceMicros * quantity);
  }
  const first = sold.find(isTheFirst) ?? sold[0];
  // One of three may find nothing, and the next one what was uploaded between: that key is not used up.
  if (first === undefined) return undefined;
  for (const { text, body: other } of sold) assert.equal(other.orderId, first.body.orderId, text);
  const requestId = isTheFirst(first) ? first.body.requestId : undefined;
  const order = orderOf(first, { account, product, key, shift, requestId }, recipient);
  enterOrder(month, order);
  return order;
}

function isTheFirst({ headers }: BuyerReply): boolean {
  return headers['idempotent-replayed'] === undefined;
}

/** A supplier that has nothing was asked after the amount was held. */
function refuse(
  { shop, ledger }: Month,
  account: LedgerAccount,
  product: LedgerProduct,
  { status, body, text }: BuyerReply,
  totalMicros: number,
): void {
  assert.ok(REFUSALS.includes(body.error ?? ''), `${status} ${text}`);
  if (product.kind !== 'empty' || body.error !== 'OUT_OF_STOCK') return;
  const { shift } = shop;
  const { accountId } = account;
  const { productId } = product;
  ledger.move(account, { shift, kind: 'hold', micros: -totalMicros });
  ledger.move(account, { shift, kind: 'release', micros: totalMicros });
  ledger.entries.push({ shift, kind: 'hold', micros: totalMicros, accountId, productId });
  ledger.entries.push({ shift, kind: 'hold', micros: -totalMicros, accountId, productId });
}

type Known = Pick<LedgerOrder, 'account' | 'product' | 'key' | 'shift' | 'requestId'>;

function orderOf({ body, text }: BuyerReply, known: Known, recipient: string | undefined): LedgerOrder {
  const { orderId, quantity, createdAt, status, totalPriceUsdt, delivery } = body;
  assert.ok(orderId && quantity && createdAt && status && totalPriceUsdt !== undefined, text);
  const totalMicros = Math.round(totalPriceUsdt * 1e6);
  return {
    ...known,
    ...(recipient === undefined ? {} : { recipient }),
    orderId,
    quantity,
    createdAt,
    status,
    totalMicros,
    texts: [...(delivery?.items ?? [])],
    refunds: [],
    replacements: [],
  };
}

/** A supplier's was held in the shift in which it was asked, and is sold in the shift in which it answered. */
function enterOrder({ shop, ledger }: Month, order: LedgerOrder): void {
  const { account, product, orderId, totalMicros, shift: asked } = order;
  const { accountId } = account;
  const { productId } = product;
  const isHeld = product.kind === 'supplied' || product.kind === 'late';
  const micros = totalMicros;
  if (isHeld) {
    ledger.move(account, { shift: asked, kind: 'hold', micros: -micros });
    ledger.entries.push({ shift: asked, kind: 'hold', micros, accountId, productId });
    ledger.entries.push({ shift: shop.shift, kind: 'hold', micros: -micros, accountId, productId });
  } else ledger.move(account, { shift: asked, kind: 'purchase', micros: -micros, orderId });
  ledger.entries.push({ shift: shop.shift, kind: 'sale', micros, accountId, productId });
  for (const text of order.texts) ledger.sell(text, order);
  account.orders.push(order);
  ledger.orders.push(order);
}
