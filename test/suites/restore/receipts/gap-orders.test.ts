/**
 * What a gap made, and what happened to its orders afterwards: accounts and products that are created again under their
 * numbers, several receipts of one order in any order, and orders that have to be delivered by hand.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { beginEpoch } from '../../../persistence/restored-folder.ts';
import type { BuyerBody } from '../../../support/buyer-client.ts';
import { ok } from '../../../support/operator-client.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

interface TakenIn {
  readonly recovered: number;
  readonly repeated: number;
  readonly waiting: number;
  readonly pending: readonly { readonly orderId: number; readonly reason: string }[];
  readonly invalid: readonly { readonly reason: string }[];
}

interface Buyer {
  readonly accountId: number;
  apiKey: string;
}

let lost: QuietNode;
let restored: QuietNode;
let rich: Buyer;
let young: Buyer;
let [codes, manual, newcomer] = [0, 0, 0];
/** As the shop that was lost had it in the end. */
const last = new Map<number, BuyerBody>();
/** By name, the oldest first. */
const receipts = new Map<string, string[]>();
const ids = new Map<string, number>();

const idOf = (name: string): number => ids.get(name) ?? assert.fail(name);
const receiptsOf = (name: string): readonly string[] => receipts.get(name) ?? assert.fail(name);

async function newBuyer(name: string): Promise<Buyer> {
  const { accountId = 0 } = await ok(lost.operator.createAccount({ name, rateLimitPerMinute: null }));
  await ok(lost.operator.credit(accountId, 1_000, 'first'));
  const { apiKey = '' } = await ok(lost.operator.issueKey(accountId));
  return { accountId, apiKey };
}

async function newProduct(fields: object, items: readonly string[] = []): Promise<number> {
  const { productId = 0 } = await ok(lost.operator.createProduct({ name: 'Goods', priceUsdt: 1, ...fields }));
  if (items.length > 0) await ok(lost.operator.addStock(productId, items));
  return productId;
}

async function buy(name: string, buyer: Buyer, productId: number, quantity = 1): Promise<number> {
  const body = { productId, quantity, expectedPriceUsdt: quantity };
  const { status, text, body: order } = await lost.buyers.purchase(buyer.apiKey, `key of ${name}`, body);
  assert.equal(status, 201, text);
  ids.set(name, order.orderId ?? 0);
  return order.orderId ?? 0;
}

async function keepReceipt(name: string, { apiKey }: Buyer = rich): Promise<void> {
  const { receipt = '' } = (await lost.buyers.receipt(apiKey, idOf(name))).body;
  receipts.set(name, [...(receipts.get(name) ?? []), receipt]);
  last.set(idOf(name), (await lost.buyers.order(apiKey, idOf(name))).body);
}

const replace = (orderId: number, key: string) =>
  ok(lost.operator.adjustOrder(orderId, 'replace', { items: [0] }, key));

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
  lost = await QuietNode.start('lost-gap-orders');
  rich = await newBuyer('rich');
  codes = await newProduct(
    {},
    Array.from({ length: 60 }, (_, index) => `code ${index}`),
  );
  manual = await newProduct({ type: 'manual' });
  await buy('from before', rich, codes, 2);
  await lost.stop();
  const copy = await createTemporaryFolder('restored-gap-orders');
  cpSync(lost.folder.path, copy.path, { recursive: true, filter: (path) => !/\/lock\./.test(path) });
  await beginEpoch(copy.path, 2);
  await lost.restart();

  await replace(idOf('from before'), 'dead');
  await keepReceipt('from before');
  for (const [way] of WAYS.entries()) {
    const name = `replaced ${way}`;
    const orderId = await buy(name, rich, codes, 2);
    await keepReceipt(name);
    await replace(orderId, 'dead');
    await keepReceipt(name);
    await replace(orderId, 'dead again');
    await keepReceipt(name);
    const byHand = await buy(`by hand ${way}`, rich, manual, 2);
    await keepReceipt(`by hand ${way}`);
    await ok(lost.operator.moveOrder(byHand, 'complete', { items: [`first ${way}`, `second ${way}`] }));
    await keepReceipt(`by hand ${way}`);
    await ok(lost.operator.adjustOrder(byHand, 'refund', { amountUsdt: 1 }, 'late'));
    await keepReceipt(`by hand ${way}`);
  }
  young = await newBuyer('young');
  await buy('of a new account', young, codes);
  await keepReceipt('of a new account', young);
  newcomer = await newProduct({}, ['new 0', 'new 1', 'new 2', 'new 3']);
  const orderId = await buy('of a new product', rich, newcomer, 2);
  await keepReceipt('of a new product');
  await replace(orderId, 'dead');
  await keepReceipt('of a new product');
  await lost.stop();
  restored = await QuietNode.start(copy);
});
after(async () => {
  await lost.folder.remove();
  await restored.close();
});

