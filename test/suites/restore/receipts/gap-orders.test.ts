/**
 * Orders of a gap, and their changes afterwards: accounts and products that are created again under their numbers,
 * several receipts of one order in any order, and orders that have to be delivered by hand.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { beginEpoch } from '../../../persistence/restored-folder.ts';
import { type Buyer, GapScene } from '../../../recovery/gap-scene.ts';
import { ok } from '../../../support/operator-client.ts';

let scene: GapScene;
let rich: Buyer;
let young: Buyer;
let [codes, manual, newcomer] = [0, 0, 0];

const idOf = (name: string): number => scene.of(name).orderId;
const receiptsOf = (name: string): readonly string[] => scene.of(name).receipts;
const replace = (orderId: number, key: string) =>
  ok(scene.lost.operator.adjustOrder(orderId, 'replace', { items: [0] }, key));

/** Ways in which the receipts of one order come: by their numbers, and each list is a file of its own. */
const WAYS: readonly (readonly (readonly number[])[])[] = [
  [[2, 1, 0]],
  [[0], [1], [2]],
  [[2], [0, 1]],
  [
    [1, 0],
    [2, 2],
  ],
];

before(async () => {
  scene = await GapScene.start('gap-orders');
  rich = await scene.newBuyer('rich');
  codes = await scene.newProduct(
    {},
    Array.from({ length: 60 }, (_, index) => `code ${index}`),
  );
  manual = await scene.newProduct({ type: 'manual' });
  await scene.buy('from before', rich, codes, 2);
  await scene.lost.stop();
  const copy = await scene.copy();
  await beginEpoch(copy.path, 2);
  await scene.lost.restart();
  const { operator } = scene.lost;

  await replace(idOf('from before'), 'dead');
  await scene.keepReceipt('from before');
  for (const [way] of WAYS.entries()) {
    const name = `replaced ${way}`;
    const orderId = await scene.buy(name, rich, codes, 2);
    await scene.keepReceipt(name);
    for (const key of ['dead', 'dead again']) {
      await replace(orderId, key);
      await scene.keepReceipt(name);
    }
    const byHand = await scene.buy(`by hand ${way}`, rich, manual, 2);
    await scene.keepReceipt(`by hand ${way}`);
    await ok(operator.moveOrder(byHand, 'complete', { items: [`first ${way}`, `second ${way}`] }));
    await scene.keepReceipt(`by hand ${way}`);
    await ok(operator.adjustOrder(byHand, 'refund', { amountUsdt: 1 }, 'late'));
    await scene.keepReceipt(`by hand ${way}`);
  }
  young = await scene.newBuyer('young');
  await scene.buy('of a new account', young, codes);
  await scene.keepReceipt('of a new account');
  newcomer = await scene.newProduct({}, ['new 0', 'new 1', 'new 2', 'new 3']);
  const orderId = await scene.buy('of a new product', rich, newcomer, 2);
  await scene.keepReceipt('of a new product');
  await replace(orderId, 'dead');
  await scene.keepReceipt('of a new product');
  await scene.restore(copy);
});
after(() => scene.close());

/** All that was decided is in the checkpoint then, and read from there. */
async function assertSound(expected = /no errors found/): Promise<void> {
  await ok(scene.restored.operator.json('GET', `/orders/${idOf('from before')}/timeline`));
  await scene.assertSound(expected);
  await scene.restored.restart();
}

const stockOf = (productId: number) => scene.stockOf(productId);
const balanceOf = async ({ accountId }: Buyer) =>
  (await ok(scene.restored.operator.getAccount(accountId))).balanceUsdt;

test('the receipts of an account that is created again work, and its debit waits for its credit', async () => {
  const { accountId } = young;
  const created = await ok(
    scene.restored.operator.json('POST', '/accounts', { accountId, name: 'young again' }),
  );
  assert.deepEqual([created.accountId, created.balanceUsdt], [accountId, 0]);
  const again = await scene.restored.operator.json('POST', '/accounts', { accountId, name: 'twice' });
  assert.equal(again.status, 409);
  const { recovered, waiting } = await scene.takeIn(...receiptsOf('of a new account'));
  assert.deepEqual([recovered, waiting], [1, 1]);
  await ok(scene.restored.operator.credit(accountId, 1_000, 'first'));
  assert.equal(await balanceOf(young), 999);
  young.apiKey = (await ok(scene.restored.operator.issueKey(accountId))).apiKey ?? '';
  await scene.assertAsItWas('of a new account');
  const later = (await ok(scene.restored.operator.createAccount({ name: 'later' }))).accountId ?? 0;
  assert.ok(later > accountId + 100, 'the next one has a number behind the skip');
  const { accounts = [] } = await ok(scene.restored.operator.json('GET', '/accounts'));
  assert.deepEqual(
    accounts.map((account) => account.accountId),
    [rich.accountId, accountId, later],
  );
});

