/**
 * What the gap sold is not sold again, once its receipt is there: what a supplier was asked for across the fork, what was
 * taken off the shelf and came back under another number, and what an order had before it was given something else.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ReferenceSupplier, type Sku } from '../../../../examples/supplier/reference-supplier.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { beginEpoch } from '../../../persistence/restored-folder.ts';
import type { BuyerBody } from '../../../support/buyer-client.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

interface TakenIn {
  readonly pending: readonly { readonly orderId: number; readonly reason: string }[];
  readonly invalid: readonly { readonly reason: string }[];
}

let lost: QuietNode;
let restored: QuietNode;
let supplier: ReferenceSupplier;
let apiKey = '';
let [accountId, supplierId] = [0, 0];
const products = new Map<string, number>();
const orders = new Map<string, BuyerBody>();
/** By name, the oldest first. */
const receipts = new Map<string, string[]>();

const productOf = (name: string): number => products.get(name) ?? assert.fail(name);
const orderIdOf = (name: string): number => orders.get(name)?.orderId ?? assert.fail(name);

async function newProduct(name: string, items: readonly string[], supplierSku?: Sku): Promise<void> {
  const source = supplierSku === undefined ? {} : { supplierId, supplierSku };
  const fields = { name, type: 'standard', priceUsdt: 1, ...source };
  const { productId = 0 } = await ok(lost.operator.createProduct(fields));
  products.set(name, productId);
  if (items.length > 0) await ok(lost.operator.addStock(productId, items));
}

async function buy(name: string): Promise<void> {
  const body = { productId: productOf(name), expectedPriceUsdt: 1 };
  const reply = await lost.buyers.purchase(apiKey, `key of ${name}`, body);
  assert.ok(reply.status < 300, reply.text);
  orders.set(name, reply.body);
}

async function keepReceipt(name: string): Promise<void> {
  const { receipt = '' } = (await lost.buyers.receipt(apiKey, orderIdOf(name))).body;
  receipts.set(name, [...(receipts.get(name) ?? []), receipt]);
}

const replace = (node: QuietNode, name: string, key: string) =>
  ok(node.operator.adjustOrder(orderIdOf(name), 'replace', { items: [0] }, key));

/** The hold of a purchase is at the fork; what else is above the copy is the gap. */
before(async () => {
  supplier = await ReferenceSupplier.start('a secret of the supplier');
  supplier.lateMs = 60_000;
  lost = await QuietNode.start('lost-sold-once');
  ({ accountId = 0 } = await ok(lost.operator.createAccount({ name: 'b', rateLimitPerMinute: null })));
  await ok(lost.operator.credit(accountId, 100, 'first'));
  ({ apiKey = '' } = await ok(lost.operator.issueKey(accountId)));
  const { url, secret } = supplier;
  ({ supplierId = 0 } = await ok(lost.operator.createSupplier({ name: 'Codes', url, secret })));
  await newProduct('across the fork', [], 'late');
  await newProduct('promised', [], 'later');
  await newProduct('given back', ['same text', 'other']);
  await newProduct('replaced', ['A']);
  await buy('replaced');
  const bought = buy('across the fork');
  await eventually('the purchase at the supplier', async () => supplier.purchases.size === 1);
  const copy = await createTemporaryFolder('restored-sold-once');
  cpSync(lost.folder.path, copy.path, { recursive: true, filter: (path) => !/\/lock\./.test(path) });
  supplier.answerLate();
  await bought;
  await keepReceipt('across the fork');

  await ok(lost.operator.withdrawStock(productOf('given back'), 1));
  await ok(lost.operator.withdrawStock(productOf('given back'), 1));
  await ok(lost.operator.addStock(productOf('given back'), ['same text']));
  await buy('given back');
  await keepReceipt('given back');
  await ok(lost.operator.addStock(productOf('replaced'), ['B']));
  await replace(lost, 'replaced', 'dead');
  await keepReceipt('replaced');
  await buy('promised');
  await keepReceipt('promised');
  await ok(lost.operator.moveOrder(orderIdOf('promised'), 'complete', { items: ['Y'] }));
  await keepReceipt('promised');
  await lost.stop();
  await beginEpoch(copy.path, 2);
  restored = await QuietNode.start(copy);
});
after(async () => {
  await lost.folder.remove();
  await restored.close();
  await supplier.stop();
});