async function takeIn(...lines: readonly string[]): Promise<TakenIn> {
  const type = { 'content-type': 'text/plain' };
  const reply = await restored.operator.request('POST', '/restore/receipts', type, lines.join('\n'));
  assert.equal(reply.status, 200, reply.text);
  return reply.body as unknown as TakenIn;
}

const orderNow = async (name: string, { apiKey }: Buyer = rich): Promise<BuyerBody> => {
  const { requestId: _, ...body } = (await restored.buyers.order(apiKey, idOf(name))).body;
  return body as BuyerBody;
};

async function assertAsItWas(name: string, buyer: Buyer = rich): Promise<void> {
  const { requestId: _, ...expected } = last.get(idOf(name)) ?? assert.fail(name);
  assert.deepEqual(await orderNow(name, buyer), expected, name);
}

/** All that was decided is in the checkpoint then, and read from there. */
async function assertSound(expected = /no errors found/): Promise<void> {
  const [orderId] = ids.values();
  await ok(restored.operator.json('GET', `/orders/${orderId}/timeline`));
  await restored.stop();
  const lines: string[] = [];
  assert.ok(await verifyDataFolder(restored.folder.path, (line) => lines.push(line)), lines.join('\n'));
  assert.match(lines.join('\n'), expected);
  await restored.restart();
}

const stockOf = async (productId: number) =>
  (await ok(restored.operator.getProduct(productId))).availableStock;
const balanceOf = async ({ accountId }: Buyer) =>
  (await ok(restored.operator.getAccount(accountId))).balanceUsdt;

test('what is lost with the gap is named, with the command that creates it again', async () => {
  const [account, product] = (
    await takeIn(...receiptsOf('of a new account'), ...receiptsOf('of a new product'))
  ).invalid;
  const name = `purser account create --id ${young.accountId} --name NAME`;
  assert.match(account?.reason ?? '', new RegExp(`account ${young.accountId} is not there: .*"${name}"`));
  const price = `purser product create --id ${newcomer} --name NAME --price USDT`;
  assert.match(product?.reason ?? '', new RegExp(`product ${newcomer} is not there: .*"${price}"`));
});

test('only a number that a restore leapt over, and that nobody has, is given again', async () => {
  const cases: readonly (readonly [path: string, body: object, status: number, message: RegExp])[] = [
    ['/accounts', { accountId: rich.accountId, name: 'a' }, 409, /There is account 1 already/],
    [
      '/accounts',
      { accountId: 5_000, name: 'a' },
      400,
      /no restore has leapt over account 5000.*Leave accountId out/,
    ],
    ['/accounts', { accountId: 0, name: 'a' }, 400, /accountId/],
    ['/products', { productId: codes, name: 'a', priceUsdt: 1 }, 409, /There is product 1 already/],
    ['/products', { productId: 5_000, name: 'a', priceUsdt: 1 }, 400, /leapt over product 5000/],
    ['/products', { productId: 1.5, name: 'a', priceUsdt: 1 }, 400, /productId/],
  ];
  for (const [path, body, status, message] of cases) {
    const reply = await restored.operator.json('POST', path, body);
    assert.equal(reply.status, status, reply.text);
    assert.match(reply.body.message ?? '', message);
  }
});

test('the receipts of an account that is created again work, and its debit waits for its credit', async () => {
  const { accountId } = young;
  const created = await ok(restored.operator.json('POST', '/accounts', { accountId, name: 'young again' }));
  assert.deepEqual([created.accountId, created.balanceUsdt], [accountId, 0]);
  const again = await restored.operator.json('POST', '/accounts', { accountId, name: 'twice' });
  assert.equal(again.status, 409);
  const { recovered, waiting } = await takeIn(...receiptsOf('of a new account'));
  assert.deepEqual([recovered, waiting], [1, 1]);
  await ok(restored.operator.credit(accountId, 1_000, 'first'));
  assert.equal(await balanceOf(young), 999);
  young.apiKey = (await ok(restored.operator.issueKey(accountId))).apiKey ?? '';
  await assertAsItWas('of a new account', young);
  const later = (await ok(restored.operator.createAccount({ name: 'later' }))).accountId ?? 0;
  assert.ok(later > accountId + 100, 'the next one has a number behind the leap');
  const { accounts = [] } = await ok(restored.operator.json('GET', '/accounts'));
  assert.deepEqual(
    accounts.map((account) => account.accountId),
    [rich.accountId, accountId, later],
  );
});

