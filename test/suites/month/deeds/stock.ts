/** Lots come, some with lines that were there before; a lot is recalled; items are taken off the shelf; prices change. */
import assert from 'node:assert/strict';
import type { LedgerLot, LedgerProduct } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month, saying } from '../month.ts';

interface RecallBody {
  readonly withdrawn: number;
  readonly sold: readonly { readonly orderId: number }[];
}

const OPERATOR = 'ben';
const SOURCES = ['Wholesale & Sons', 'the market, stall "4"', 'Großhandel'];
const PLAIN = { 'content-type': 'text/plain' };

export async function upload(month: Month, product: LedgerProduct, count: number): Promise<LedgerLot> {
  const { shop, ledger, random } = month;
  const { productId } = product;
  const who = by(month, OPERATOR);
  const reference = freshKey(month, 'lot');
  const source = random.pick(SOURCES);
  const costMicros = random.between(0, 900_000);
  const fresh = Array.from({ length: count }, (_, item) => `code ${reference} ${item}`);
  const known = ledger.lots.findLast((lot) => lot.product === product)?.reference;
  // What was taken off the shelf may come back.
  const repeated = [0, 1, 2]
    .map((item) => `code ${known} ${item}`)
    .filter((text) => ledger.texts.get(text)?.isTaken === false);
  const query = new URLSearchParams(saying(who, { source, costUsdt: String(costMicros / 1e6), reference }));
  const lot: LedgerLot = { lotId: 0, product, source, reference, count, costMicros };
  for (const item of fresh) ledger.texts.set(item, { product, lot, isTaken: false });
  product.onShelf += count;
  const body = await shop.tell<{ lotId: number; added: number; duplicates: number }>(
    OPERATOR,
    'POST',
    `/products/${productId}/stock?${query}`,
    [...repeated, ...fresh].join('\n'),
    PLAIN,
  );
  assert.deepEqual([body.added, body.duplicates], [count, repeated.length], `the lot ${reference}`);
  lot.lotId = body.lotId;
  ledger.lots.push(lot);
  enterDeed(month, who, 'StockAdded', { requestId: body.requestId, productId });
  return lot;
}

/** While buyers buy from it. Whom it was sold to is the answer's affair, and compared when all is known. */
export async function recall(month: Month, lot: LedgerLot): Promise<void> {
  const who = by(month, OPERATOR);
  const path = `/lots/${lot.lotId}/recall`;
  const told = await month.shop.tell<RecallBody>(OPERATOR, 'POST', path, saying(who, {}));
  const { requestId, withdrawn, sold } = told;
  lot.recall = { withdrawn, orderIds: sold.map(({ orderId }) => orderId) };
  lot.product.onShelf -= withdrawn;
  enterDeed(month, who, 'LotRecalled', { requestId, productId: lot.product.productId });
}

export async function withdraw(month: Month, product: LedgerProduct, count: number): Promise<void> {
  const { shop, ledger } = month;
  const { productId } = product;
  const who = by(month, OPERATOR);
  const path = `/products/${productId}/stock?${new URLSearchParams(saying(who, { count: String(count) }))}`;
  const { items, requestId } = await shop.tell<{ items: string[] }>(OPERATOR, 'DELETE', path);
  for (const item of items) {
    const known = ledger.texts.get(item);
    assert.ok(known !== undefined && known.order === undefined, `${item} was taken off the shelf`);
    known.isTaken = true;
    product.onShelf -= 1;
  }
  enterDeed(month, who, 'StockWithdrawn', { requestId, productId });
}

export async function changePrice(month: Month, product: LedgerProduct): Promise<void> {
  const { productId } = product;
  const who = by(month, OPERATOR);
  const micros = month.random.between(1, 400) * 10_000;
  if (micros === product.priceMicros) return;
  const sent = saying(who, { priceUsdt: micros / 1e6 });
  const { requestId } = await month.shop.tell(OPERATOR, 'PATCH', `/products/${productId}`, sent);
  product.priceMicros = micros;
  enterDeed(month, who, 'ProductUpdated', { requestId, productId });
}
