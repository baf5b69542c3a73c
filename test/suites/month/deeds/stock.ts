/** Lots come, some with lines that were there before; a lot is recalled; items are taken off the shelf; prices change. */
import assert from 'node:assert/strict';
import type { LedgerLot, LedgerProduct } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month } from '../month.ts';

interface UploadBody {
  readonly lotId: number;
  readonly added: number;
  readonly duplicates: number;
}

interface RecallBody {
  readonly withdrawn: number;
  readonly sold: readonly { readonly orderId: number; readonly accountId: number }[];
  readonly nextCursor?: string;
}

const OPERATOR = 'ben';
const SOURCES = ['Wholesale & Sons', 'the market, stall "4"', 'Großhandel'];
const PLAIN: Readonly<Record<string, string>> = { 'content-type': 'text/plain' };

export async function upload(month: Month, product: LedgerProduct, count: number): Promise<LedgerLot> {
  const { shop, ledger, random } = month;
  const { productId } = product;
  const who = by(month, OPERATOR);
  const reference = freshKey(month, 'lot');
  const source = random.pick(SOURCES);
  const costMicros = random.between(0, 900_000);
  const fresh = Array.from({ length: count }, (_, item) => `code ${reference} ${item}`);
  const known = ledger.lots.findLast((lot) => lot.product === product);
  const repeated = known === undefined ? [] : textsOf(month, known).slice(0, random.between(0, 3));
  const query = new URLSearchParams({ source, costUsdt: String(costMicros / 1e6), reference });
  if (who.reason !== undefined) query.set('reason', who.reason);
  const text = [...repeated, ...fresh].join('\n');
  const path = `/products/${productId}/stock?${query}`;
  const lot: LedgerLot = { lotId: 0, product, source, reference, count, costMicros, shift: shop.shift };
  for (const item of fresh) ledger.texts.set(item, { product, lot });
  product.onShelf += count;
  const body = await shop.tell<UploadBody>(OPERATOR, 'POST', path, text, PLAIN);
  assert.deepEqual([body.added, body.duplicates], [count, repeated.length], `the lot ${reference}`);
  lot.lotId = body.lotId;
  ledger.lots.push(lot);
  enterDeed(month, who, 'StockAdded', { requestId: body.requestId, productId });
  return lot;
}

/** Says what is there already, and adds nothing. */
export async function dryRun({ shop, ledger }: Month, lot: LedgerLot): Promise<void> {
  const [known = ''] = textsOf({ ledger }, lot);
  const path = `/products/${lot.product.productId}/stock?dryRun=true`;
  const text = ['never seen', known, '', 'seen once', 'seen once'].join('\n');
  const answer = await shop.ask<{ wouldAdd: number; duplicateLines: number[] }>(
    OPERATOR,
    'POST',
    path,
    text,
    PLAIN,
  );
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.wouldAdd, answer.body.duplicateLines], [2, [2, 5]]);
}

/** While buyers buy from it. Whom it was sold to is the answer's affair, and compared when all is known. */
export async function recall(month: Month, lot: LedgerLot): Promise<void> {
  const { shop } = month;
  const who = by(month, OPERATOR);
  const path = `/lots/${lot.lotId}/recall`;
  const body = who.reason === undefined ? {} : { reason: who.reason };
  const { requestId, withdrawn, sold } = await shop.tell<RecallBody>(OPERATOR, 'POST', path, body);
  lot.recall = { withdrawn, orderIds: sold.map(({ orderId }) => orderId) };
  lot.product.onShelf -= withdrawn;
  enterDeed(month, who, 'LotRecalled', { requestId, productId: lot.product.productId });
}

export async function withdraw(month: Month, product: LedgerProduct, count: number): Promise<void> {
  const { shop, ledger } = month;
  const { productId } = product;
  const who = by(month, OPERATOR);
  const query = new URLSearchParams({ count: String(count) });
  if (who.reason !== undefined) query.set('reason', who.reason);
  const path = `/products/${productId}/stock?${query}`;
  const body = await shop.tell<{ items: string[] }>(OPERATOR, 'DELETE', path);
  for (const item of body.items) {
    const known = ledger.texts.get(item);
    assert.ok(known !== undefined && known.order === undefined, `${item} was taken off the shelf`);
    known.isTaken = true;
    product.onShelf -= 1;
  }
  enterDeed(month, who, 'StockWithdrawn', { requestId: body.requestId, productId });
}

export async function changePrice(month: Month, product: LedgerProduct): Promise<void> {
  const { shop, random } = month;
  const { productId, priceMicros } = product;
  const who = by(month, OPERATOR);
  const micros = random.between(1, 400) * 10_000;
  if (micros === priceMicros) return;
  const { requestId } = await shop.tell(OPERATOR, 'PATCH', `/products/${productId}`, {
    priceUsdt: micros / 1e6,
    ...(who.reason === undefined ? {} : { reason: who.reason }),
  });
  product.priceMicros = micros;
  enterDeed(month, who, 'ProductUpdated', { requestId, productId });
}

function textsOf({ ledger }: Pick<Month, 'ledger'>, lot: LedgerLot): string[] {
  const texts: string[] = [];
  for (let item = 0; ; item += 1) {
    const text = `code ${lot.reference} ${item}`;
    const known = ledger.texts.get(text);
    if (known === undefined) return texts;
    // What was taken off the shelf may come back.
    if (known.isTaken !== true) texts.push(text);
  }
}
