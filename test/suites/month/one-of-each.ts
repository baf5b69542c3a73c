/**
 * One of each kind of order, refund, text and lot that questions are asked about, whatever chance has left out. Done when
 * nobody trades any more, so that nothing changes what it makes. (An order of the late supplier's is made in each shift.)
 */
import assert from 'node:assert/strict';
import { credit, repeatCredit } from './deeds/credit.ts';
import { complete, fail } from './deeds/order.ts';
import { buy } from './deeds/purchase.ts';
import { refundAll, refundAmount, refundItems, repeatRefund } from './deeds/refund.ts';
import { replace } from './deeds/replacement.ts';
import { recall, upload, withdraw } from './deeds/stock.ts';
import type { LedgerOrder, LedgerProduct } from './ledger.ts';
import type { Month } from './month.ts';

/** Enough for all of it, at any price. */
const MONEY_MICROS = 500_000_000;
const LOT = 20;

export async function doOneOfEach(month: Month): Promise<void> {
  const { ledger } = month;
  const [account] = ledger.accounts;
  assert.ok(account);
  const productOf = (kind: LedgerProduct['kind']) =>
    ledger.products.find((product) => product.kind === kind) ?? assert.fail(`nothing is ${kind}`);
  const buyOne = async (kind: LedgerProduct['kind'], quantity: number): Promise<LedgerOrder> =>
    (await buy(month, account, productOf(kind), quantity)) ?? assert.fail(`${kind} is for sale`);
  const stock = productOf('stock');

  await credit(month, account, MONEY_MICROS);
  await credit(month, account, -10_000);
  await repeatCredit(month, account);
  await upload(month, stock, LOT);
  await buyOne('stock', 3);
  await refundItems(month, await buyOne('stock', 3));
  const inAmounts = await buyOne('stock', 3);
  await refundAmount(month, inAmounts);
  await repeatRefund(month, inAmounts);
  await refundAll(month, await buyOne('stock', 1));
  await replace(month, await buyOne('stock', 2));
  for (const kind of ['manual', 'recipient', 'supplied'] as const) await buyOne(kind, 1);
  await complete(month, await buyOne('manual', 2));
  await fail(month, await buyOne('manual', 1));

  // A lot that is sold in part is recalled, and one that nobody bought of; some items are taken off, and some are left.
  const [text = ''] = (await buyOne('stock', 1)).texts;
  const sold = ledger.texts.get(text)?.lot;
  assert.ok(sold !== undefined && sold.recall === undefined, 'nothing is sold of a lot that is recalled');
  await recall(month, sold);
  await recall(month, await upload(month, stock, LOT));
  await upload(month, stock, LOT);
  await withdraw(month, stock, 1);
}
