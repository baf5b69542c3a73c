/** The lists of orders are proved against the facts: sound after any folds, and no row can be lost, added or changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderIndexAudit } from '../../../src/persistence/checkpoint/order-index-audit.ts';
import { DamagedDataError } from '../../../src/persistence/codec/byte-reader.ts';
import { seal, unseal } from '../../../src/persistence/codec/sealed-row.ts';
import { OrderScene } from '../../http/operator/order-scene.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const TABLES = ['orderLists', 'orderStatuses', 'recipients', 'recoveredOrders'] as const;
const STEPS = { transactionFacts: 70, stepFacts: 20 };
/** Rows of each table, which are damaged one at a time; each damage is another audit of all facts. */
const ROWS = roundsOr(2);

test('no row of the lists of orders can be lost, added or changed', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const temporary = await createTemporaryFolder('order-index');
  const scene = await OrderScene.open(temporary.path, random);
  context.after(async () => {
    await scene.close();
    await temporary.remove();
  });
  for (let fold = 0; fold < 3; fold += 1) {
    for (let step = 0; step < 120; step += 1) scene.happen();
    await scene.fold(STEPS);
    scene.forget();
  }
  const { tables } = scene;
  const audit = (): void => {
    const found = new OrderIndexAudit();
    for (const [index, fact] of scene.facts.entries()) found.add(fact, index + 1);
    found.finish(tables);
  };
  audit();
  for (const name of TABLES) {
    const rows = Array.from(tables[name].getRange(), ({ key, value }) => [key, Buffer.from(value)] as const);
    for (const [key, row] of random.sample(rows, ROWS)) {
      const payload = Buffer.from(unseal(name, key, row));
      payload[payload.length - 1] = (payload[payload.length - 1] ?? 0) ^ 1;
      const flipped = Buffer.from(row);
      flipped[0] = (flipped[0] ?? 0) ^ 1;
      const elsewhere = Buffer.from(key);
      elsewhere[key.length - 6] = (elsewhere[key.length - 6] ?? 0) ^ 1;
      tables[name].removeSync(key);
      assert.throws(audit, DamagedDataError, `a row of ${name} is lost`);
      tables[name].putSync(elsewhere, seal(elsewhere, unseal(name, key, row)));
      assert.throws(audit, DamagedDataError, `a row of ${name} is in another place`);
      tables[name].removeSync(elsewhere);
      for (const [what, damaged] of [
        ['changed', seal(key, payload)],
        ['damaged', flipped],
      ] as const) {
        tables[name].putSync(key, damaged);
        assert.throws(audit, DamagedDataError, `a row of ${name} is ${what}`);
      }
      tables[name].putSync(key, row);
    }
    audit();
  }
});