test('of a product that is created again nothing is sold twice, though its upload comes after the receipts', async () => {
  const before = await balanceOf(rich);
  const body = { productId: newcomer, name: 'New again', priceUsdt: 1 };
  assert.equal((await ok(scene.restored.operator.json('POST', '/products', body))).productId, newcomer);
  const { pending } = await scene.takeIn(...receiptsOf('of a new product'));
  assert.match(pending[0]?.reason ?? '', /^2 of its 2 items were not found/);
  assert.deepEqual(
    pending.map(({ orderId }) => orderId),
    [idOf('of a new product')],
  );
  await assertSound();
  assert.equal(await balanceOf(rich), Number(before) - 2);
  const upload = { items: ['new 3', 'new 2', 'new 1', 'new 0'] };
  const added = await ok(scene.restored.operator.json('POST', `/products/${newcomer}/stock`, upload));
  assert.deepEqual(
    [added.added, (added as unknown as { quarantined: number }).quarantined, added.availableStock],
    [4, 3, 1],
    'two that it has, and one that it had before',
  );
  const { added: twice, duplicates } = await ok(scene.restored.operator.addStock(newcomer, upload.items));
  assert.deepEqual([twice, duplicates], [0, 4]);
  const released = await ok(
    scene.restored.operator.json('POST', '/restore/release', { productId: newcomer }),
  );
  assert.ok(released.success);
  assert.equal(await stockOf(newcomer), 1, 'a release knows of them, too');
  const { pending: none, repeated } = await scene.takeIn(...receiptsOf('of a new product'));
  assert.deepEqual([none, repeated], [[], 2]);
  await scene.assertAsItWas('of a new product');
  assert.deepEqual((await ok(scene.restored.operator.withdrawStock(newcomer, 9))).items, ['new 3']);
});

test('several receipts of one order, in any order and in several files, come to what the newest says', async () => {
  const had = await stockOf(codes);
  for (const [way, files] of WAYS.entries()) {
    const name = `replaced ${way}`;
    for (const file of files) {
      const { invalid } = await scene.takeIn(...file.map((number) => receiptsOf(name)[number] ?? ''));
      assert.deepEqual(invalid, [], name);
    }
    await scene.assertAsItWas(name);
  }
  assert.equal(
    await stockOf(codes),
    Number(had) - 4 * WAYS.length,
    'two items that it has, and two that it had',
  );
  const before = await stockOf(codes);
  await scene.takeIn(...WAYS.flatMap((_, way) => receiptsOf(`replaced ${way}`)).toReversed());
  for (const [way] of WAYS.entries()) await scene.assertAsItWas(`replaced ${way}`);
  assert.equal(await stockOf(codes), before);
});

test('an item that the gap put into an order from before it is there, and off sale', async () => {
  const had = await stockOf(codes);
  await scene.takeIn(...receiptsOf('from before'), ...receiptsOf('from before'));
  await scene.assertAsItWas('from before');
  assert.equal(await stockOf(codes), Number(had) - 1);
  const { adjustments = [] } = await ok(scene.restored.operator.getOrder(idOf('from before')));
  assert.deepEqual(
    adjustments.map(({ kind, items, oldItems }) => [kind, items, oldItems]),
    [['replacement', [0], [0]]],
  );
});

test('what was delivered by hand is delivered again by hand, with the same texts and no others', async () => {
  for (const [way, files] of WAYS.entries()) {
    const name = `by hand ${way}`;
    const orderId = idOf(name);
    for (const file of files) {
      const { invalid, pending } = await scene.takeIn(
        ...file.map((number) => receiptsOf(name)[number] ?? ''),
      );
      assert.deepEqual(invalid, []);
      assert.equal(pending.at(-1)?.orderId, orderId, 'as long as it is pending');
    }
    const { pending } = await scene.takeIn(receiptsOf(name)[0] ?? '');
    assert.match(pending[0]?.reason ?? '', /2 of its 2 items .* complete it by hand with the same texts/);
    const texts = [`first ${way}`, `second ${way}`];
    const others: readonly (readonly [items: readonly string[], message: RegExp])[] = [
      [[texts[0] ?? '', 'something else'], /with the same texts in the same order: number 2 is another text/],
      [texts.toReversed(), /number 1 is another text/],
      [[...texts, 'one more'], /these are 3, and it had 2/],
      [texts.slice(0, 1), /these are 1, and it had 2/],
    ];
    for (const [items, message] of others) {
      const refused = await scene.restored.operator.moveOrder(orderId, 'complete', { items });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.body.message ?? '', message);
    }
    await ok(scene.restored.operator.moveOrder(orderId, 'complete', { items: texts }));
    await scene.assertAsItWas(name);
    const again = await scene.takeIn(...receiptsOf(name));
    assert.deepEqual([again.repeated, again.pending, again.invalid], [3, [], []]);
    assert.equal((await ok(scene.restored.operator.getOrder(orderId))).refundedUsdt, 1);
  }
});

test('money is what it was, all of it is there after another start, and the folder is sound', async () => {
  const before = await balanceOf(rich);
  await scene.restored.restart();
  assert.equal(await balanceOf(rich), before);
  await scene.assertAsItWas(...scene.sold.keys());
  const all = scene.receiptsOf(...scene.sold.keys());
  const { repeated, pending, invalid } = await scene.takeIn(...all.toReversed());
  assert.deepEqual([repeated, pending, invalid], [all.length, [], []]);
  await assertSound(/, 8 delivered by hand or by a supplier, 11 kept with orders that receipts put back/);
});
