/**
 * A month of a shop, and where its money is after it: each answer is compared with an outside ledger.
 *
 * Operators with different roles credit, correct, refund, deliver, and change prices, over a real node and real HTTP,
 * while buyers buy; the node is killed under load at times. The ledger has what was answered, in plain arrays.
 * The node's clock is moved, so that days and the month end in between. PURSER_TEST_ROUNDS sets how many purchases.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { assertSound } from '../crash/shop/sound-folder.ts';
import { SHIFTS } from './calendar.ts';
import { Ledger } from './ledger.ts';
import type { Month } from './month.ts';
import { openShop } from './opening.ts';
import * as orders from './questions/orders.ts';
import * as report from './questions/report.ts';
import * as statements from './questions/statements.ts';
import { runMonth } from './shifts.ts';
import { Shop } from './shop.ts';

const PURCHASES = roundsOr(30_000);
const ACCOUNTS = 12;
const NEVER_MS = 24 * 60 * 60_000;

const QUESTIONS: readonly (readonly [title: string, ask: (month: Month) => Promise<void>])[] = [
  ['one order, its texts, and what was refunded', orders.byId],
  ['a refund that is repeated pays nothing', orders.repeatedRefunds],
  ['statements of any period', statements.movementsProveBalances],
  ['a statement as CSV, again after its month and a kill', statements.csvIsTheSameForEver],
  ['the money of any period', report.equationOfEachPeriod],
];

describe(`a month of ${PURCHASES} purchases`, { concurrency: 1 }, () => {
  let folder: TemporaryFolder;
  let month: Month;
  let supplier: ReferenceSupplier | undefined;
  let shop: Shop | undefined;

  before(async () => {
    folder = await createTemporaryFolder('month');
    const random = randomFromEnvironment();
    console.log(`seed ${random.seed}, data folder ${folder.path} (kept when this fails)`);
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    supplier.available = 'unlimited';
    supplier.lateMs = NEVER_MS;
    shop = await Shop.open(folder.path);
    month = { shop, ledger: new Ledger(), supplier, random };
    await openShop(month, ACCOUNTS);
    await runMonth(month, PURCHASES);
  });

  after(async () => {
    await supplier?.stop();
    await shop?.kill();
  });

  test('the month has happened', () => {
    const { orders: made, entries } = month.ledger;
    assert.ok(made.length >= PURCHASES);
    for (const kind of ['deposit', 'refund', 'hold'] as const) {
      const some = entries.filter((entry) => entry.kind === kind);
      assert.ok(some.length >= SHIFTS.length - 1, `hardly any ${kind}`);
    }
  });

  for (const [title, ask] of QUESTIONS) test(title, () => ask(month));

  test('the folder is sound', async () => {
    await month.shop.stop();
    await assertSound(folder.path);
    await folder.remove();
  });
});
