/** A buyer buys: once, or with a key that is sent three times at once; from own stock, or from a supplier. */
import assert from 'node:assert/strict';
import type { LedgerAccount, LedgerOrder, LedgerProduct } from './ledger.ts';
import { freshKey, type Month } from './month.ts';

const MAX_QUANTITY = 3;
const AT_ONCE = 3;
/** Errors of purchases that sold nothing, and changed nothing. */
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
  const key = freshKey(month, 'buy');
  const body = { productId, quantity, expectedPriceUsdt: (priceMicros * quantity) / 1e6 };
  const { shift } = shop;
  const send = () => shop.insist(() => shop.buyers.purchase(account.apiKey, key, body));
  const times = random.chance(0.05) && product.kind === 'stock' ? AT_ONCE : 1;
  const replies = (await Promise.all(Array.from({ length: times }, send))).map(({ answer }) => answer);
  const sold = replies.filter(({ status }) => status === 201);
  for (const { status, body: told, text } of replies) {
    assert.ok(status === 201 || REFUSALS.includes(told.error ?? ''), `${status} ${text}`);
  }
  const [first] = sold;
  // One of three may find nothing, and the next one what was uploaded between: that key is not used up.
  if (first === undefined) return undefined;
  for (const { text, body: other } of sold) assert.equal(other.orderId, first.body.orderId, text);
  const { orderId, createdAt, status, totalPriceUsdt, delivery } = first.body;
  assert.ok(orderId && createdAt && status && totalPriceUsdt !== undefined, first.text);
  const order: LedgerOrder = {
    ...{ orderId, account, product, quantity, createdAt, status, shift, key, refunds: [] },
    totalMicros: Math.round(totalPriceUsdt * 1e6),
    texts: [...(delivery?.items ?? [])],
  };
  enterOrder(month, order);
  return order;
}

/** A supplier's was held in the shift in which it was asked, and is sold in the shift in which it answered. */
function enterOrder({ shop, ledger }: Month, order: LedgerOrder): void {
  const { account, product, orderId, totalMicros: micros, shift: asked } = order;
  const of = { accountId: account.accountId, productId: product.productId };
  if (product.kind === 'supplied' || product.kind === 'late') {
    ledger.move(account, { shift: asked, kind: 'hold', micros: -micros });
    ledger.entries.push({ shift: asked, kind: 'hold', micros, ...of });
    ledger.entries.push({ shift: shop.shift, kind: 'hold', micros: -micros, ...of });
  } else ledger.move(account, { shift: asked, kind: 'purchase', micros: -micros, orderId });
  ledger.entries.push({ shift: shop.shift, kind: 'sale', micros, ...of });
  ledger.sell(order);
  account.orders.push(order);
  ledger.orders.push(order);
}