async function takeIn(...lines: readonly (string | undefined)[]): Promise<TakenIn['pending']> {
  const type = { 'content-type': 'text/plain' };
  const reply = await restored.operator.request('POST', '/restore/receipts', type, lines.join('\n'));
  assert.equal(reply.status, 200, reply.text);
  const { pending, invalid } = reply.body as unknown as TakenIn;
  assert.deepEqual(invalid, []);
  return pending;
}

const itemsOf = async (name: string) =>
  (await restored.buyers.order(apiKey, orderIdOf(name))).body.delivery?.items;

/** Uploads it, and tells how many of it are for sale, and how many are not because a buyer has them. */
async function upload(name: string, text: string): Promise<[added: number, quarantined: number]> {
  const body = { items: [text] };
  const added = await ok(restored.operator.json('POST', `/products/${productOf(name)}/stock`, body));
  const { quarantined = 0 } = added as unknown as { quarantined?: number };
  return [added.added ?? 0, quarantined];
}

async function assertNothingForSale(name: string): Promise<void> {
  const { items } = await ok(restored.operator.withdrawStock(productOf(name), 9));
  assert.deepEqual(items, [], name);
}

test('what a supplier delivers late, of a purchase that was open at the fork, is set aside until its receipt comes', async () => {
  await eventually('the end of the purchase', async () => {
    const { supplierPurchases = [] } = await ok(restored.operator.listSupplierPurchases());
    return supplierPurchases.length === 0;
  });
  await assertNothingForSale('across the fork');
  assert.deepEqual(await takeIn(...(receipts.get('across the fork') ?? [])), []);
  const { delivery } = orders.get('across the fork') ?? {};
  assert.equal(delivery?.items?.length, 1);
  assert.deepEqual(await itemsOf('across the fork'), delivery?.items);
  await assertNothingForSale('across the fork');
  const { quarantined } = (await ok(restored.operator.json('GET', '/restore'))) as { quarantined?: number };
  assert.equal(quarantined, 0);
});

test('an item that the gap took off the shelf, and sold under another number, leaves the shelf', async () => {
  assert.deepEqual(await takeIn(...(receipts.get('given back') ?? [])), []);
  assert.deepEqual(await itemsOf('given back'), ['same text']);
  const { items } = await ok(restored.operator.withdrawStock(productOf('given back'), 9));
  assert.deepEqual(items, ['other']);
});

test('what an order had is not for sale, though it was completed by hand with something else', async () => {
  const [early, late] = receipts.get('promised') ?? [];
  const [before] = await takeIn(early);
  assert.match(before?.reason ?? '', /not delivered yet/);
  await ok(restored.operator.moveOrder(orderIdOf('promised'), 'complete', { items: ['X'] }));
  for (const times of ['once', 'again']) {
    const [told] = await takeIn(late);
    assert.match(told?.reason ?? '', /its buyer had 1 items before it was given others/, times);
  }
  assert.deepEqual(await itemsOf('promised'), ['X']);
  assert.deepEqual(await upload('promised', 'Y'), [1, 1]);
  await assertNothingForSale('promised');
});

test('nor when an item of the gap was replaced again after the restore, and its receipt is taken in again', async () => {
  const [receipt] = receipts.get('replaced') ?? [];
  assert.match((await takeIn(receipt))[0]?.reason ?? '', /1 of its items took the places of others/);
  await ok(restored.operator.json('POST', '/restore/open', {}));
  assert.deepEqual(await upload('replaced', 'C'), [1, 0]);
  await replace(restored, 'replaced', 'dead too');
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

test('and the folder is sound', async () => {
  await restored.stop();
  const lines: string[] = [];
  assert.ok(await verifyDataFolder(restored.folder.path, (line) => lines.push(line)), lines.join('\n'));
  assert.match(
    lines.join('\n'),
    /stock: 7 items .*, 1 delivered by hand or by a supplier, 2 kept with orders/,
  );
});
