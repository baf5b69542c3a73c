/**
 * One of each kind of order, refund, text and lot that questions are asked about, whatever chance has left out. Done when
 * nobody trades any more, so that nothing changes what it makes. (An order of the late supplier's is made in each shift.)
 */
import assert from 'node:assert/strict';
import { credit, repeatCredit } from './deeds/credit.ts';
import { complete, fail, open, pay } from './deeds/order.ts';
import { buy } from './deeds/purchase.ts';
import { refundAll, refundAmount, refundItems, repeatRefund } from './deeds/refund.ts';
import { replace } from './deeds/replacement.ts';
import { recall, upload, withdraw } from './deeds/stock.ts';
import { inTurn, type LedgerAccount, type LedgerOrder, type LedgerProduct } from './ledger.ts';
import type { Month } from './month.ts';

/** Enough for all of it, at any price. */
const MONEY_MICROS = 500_000_000;
const LOT = 20;

export async function doOneOfEach(month: Month): Promise<void> {
  const [account] = month.ledger.accounts;
  assert.ok(account);
  await inTurn(account, () => tradeWith(month, account));
  const [completed, failed] = [
    await buyOne(month, account, productOf(month, 'manual'), 2),
    await buyOne(month, account, productOf(month, 'manual'), 1),
  ];
  await complete(month, completed);
  await fail(month, failed);
  const stock = productOf(month, 'stock');
  await open(month, account, stock);
  await pay(month, await open(month, account, stock));
  await moveStock(month, account, stock);
}

async function tradeWith(month: Month, account: LedgerAccount): Promise<void> {
  await credit(month, account, MONEY_MICROS);
  await credit(month, account, -10_000);
  const [known] = account.credits;
  assert.ok(known);
  await repeatCredit(month, account, known);
  const stock = productOf(month, 'stock');
  await upload(month, stock, LOT);
  await buyOne(month, account, stock, 3);
  const inItems = await buyOne(month, account, stock, 3);
  await refundItems(month, inItems, 1);
  await refundItems(month, inItems, 1);
  const inAmounts = await buyOne(month, account, stock, 3);
  await refundAmount(month, inAmounts, 1);
  await refundAmount(month, inAmounts, 2);
  const [first] = inAmounts.refunds;
  assert.ok(first);
  await repeatRefund(month, inAmounts, first);
  await refundAll(month, await buyOne(month, account, stock, 1));
  await replace(month, await buyOne(month, account, stock, 2));
  await buyOne(month, account, productOf(month, 'manual'), 1);
  await buyOne(month, account, productOf(month, 'recipient'), 1);
  await buyOne(month, account, productOf(month, 'supplied'), 1);
  await buy(month, account, productOf(month, 'empty'), 1);
}

/** A lot that is sold in part is recalled, and one that nobody bought of; some items are taken off, and some are left. */
async function moveStock(month: Month, account: LedgerAccount, stock: LedgerProduct): Promise<void> {
  const { texts } = month.ledger;
  const [text = ''] = (await buyOne(month, account, stock, 1)).texts;
  const sold = texts.get(text)?.lot;
  assert.ok(sold !== undefined && sold.recall === undefined, 'nothing is sold of a lot that is recalled');
  await recall(month, sold);
  await recall(month, await upload(month, stock, LOT));
  await upload(month, stock, LOT);
  await withdraw(month, stock, 1);
}

async function buyOne(
  month: Month,
  account: LedgerAccount,
  product: LedgerProduct,
  quantity: number,
): Promise<LedgerOrder> {
  const order = await buy(month, account, product, quantity);
  assert.ok(order, `${product.kind} is for sale`);
  return order;
}

function productOf({ ledger }: Month, kind: LedgerProduct['kind']): LedgerProduct {
  return ledger.products.find((product) => product.kind === kind) ?? assert.fail(`nothing is ${kind}`);
}
