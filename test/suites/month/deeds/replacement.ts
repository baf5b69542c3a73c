/** New texts for bad ones; the old ones were sold, and stay so. */
import assert from 'node:assert/strict';
import type { LedgerOrder } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month } from '../month.ts';

interface ReplacedOrder {
  readonly orderId: number;
  readonly status: string;
  readonly repeated?: boolean;
  readonly delivery?: { readonly items?: readonly string[] };
}

const OPERATOR = 'anna';

/** In the account's turn. Of a completed order of own stock; the repetition of the purchase shows the new texts. */
export async function replace(month: Month, order: LedgerOrder): Promise<void> {
  const { shop, ledger, random } = month;
  const { orderId, account, product } = order;
  const gone = new Set(order.refunds.flatMap(({ items }) => items));
  const left = order.texts.map((_, item) => item).filter((item) => !gone.has(item));
  if (left.length === 0) return;
  const items = random.sample(left, random.between(1, left.length));
  const who = by(month, OPERATOR);
  const key = freshKey(month, 'replace');
  const sent = { items, ...(who.reason === undefined ? {} : { reason: who.reason }) };
  const call = () =>
    shop.ask<ReplacedOrder>(OPERATOR, 'POST', `/orders/${orderId}/replace`, sent, { 'idempotency-key': key });
  const { answer, isFirst } = await shop.insist(call);
  if (answer.body.error === 'OUT_OF_STOCK') return;
  assert.equal(answer.status, 200, answer.text);
  const texts = answer.body.delivery?.items ?? [];
  const oldTexts = items.map((item) => order.texts[item] ?? '');
  for (const [item, text] of texts.entries()) {
    if (!items.includes(item)) assert.equal(text, order.texts[item], 'an item that nobody wanted replaced');
    else ledger.sell(text, order);
  }
  order.texts = [...texts];
  order.replacements = [...order.replacements, { shift: shop.shift, key, items, oldTexts, ...who }];
  const of = { orderId, accountId: account.accountId, productId: product.productId };
  const { requestId, repeated } = answer.body;
  assert.ok(!(isFirst && repeated === true), 'the key was used before');
  enterDeed(month, who, 'OrderItemsReplaced', { ...of, ...(repeated === true ? {} : { requestId }) });
  // Who is shown the texts has seen them, and that is a deed.
  enterDeed(month, who, 'ItemTextsShown', { ...of, requestId });
  if (!isFirst && repeated === true) await enterLostShow(month, who, of);
  // Where the node is killed, who knows how often they were shown?
  if (shop.shift.hasKill || !random.chance(0.3)) return;
  const { answer: again } = await shop.insist(call);
  assert.deepEqual(again.body.delivery?.items, order.texts, 'the same key replaces once');
  enterDeed(month, who, 'ItemTextsShown', { ...of, requestId: again.body.requestId });
}

/** A first answer that was lost may have shown them before: only the node knows. */
async function enterLostShow(
  month: Month,
  who: ReturnType<typeof by>,
  of: { readonly orderId: number; readonly accountId: number; readonly productId: number },
): Promise<void> {
  const { shop, ledger } = month;
  const isShown = (row: { readonly action: string; readonly orderId?: number | undefined }) =>
    row.action === 'ItemTextsShown' && row.orderId === of.orderId;
  const path = `/audit?operator=${OPERATOR}&accountId=${of.accountId}`;
  const told = await shop.all<{ action: string; orderId?: number }>('dora', path, 'entries', 500);
  const lost = told.filter(isShown).length - ledger.deeds.filter(isShown).length;
  assert.ok(lost === 0 || lost === 1, `${lost} answers of one call were lost`);
  if (lost === 1) enterDeed(month, who, 'ItemTextsShown', of);
}
