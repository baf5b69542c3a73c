/** New texts for bad ones; the old ones were sold, and stay so. */
import assert from 'node:assert/strict';
import { type LedgerOrder, unrefundedPlaces } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month, saying } from '../month.ts';

type Delivered = { readonly delivery?: { readonly items?: readonly string[] } };

const OPERATOR = 'anna';

/**
 * In the account's turn. Of a completed order of own stock. Not where the node is killed: an answer that is lost may have
 * shown the texts, which is a deed, and who knows?
 */
export async function replace(month: Month, order: LedgerOrder): Promise<void> {
  const { shop, ledger, random } = month;
  const { orderId, account, product } = order;
  const left = unrefundedPlaces(order);
  if (left.length === 0 || shop.shift.hasKill) return;
  const items = random.sample(left, random.between(1, left.length));
  const who = by(month, OPERATOR);
  const headers = { 'idempotency-key': freshKey(month, 'replace') };
  const ask = () =>
    shop.ask<Delivered>(OPERATOR, 'POST', `/orders/${orderId}/replace`, saying(who, { items }), headers);
  const { status, body, text: answer } = await ask();
  if (body.error === 'OUT_OF_STOCK') return;
  assert.equal(status, 200, answer);
  const texts = body.delivery?.items ?? [];
  const oldTexts = items.map((item) => order.texts[item] ?? '');
  for (const [item, text] of texts.entries()) {
    if (!items.includes(item)) assert.equal(text, order.texts[item], 'an item that nobody wanted replaced');
    else ledger.sell(text, order);
  }
  order.texts = [...texts];
  order.replacements = [...order.replacements, { oldTexts }];
  const of = { orderId, accountId: account.accountId, productId: product.productId };
  enterDeed(month, who, 'OrderItemsReplaced', { ...of, requestId: body.requestId });
  // Who is shown the texts has seen them, and that is a deed.
  enterDeed(month, who, 'ItemTextsShown', { ...of, requestId: body.requestId });
  if (!random.chance(0.3)) return;
  const { body: again } = await ask();
  assert.deepEqual(again.delivery?.items, order.texts, 'the same key replaces once');
  enterDeed(month, who, 'ItemTextsShown', { ...of, requestId: again.requestId });
}
