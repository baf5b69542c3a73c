/**
 * A month of a shop, and every question that an operator may have after it, each answer compared with an outside ledger.
 *
 * Five operators with different roles credit, correct, refund, replace, recall, freeze, and change prices, over a real
 * node and real HTTP, while buyers buy; the node is killed under load at times. The ledger has what was answered, in
 * plain arrays. The node's clock is moved, so that days and the month end in between.
 *
 * The short form has 800 purchases in five shifts of three days and one kill; the long one (PURSER_TEST_LONG) a million
 * in 66 shifts of 33 days and 14 kills. PURSER_TEST_PURCHASES sets another number.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { isLongRun, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { assertSound } from '../crash/sound-folder.ts';
import { shiftsOf } from './calendar.ts';
import { Ledger } from './ledger.ts';
import type { Month } from './month.ts';
import { openShop } from './opening.ts';
import { QUESTIONS } from './questions/all.ts';
import { runMonth } from './shifts.ts';
import { Shop } from './shop.ts';

const IS_LONG = isLongRun();
const PURCHASES = Number(process.env.PURSER_TEST_PURCHASES ?? (IS_LONG ? 1_000_000 : 800));
const ACCOUNTS = IS_LONG ? 40 : 8;
const TIMEOUT_MS = IS_LONG ? 3 * 60 * 60_000 : 240_000;

describe(`a month of ${PURCHASES} purchases`, { timeout: TIMEOUT_MS, concurrency: 1 }, () => {
  let folder: TemporaryFolder;
  let month: Month;
  let supplier: ReferenceSupplier | undefined;
  let shop: Shop | undefined;

  before(async () => {
    folder = await createTemporaryFolder('month');
    const random = randomFromEnvironment();
    console.log(`seed ${random.seed}, data folder ${folder.path} (kept when this fails)`);
    const shifts = shiftsOf(IS_LONG);
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    supplier.available = 'unlimited';
    supplier.lateMs = TIMEOUT_MS;
    shop = await Shop.open(folder.path, shifts);
    month = { shop, ledger: new Ledger(), supplier, random, isLong: IS_LONG };
    await openShop(shop, month.ledger, supplier, ACCOUNTS);
    await runMonth(month, { shifts, purchasesPerShift: Math.ceil(PURCHASES / shifts.length) });
  });

  after(async () => {
    await supplier?.stop();
    await shop?.kill();
  });

  test('the month has happened', () => {
    const { orders, deeds } = month.ledger;
    assert.ok(orders.length >= PURCHASES);
    assert.ok(deeds.length > orders.length / 100, 'operators were busy');
  });

  for (const { title, ask } of QUESTIONS) test(title, () => ask(month));

  test('the folder is sound', async () => {
    await month.shop.stop();
    await assertSound(folder.path);
    await folder.remove();
  });
});
