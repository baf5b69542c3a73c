/**
 * Texts that the gap sold are not sold again, once their receipt is there: those that a supplier was asked for across
 * the fork, those that were taken off the shelf and came back under another number, and those that an order had before
 * it was given others.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ReferenceSupplier } from '../../../../examples/supplier/reference-supplier.ts';
import { beginEpoch } from '../../../persistence/restored-folder.ts';
import { GapScene, type TakenIn } from '../../../recovery/gap-scene.ts';
import { eventually } from '../../../support/eventually.ts';
import type { QuietNode } from '../../../support/nodes/quiet-node.ts';
import { ok } from '../../../support/operator-client.ts';

let scene: GapScene;
let supplier: ReferenceSupplier;
const products = new Map<string, number>();

const productOf = (name: string): number => products.get(name) ?? assert.fail(name);
const replace = (node: QuietNode, name: string, key: string) =>
  ok(node.operator.adjustOrder(scene.of(name).orderId, 'replace', { items: [0] }, key));

/** The hold of a purchase is at the fork; what else is above the copy is the gap. */
before(async () => {
  supplier = await ReferenceSupplier.start('a secret of the supplier');
  supplier.lateMs = 60_000;
  scene = await GapScene.start('sold-once');
  const { lost } = scene;
  const buyer = await scene.newBuyer('b');
  const { url, secret } = supplier;
  const { supplierId } = await ok(lost.operator.createSupplier({ name: 'Codes', url, secret }));
  for (const [name, items, supplierSku] of [
    ['across the fork', [], 'late'],
    ['promised', [], 'later'],
    ['given back', ['same text', 'other'], undefined],
    ['replaced', ['A'], undefined],
  ] as const) {
    const source = supplierSku === undefined ? {} : { supplierId, supplierSku };
    products.set(name, await scene.newProduct(source, items));
  }
  const buy = (name: string) => scene.buy(name, buyer, productOf(name));
  await buy('replaced');
  const bought = buy('across the fork');
  await eventually('the purchase at the supplier', async () => supplier.purchases.size === 1);
  const copy = await scene.copy();
  supplier.answerLate();
  await bought;
  await scene.keepReceipt('across the fork');

  for (let count = 0; count < 2; count += 1)
    await ok(lost.operator.withdrawStock(productOf('given back'), 1));
  await ok(lost.operator.addStock(productOf('given back'), ['same text']));
  await buy('given back');
  await scene.keepReceipt('given back');
  await ok(lost.operator.addStock(productOf('replaced'), ['B']));
  await replace(lost, 'replaced', 'dead');
  await scene.keepReceipt('replaced');
  const promised = await buy('promised');
  await scene.keepReceipt('promised');
  await ok(lost.operator.moveOrder(promised, 'complete', { items: ['Y'] }));
  await scene.keepReceipt('promised');
  await beginEpoch(copy.path, 2);
  await scene.restore(copy);
});
after(async () => {
  await scene.close();
  await supplier.stop();
});

async function takeIn(...lines: readonly string[]): Promise<TakenIn['pending']> {
  const { pending, invalid } = await scene.takeIn(...lines);
  assert.deepEqual(invalid, []);
  return pending;
}

const itemsOf = async (name: string) => (await scene.now(name)).delivery?.items;

/** Uploads it, and tells how many of it are for sale, and how many are not because a buyer has them. */
async function upload(name: string, text: string): Promise<[added: number, quarantined: number]> {
  const body = { items: [text] };
  const added = await ok(scene.restored.operator.json('POST', `/products/${productOf(name)}/stock`, body));
  const { quarantined = 0 } = added as unknown as { quarantined?: number };
  return [added.added ?? 0, quarantined];
}

async function assertNothingForSale(name: string): Promise<void> {
  const { items } = await ok(scene.restored.operator.withdrawStock(productOf(name), 9));
  assert.deepEqual(items, [], name);
}

test('what a supplier delivers late, of a purchase that was open at the fork, is set aside until its receipt comes', async () => {
  await eventually('the end of the purchase', async () => {
    const { supplierPurchases = [] } = await ok(scene.restored.operator.listSupplierPurchases());
    return supplierPurchases.length === 0;
  });
  await assertNothingForSale('across the fork');
  assert.deepEqual(await takeIn(...scene.receiptsOf('across the fork')), []);
  const { items } = scene.of('across the fork').order.delivery ?? {};
  assert.equal(items?.length, 1);
  assert.deepEqual(await itemsOf('across the fork'), items);
  await assertNothingForSale('across the fork');
  const { quarantined } = (await ok(scene.restored.operator.json('GET', '/restore'))) as {
    quarantined?: number;
  };
  assert.equal(quarantined, 0);
});

test('an item that the gap took off the shelf, and sold under another number, leaves the shelf', async () => {
  assert.deepEqual(await takeIn(...scene.receiptsOf('given back')), []);
  assert.deepEqual(await itemsOf('given back'), ['same text']);
  const { items } = await ok(scene.restored.operator.withdrawStock(productOf('given back'), 9));
  assert.deepEqual(items, ['other']);
});

test('what an order had is not for sale, though it was completed by hand with something else', async () => {
  const [early = '', late = ''] = scene.receiptsOf('promised');
  const [before] = await takeIn(early);
  assert.match(before?.reason ?? '', /not delivered yet/);
  await ok(scene.restored.operator.moveOrder(scene.of('promised').orderId, 'complete', { items: ['X'] }));
  for (const times of ['once', 'again']) {
    const [told] = await takeIn(late);
    assert.match(told?.reason ?? '', /its buyer had 1 items before it was given others/, times);
  }
  assert.deepEqual(await itemsOf('promised'), ['X']);
  assert.deepEqual(await upload('promised', 'Y'), [1, 1]);
  await assertNothingForSale('promised');
});

test('nor when an item of the gap was replaced again after the restore, and its receipt is taken in again', async () => {
  const [receipt = ''] = scene.receiptsOf('replaced');
  assert.match((await takeIn(receipt))[0]?.reason ?? '', /1 of its items took the places of others/);
  await ok(scene.restored.operator.json('POST', '/restore/open', { all: 'keep' }));
  assert.deepEqual(await upload('replaced', 'C'), [1, 0]);
  await replace(scene.restored, 'replaced', 'dead too');
  for (const times of ['once', 'again']) {
    const [told] = await takeIn(receipt);
    assert.match(told?.reason ?? '', /its buyer had 1 items before it was given others/, times);
  }
  assert.deepEqual(await upload('replaced', 'B'), [1, 1]);
  await assertNothingForSale('replaced');
  await takeIn(receipt);
  assert.deepEqual(await takeIn(receipt), [], 'they are the order’s now');
  assert.deepEqual(await itemsOf('replaced'), ['C']);
});

test('and the folder is sound', () =>
  scene.assertSound(/stock: 7 items .*, 1 delivered by hand or by a supplier, 2 kept with orders/));
