/**
 * No text of the shop is sold twice, whoever delivers it and when (docs/suppliers.md): own stock, first answers,
 * promised deliveries by poll and report, late ones, and uploads, over real HTTP. The server polls suppliers
 * every 50 ms. `test/persistence/stock/supplied-texts.test.ts` has a model of it.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sku } from '../../../examples/supplier/reference-supplier.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { assertRefusal, assertReplay, assertSuccess } from '../reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known, type ProductOptions } from '../scene.ts';
import { supplierScene } from './supplier-scene.ts';

export const suppliedDuplicates = casesOf('a text that the shop had', (scene) => {
  const supplied = supplierScene(scene);
  const { buy, openSupplierPurchase: open } = supplied;

  /** A product, a buyer, and texts that nobody has yet. */
  async function stage(sku: Sku, options: ProductOptions = {}) {
    supplied.supplier.stale = undefined;
    const { buyer, productId } = await supplied.stage(sku, 0, options);
    const buyAgain = (key = freshIdempotencyKey()) => buy(buyer, productId, key);
    return { buyer, productId, buy: buyAgain, texts: [`one ${randomUUID()}`, `two ${randomUUID()}`] };
  }
  type Staged = Awaited<ReturnType<typeof stage>>;

  async function ownStock(productId: number): Promise<string[]> {
    return [...known((await ok(scene.operator.withdrawStock(productId, 10_000))).items)];
  }

  /** The latest end of a supplier purchase of the product: what was delivered, and what entered own stock. */
  async function lateItems(productId: number): Promise<(number | undefined)[]> {
    await eventually('the end', async () => (await open(productId)) === undefined);
    const { ended } = await ok(scene.operator.listSupplierPurchases());
    const end = known(ended).find((supplierPurchase) => supplierPurchase.productId === productId);
    return [end?.itemsDelivered, end?.itemsIntoStock];
  }

  async function ends(orderId: number, { buyer }: Staged, status: string): Promise<void> {
    await eventually(status, async () => {
      return (await scene.buyers.order(buyer.apiKey, orderId)).body.status === status;
    });
  }

  /** The supplier says the end of the purchase that is open. */
  async function finish({ productId }: Staged) {
    return supplied.supplier.finish(known((await open(productId))?.reference));
  }

  const added = (productId: number, items: readonly string[], options = {}) =>
    ok(scene.operator.addStock(productId, [...items], options)).then((body) => [body.added, body.duplicates]);

  /** How the product came by the texts. */
  const had: [how: string, sku: Sku, come: (staged: Staged) => Promise<unknown>][] = [
    ['is in own stock', 'codes', ({ productId, texts }) => added(productId, texts.slice(0, 1))],
    [
      'was sold from own stock',
      'codes',
      async ({ buy: purchase, productId, texts }) => {
        await added(productId, texts);
        assertSuccess(await purchase(), 201);
      },
    ],
    [
      'was delivered later',
      'later',
      async (staged) => {
        const orderId = known((await staged.buy()).body.orderId);
        supplied.supplier.stale = staged.texts;
        await finish(staged);
        await ends(orderId, staged, 'completed');
      },
    ],
    [
      'was delivered after its purchase had failed, and is own stock',
      'reset',
      async ({ buy: purchase, productId, texts }) => {
        supplied.supplier.stale = texts;
        assertRefusal(await purchase(), 502, 'PURCHASE_FAILED');
        assert.deepEqual(await lateItems(productId), [2, 2]);
        assertSuccess(await purchase(), 201);
      },
    ],
    [
      'was delivered by hand while it was in own stock, and withdrawn from there',
      'later-failed',
      async (staged) => {
        const { productId, texts } = staged;
        const orderId = known((await staged.buy()).body.orderId);
        await added(productId, texts);
        await ok(scene.operator.json('POST', `/orders/${orderId}/complete`, { items: texts }));
        assert.deepEqual(await ownStock(productId), texts);
        await finish(staged);
        await eventually('the end', async () => (await open(productId)) === undefined);
      },
    ],
  ];

  for (const [how, sku, come] of had) {
    test(`which ${how}, is a failed purchase when a supplier delivers it, and a duplicate in an upload`, async () => {
      const staged = await stage(sku);
      const { productId, texts } = staged;
      await come(staged);
      const change = { supplierId: supplied.supplierId, supplierSku: 'codes' };
      await ok(scene.operator.json('PATCH', `/products/${productId}`, change));
      const [first = ''] = texts;
      const fresh = `fresh ${randomUUID()}`;
      supplied.supplier.stale = [fresh, first];
      const buyer = await scene.buyer();
      const key = freshIdempotencyKey();
      const refused = await buy(buyer, productId, key);
      assertRefusal(refused, 502, 'PURCHASE_FAILED');
      assert.deepEqual([await scene.balanceUsdt(buyer), await supplied.heldUsdt(buyer)], [100, 0]);
      assert.deepEqual(await lateItems(productId), [2, 1]);
      assertReplay(await buy(buyer, productId, key), refused);
      assert.deepEqual(await added(productId, [first, fresh]), [0, 2]);
    });
  }

  test('but was withdrawn, may be delivered and uploaded, once, by one product', async () => {
    const { productId, texts, buy: purchase } = await stage('codes');
    const other = await stage('codes');
    await added(productId, texts);
    assert.deepEqual(await ownStock(productId), texts);
    supplied.supplier.stale = texts;
    assertSuccess(await purchase(), 201);
    assertRefusal(await purchase(), 502, 'PURCHASE_FAILED');
    assert.deepEqual(await added(productId, texts), [0, 2]);
    assertRefusal(await other.buy(), 502, 'PURCHASE_FAILED');
    const [first = ''] = texts;
    assert.deepEqual(await added(other.productId, [first, `${first}\u200b`, `fresh ${first}`]), [1, 2]);
    supplied.supplier.stale = [`fresh ${first} `, randomUUID()];
    assertRefusal(await purchase(), 502, 'PURCHASE_FAILED');
  });

  for (const way of ['polled', 'reported'] as const) {
    test(`fails a promised order, with the money back, an event and an alert (${way})`, async () => {
      const staged = await stage('later');
      const { buyer, productId, texts } = staged;
      const [first = ''] = texts;
      await added(productId, [first]);
      const { body } = await staged.buy();
      assert.equal(body.status, 'pending_delivery');
      supplied.supplier.stale = [first, `fresh ${first}`];
      const ended = await finish(staged);
      if (way === 'reported') {
        const { headers, body: report } = supplied.supplier.report(ended);
        await eventually('a report that is taken', async () => {
          return (await supplied.report(supplied.supplierId, headers, report)).status === 200;
        });
      }
      await ends(known(body.orderId), staged, 'failed');
      assert.equal(await scene.balanceUsdt(buyer), 100);
      assert.deepEqual(await lateItems(productId), [2, 1]);
      const told = `"productId":${productId},"itemsDelivered":2,"items":1`;
      await eventually('the alert', () => scene.log().includes(told));
    });
  }

  test('is sold again where goods are alike, also twice in one purchase, and uploaded again', async () => {
    const { productId, texts, buy: purchase } = await stage('codes', { allowDuplicates: true });
    const twice = [texts[0] ?? '', texts[0] ?? ''];
    supplied.supplier.stale = twice;
    assertSuccess(await purchase(), 201);
    assertSuccess(await purchase(), 201);
    assert.deepEqual(await added(productId, twice), [2, 0]);
    assert.deepEqual(await added(productId, twice, { allowDuplicates: false }), [0, 2]);
    await ok(scene.operator.json('PATCH', `/products/${productId}`, { allowDuplicates: false }));
    assert.deepEqual(await added(productId, twice), [0, 2]);
    await ownStock(productId);
    assertRefusal(await purchase(), 502, 'PURCHASE_FAILED');
    for (const [fields, expected] of [
      [{}, false],
      [{ requiresRecipient: true }, true],
      [{ requiresRecipient: true, allowDuplicates: false }, false],
    ] as const) {
      const created = await ok(scene.operator.createProduct({ name: 'x', priceUsdt: 1, ...fields }));
      assert.equal(created.allowDuplicates, expected, JSON.stringify(fields));
    }
  });

  test('in a lot that was recalled, is not sold again, not even where goods are alike', async () => {
    for (const allowDuplicates of [false, true]) {
      const { productId, texts, buy: purchase } = await stage('codes', { allowDuplicates });
      const { text } = await scene.operator.json('POST', `/products/${productId}/stock`, { items: texts });
      await ok(scene.operator.json('POST', `/lots/${JSON.parse(text).lotId}/recall`));
      supplied.supplier.stale = [`${texts[0]} is fine`, ...texts.slice(1)];
      assertRefusal(await purchase(), 502, 'PURCHASE_FAILED');
      assert.deepEqual(await lateItems(productId), [2, 1]);
      assert.deepEqual(await ownStock(productId), supplied.supplier.stale.slice(0, 1));
    }
  });

  test('by another purchase of the same moment, goes to exactly one of them', async () => {
    const { productId, texts } = await stage('late');
    supplied.supplier.lateMs = 100;
    supplied.supplier.stale = texts;
    const buyers = await Promise.all(Array.from({ length: 8 }, () => scene.buyer()));
    const key = freshIdempotencyKey();
    const replies = await Promise.all(buyers.map((buyer) => buy(buyer, productId, key)));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(502)]);
    await eventually('the end', async () => (await open(productId)) === undefined);
    assert.deepEqual(await ownStock(productId), []);
  });

  test('by an upload of the same moment, goes to exactly one of them', async () => {
    for (const [at, waitMs] of [[10, 0] as const, [5_990, 4] as const]) {
      const { productId, texts, buy: purchase } = await stage('codes');
      supplied.supplier.stale = texts;
      const lines = Array.from({ length: 6_000 }, (_, line) => `line ${line}`);
      lines.splice(at, 0, ...texts);
      const uploading = ok(scene.operator.addStock(productId, lines.join('\n')));
      await delay(waitMs);
      const [bought] = await Promise.all([purchase(), uploading]);
      await eventually('the end', async () => (await open(productId)) === undefined);
      const places = [...(bought.body.delivery?.items ?? []), ...(await ownStock(productId))];
      assert.equal(new Set(places).size, places.length);
      assert.ok(texts.every((text) => places.includes(text)));
    }
  });
});
