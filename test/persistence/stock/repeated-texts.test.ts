/** The lines of `purser verify` on texts that two products have: those that count, within bounds, and no others. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import { State } from '../../../src/engine/state.ts';
import { openStockFile } from '../../../src/persistence/stock/file/stock-file.ts';
import { holderIn } from '../../../src/persistence/stock/file/stock-fingerprints.ts';
import { RepeatedTexts } from '../../../src/persistence/stock/repeated-texts.ts';
import { NOW_MS, PRODUCT } from '../../engine/commands.ts';
import { StockScene } from './stock-scene.ts';

const [FIRST, SECOND, ALIKE, ALSO_ALIKE] = [1, 2, 3, 4];

async function shop(context: TestContext) {
  const scene = await StockScene.open();
  context.after(() => scene.close());
  const state = new State();
  for (const productId of [FIRST, SECOND, ALIKE, ALSO_ALIKE]) {
    const profile = { ...PRODUCT, allowDuplicates: productId === ALIKE || productId === ALSO_ALIKE };
    apply(state, { kind: 'ProductCreated', productId, profile, atMs: NOW_MS });
  }
  let lotId = 0;
  const upload = async (productId: number, lines: readonly string[]) => {
    const firstItem = scene.end(productId);
    await scene.upload(productId, lines, true);
    lotId += 1;
    const lot = { lotId };
    apply(state, { kind: 'StockAdded', productId, firstItem, count: lines.length, lot, atMs: NOW_MS });
  };
  const report = async (limit?: number) => {
    await scene.closeStore();
    const file = openStockFile(scene.file, scene.keys, { isReadOnly: true });
    try {
      const repeated = new RepeatedTexts(limit);
      for (const { key, value } of file.fingerprints.getRange()) repeated.add(key, holderIn(key, value));
      return repeated.report(file, state);
    } finally {
      await file.environment.close();
    }
  };
  return { scene, state, upload, report };
}

test('texts of two products are told, with where they are, and those of orders among them', async (context) => {
  const { scene, upload, report } = await shop(context);
  await upload(FIRST, ['own', 'a b', 'sold', 'bought']);
  await upload(SECOND, ['other', ' A\u200b B', ' a\u200b b']);
  await upload(SECOND, ['sold', 'sold']);
  await scene.deliverByHand(8, SECOND, ['bought', 'more']);
  const said = await report();
  assert.match(said, /^texts: 3 in two products or more/);
  for (const places of [
    'item 1 of product 1 and item 2 of product 2',
    'item 2 of product 1 and item 3 of product 2',
    'item 3 of product 1 and order 8 of product 2',
  ])
    assert.ok(said.includes(places), said);
});

test('nothing is told of texts that a product has alone, that were withdrawn, or whose goods are alike', async (context) => {
  const { scene, state, upload, report } = await shop(context);
  await upload(FIRST, ['twice', 'twice', 'Case', 'gone']);
  await upload(SECOND, ['case']);
  for (const productId of [ALIKE, ALSO_ALIKE]) await upload(productId, ['pin', 'pin', 'pin']);
  const ranges = [{ firstItem: 3, count: 1 }];
  apply(state, { kind: 'StockWithdrawn', productId: FIRST, ranges, atMs: NOW_MS });
  await upload(SECOND, ['gone']);
  // An upload that came to nothing has left its rows.
  await scene.abandon(SECOND, ['twice'], true);
  assert.equal(await report(), 'texts: none is in two products');
});

test('more than the limit are not looked at, and that is said', async (context) => {
  const { upload, report } = await shop(context);
  const lines = ['one', 'two', 'three'];
  await upload(FIRST, lines);
  await upload(SECOND, lines);
  assert.match(await report(3), /^texts: 3 in two/);
  assert.match(await report(2), /^texts: 2 of the first 2 that came more than once in two/);
});