test('of a product that is created again nothing is sold twice, though its upload comes after the receipts', async () => {
  const before = await balanceOf(rich);
  const body = { productId: newcomer, name: 'New again', priceUsdt: 1 };
  assert.equal((await ok(restored.operator.json('POST', '/products', body))).productId, newcomer);
  const { pending } = await takeIn(...receiptsOf('of a new product'));
  assert.match(pending[0]?.reason ?? '', /^2 of its 2 items were not found/);
  assert.deepEqual(
    pending.map(({ orderId }) => orderId),
    [idOf('of a new product')],
  );
  await assertSound();
  assert.equal(await balanceOf(rich), Number(before) - 2);
  const upload = { items: ['new 3', 'new 2', 'new 1', 'new 0'] };
  const added = await ok(restored.operator.json('POST', `/products/${newcomer}/stock`, upload));
  assert.deepEqual(
    [added.added, (added as unknown as { quarantined: number }).quarantined, added.availableStock],
    [4, 3, 1],
    'two that it has, and one that it had before',
  );
  const { added: twice, duplicates } = await ok(restored.operator.addStock(newcomer, upload.items));
  assert.deepEqual([twice, duplicates], [0, 4]);
  const released = await ok(restored.operator.json('POST', '/restore/release', { productId: newcomer }));
  assert.ok(released.success);
  assert.equal(await stockOf(newcomer), 1, 'a release knows of them, too');
  const { pending: none, repeated } = await takeIn(...receiptsOf('of a new product'));
  assert.deepEqual([none, repeated], [[], 2]);
  await assertAsItWas('of a new product');
  assert.deepEqual((await ok(restored.operator.withdrawStock(newcomer, 9))).items, ['new 3']);
});

test('several receipts of one order, in any order and in several files, come to what the newest says', async () => {
  const had = await stockOf(codes);
  for (const [way, files] of WAYS.entries()) {
    const name = `replaced ${way}`;
    for (const file of files) {
      const { invalid } = await takeIn(...file.map((number) => receiptsOf(name)[number] ?? ''));
      assert.deepEqual(invalid, [], name);
    }
    await assertAsItWas(name);
  }
  assert.equal(
    await stockOf(codes),
    Number(had) - 4 * WAYS.length,
    'two items that it has, and two that it had',
  );
  const before = await stockOf(codes);
  await takeIn(...WAYS.flatMap((_, way) => receiptsOf(`replaced ${way}`)).toReversed());
  for (const [way] of WAYS.entries()) await assertAsItWas(`replaced ${way}`);
  assert.equal(await stockOf(codes), before);
});

test('an item that the gap put into an order from before it is there, and off sale', async () => {
  const had = await stockOf(codes);
  await takeIn(...receiptsOf('from before'), ...receiptsOf('from before'));
  await assertAsItWas('from before');
  assert.equal(await stockOf(codes), Number(had) - 1);
  const { adjustments = [] } = await ok(restored.operator.getOrder(idOf('from before')));
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
      const { invalid, pending } = await takeIn(...file.map((number) => receiptsOf(name)[number] ?? ''));
      assert.deepEqual(invalid, []);
      assert.equal(pending.at(-1)?.orderId, orderId, 'as long as it is pending');
    }
    const { pending } = await takeIn(receiptsOf(name)[0] ?? '');
    assert.match(pending[0]?.reason ?? '', /2 of its 2 items .* complete it by hand with the same texts/);
    const texts = [`first ${way}`, `second ${way}`];
    const others: readonly (readonly [items: readonly string[], message: RegExp])[] = [
      [[texts[0] ?? '', 'something else'], /with the same texts in the same order: number 2 is another text/],
      [texts.toReversed(), /number 1 is another text/],
      [[...texts, 'one more'], /these are 3, and it had 2/],
      [texts.slice(0, 1), /these are 1, and it had 2/],
    ];
    for (const [items, message] of others) {
      const refused = await restored.operator.moveOrder(orderId, 'complete', { items });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.body.message ?? '', message);
    }
    await ok(restored.operator.moveOrder(orderId, 'complete', { items: texts }));
    await assertAsItWas(name);
    const again = await takeIn(...receiptsOf(name));
    assert.deepEqual([again.repeated, again.pending, again.invalid], [3, [], []]);
    assert.equal((await ok(restored.operator.getOrder(orderId))).refundedUsdt, 1);
  }
});

test('money is what it was, all of it is there after another start, and the folder is sound', async () => {
  const before = await balanceOf(rich);
  await restored.restart();
  assert.equal(await balanceOf(rich), before);
  for (const name of [...receipts.keys()]) {
    await assertAsItWas(name, name === 'of a new account' ? young : rich);
  }
  const all = [...receipts.values()].flat();
  const { repeated, pending, invalid } = await takeIn(...all.toReversed());
  assert.deepEqual([repeated, pending, invalid], [all.length, [], []]);
  await assertSound(/, 8 delivered by hand or by a supplier, 11 kept with orders that receipts put back/);
});
