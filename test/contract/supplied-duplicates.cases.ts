/**
 * No text of a product is sold twice, whoever delivers it and when (docs/suppliers.md): own stock, first answers,
 * promised deliveries by poll and report, late ones, and uploads, over real HTTP. The server polls suppliers
 * every 50 ms.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ReferenceSupplier, type Sku } from '../../examples/supplier/reference-supplier.ts';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import { isLongRun } from '../support/random.ts';
import { assertRefusal, assertReplay, assertSuccess } from './reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known, type ProductOptions } from './scene.ts';

export const suppliedDuplicates = casesOf('a text that the product had', (scene) => {
  let supplier: ReferenceSupplier;
  let supplierId: number;

  before(async () => {
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    const { url, secret } = supplier;
    supplierId = known((await ok(scene.operator.createSupplier({ name: 'Codes', url, secret }))).supplierId);
  });
  after(() => supplier.stop());

  /** A product, a buyer, and texts that nobody has yet. */
  async function stage(sku: Sku, options: ProductOptions = {}) {
    supplier.stale = undefined;
    const [buyer, productId] = await Promise.all([
      scene.buyer(),
      scene.product({ supplierId, supplierSku: sku, stock: [], ...options }),
    ]);
    return { buyer, productId, texts: [`one ${randomUUID()}`, `two ${randomUUID()}`] };
  }

  function buy({ apiKey }: Buyer, productId: number, key = freshIdempotencyKey()) {
    return scene.buyers.purchase(apiKey, key, { productId, quantity: 2, expectedPriceUsdt: 7 });
  }

  async function open(productId: number) {
    const supplierPurchases = known((await ok(scene.operator.listSupplierPurchases())).supplierPurchases);
    return supplierPurchases.find((supplierPurchase) => supplierPurchase.productId === productId);
  }

  async function ownStock(productId: number): Promise<string[]> {
    return [...known((await ok(scene.operator.withdrawStock(productId, 100))).items)];
  }

  /** The latest end of a supplier purchase of the product: what was delivered, and what entered own stock. */
  async function lateItems(productId: number): Promise<(number | undefined)[]> {
    await eventually('the end', async () => (await open(productId)) === undefined);
    const { ended } = await ok(scene.operator.listSupplierPurchases());
    const end = known(ended).find((supplierPurchase) => supplierPurchase.productId === productId);
    return [end?.itemsDelivered, end?.itemsIntoStock];
  }

  async function statusOf({ apiKey }: Buyer, orderId: number): Promise<string | undefined> {
    return (await scene.buyers.order(apiKey, orderId)).body.status;
  }

  type Staged = Awaited<ReturnType<typeof stage>>;
  /** How the product came by the texts. */
  const had: [how: string, sku: Sku, come: (staged: Staged) => Promise<unknown>][] = [
    [
      'is in own stock',
      'codes',
      ({ productId, texts }) => ok(scene.operator.addStock(productId, texts.slice(0, 1))),
    ],
    [
      'was sold from own stock',
      'codes',
      async ({ buyer, productId, texts }) => {
        await ok(scene.operator.addStock(productId, texts));
        assertSuccess(await buy(buyer, productId), 201);
      },
    ],
    [
      'was delivered at once',
      'codes',
      async ({ buyer, productId, texts }) => {
        supplier.stale = texts;
        assertSuccess(await buy(buyer, productId), 201);
      },
    ],
    [
      'was delivered later',
      'later',
      async ({ buyer, productId, texts }) => {
        const orderId = known((await buy(buyer, productId)).body.orderId);
        supplier.stale = texts;
        supplier.finish(known((await open(productId))?.reference));
        await eventually('delivery', async () => (await statusOf(buyer, orderId)) === 'completed');
      },
    ],
    [
      'was delivered after its purchase had failed, and is own stock',
      'reset',
      async ({ buyer, productId, texts }) => {
        supplier.stale = texts;
        assertRefusal(await buy(buyer, productId), 502, 'PURCHASE_FAILED');
        assert.deepEqual(await lateItems(productId), [2, 2]);
        assertSuccess(await buy(buyer, productId), 201);
      },
    ],
    [
      'was delivered by hand',
      'later-failed',
      async ({ buyer, productId, texts }) => {
        const orderId = known((await buy(buyer, productId)).body.orderId);
        await ok(scene.operator.json('POST', `/orders/${orderId}/complete`, { items: texts }));
        supplier.finish(known((await open(productId))?.reference));
        await eventually('the end', async () => (await open(productId)) === undefined);
      },
    ],
    [
      'was delivered by hand while it was in own stock, and withdrawn from there',
      'later-failed',
      async ({ buyer, productId, texts }) => {
        const orderId = known((await buy(buyer, productId)).body.orderId);
        await ok(scene.operator.addStock(productId, texts));
        await ok(scene.operator.json('POST', `/orders/${orderId}/complete`, { items: texts }));
        assert.deepEqual(await ownStock(productId), texts);
        supplier.finish(known((await open(productId))?.reference));
        await eventually('the end', async () => (await open(productId)) === undefined);
      },
    ],
  ];

  for (const [how, sku, come] of had) {
    test(`which ${how}, is a failed purchase when a supplier delivers it, and a duplicate in an upload`, async () => {
      const staged = await stage(sku);
      const { productId, texts } = staged;
      await come(staged);
      await ok(scene.operator.json('PATCH', `/products/${productId}`, { supplierId, supplierSku: 'codes' }));
      const [first = ''] = texts;
      const fresh = `fresh ${randomUUID()}`;
      supplier.stale = [fresh, first];
      const buyer = await scene.buyer();
      const key = freshIdempotencyKey();
      const refused = await buy(buyer, productId, key);
      assertRefusal(refused, 502, 'PURCHASE_FAILED');
      const { balanceUsdt, heldUsdt } = await ok(scene.operator.getAccount(buyer.accountId));
      assert.deepEqual([balanceUsdt, heldUsdt], [100, 0]);
      assert.deepEqual(await lateItems(productId), [2, 1]);
      assertReplay(await buy(buyer, productId, key), refused);
      const added = await ok(scene.operator.addStock(productId, [first, fresh]));
      assert.deepEqual([added.added, added.duplicates], [0, 2]);
    });
  }

  test('but was withdrawn, may be delivered and uploaded again, once', async () => {
    const { buyer, productId, texts } = await stage('codes');
    await ok(scene.operator.addStock(productId, texts));
    assert.deepEqual(await ownStock(productId), texts);
    supplier.stale = texts;
    assertSuccess(await buy(buyer, productId), 201);
    assertRefusal(await buy(buyer, productId), 502, 'PURCHASE_FAILED');
    assert.equal((await ok(scene.operator.addStock(productId, texts))).duplicates, 2);
  });

  test('and another product had, is none of it', async () => {
    const one = await stage('codes');
    const other = await stage('codes');
    supplier.stale = one.texts;
    assertSuccess(await buy(one.buyer, one.productId), 201);
    assertSuccess(await buy(one.buyer, other.productId), 201);
  });

  for (const way of ['polled', 'reported'] as const) {
    test(`fails a promised order, with the money back, an event and an alert (${way})`, async () => {
      const { buyer, productId, texts } = await stage('later');
      await ok(scene.operator.addStock(productId, texts.slice(0, 1)));
      const { body } = await buy(buyer, productId);
      assert.equal(body.status, 'pending_delivery');
      supplier.stale = texts.slice(0, 1).concat(texts.slice(0, 1).map((text) => `${text} `));
      const ended = supplier.finish(known((await open(productId))?.reference));
      if (way === 'reported') {
        const { headers, body: report } = supplier.report(ended);
        const { origin } = new URL(scene.server.buyerUrl);
        const url = `${origin}/api/v1/supplier/${supplierId}/callback`;
        await eventually('a report that is taken', async () => {
          return (await fetch(url, { method: 'POST', headers, body: report })).status === 200;
        });
      }
      await eventually('the failure', async () => (await statusOf(buyer, known(body.orderId))) === 'failed');
      assert.equal(await scene.balanceUsdt(buyer), 100);
      assert.deepEqual(await lateItems(productId), [2, 1]);
      const told = `"productId":${productId},"itemsDelivered":2,"items":1`;
      await eventually('the alert', async () => scene.log().includes(told));
    });
  }

  test('of late items none of which can be sold is told, too', async () => {
    const { buyer, productId, texts } = await stage('reset');
    await ok(scene.operator.addStock(productId, texts.slice(0, 1)));
    supplier.stale = [' ', ...texts.slice(0, 1)];
    assertRefusal(await buy(buyer, productId), 502, 'PURCHASE_FAILED');
    assert.deepEqual(await lateItems(productId), [2, 0]);
    const told = `"productId":${productId},"itemsDelivered":2,"items":0`;
    await eventually('the alert', async () => scene.log().includes(told));
  });

  test('is sold again where goods are alike, also twice in one purchase, and uploaded again', async () => {
    const { buyer, productId, texts } = await stage('codes', { allowDuplicates: true });
    supplier.stale = texts.slice(0, 1).concat(texts.slice(0, 1));
    assertSuccess(await buy(buyer, productId), 201);
    assertSuccess(await buy(buyer, productId), 201);
    const uploads = async (allowDuplicates?: boolean) => {
      const options = allowDuplicates === undefined ? {} : { allowDuplicates };
      const { added, duplicates } = await ok(
        scene.operator.addStock(productId, known(supplier.stale).slice(), options),
      );
      return [added, duplicates];
    };
    assert.deepEqual(await uploads(), [2, 0]);
    assert.deepEqual(await uploads(false), [0, 2]);
    const changed = await ok(
      scene.operator.json('PATCH', `/products/${productId}`, { allowDuplicates: false }),
    );
    assert.equal(changed.allowDuplicates, false);
    assert.deepEqual(await uploads(), [0, 2]);
    await ownStock(productId);
    assertRefusal(await buy(buyer, productId), 502, 'PURCHASE_FAILED');
  });

  test('in a lot that was recalled, is not sold again, not even where goods are alike', async () => {
    for (const allowDuplicates of [false, true]) {
      const { buyer, productId, texts } = await stage('codes', { allowDuplicates });
      const added = await scene.operator.json('POST', `/products/${productId}/stock`, { items: texts });
      const { lotId } = JSON.parse(added.text) as { readonly lotId: number };
      await ok(scene.operator.json('POST', `/lots/${lotId}/recall`));
      supplier.stale = [`${texts[0]} is fine`, ...texts.slice(1)];
      assertRefusal(await buy(buyer, productId), 502, 'PURCHASE_FAILED');
      assert.deepEqual(await lateItems(productId), [2, 1]);
      assert.deepEqual(await ownStock(productId), supplier.stale.slice(0, 1));
    }
  });

  test('may be sold again by default where a recipient is named, and by nothing else', async () => {
    for (const [fields, expected] of [
      [{}, false],
      [{ requiresRecipient: true }, true],
      [{ requiresRecipient: true, allowDuplicates: false }, false],
      [{ allowDuplicates: true }, true],
    ] as const) {
      const created = await ok(scene.operator.createProduct({ name: 'x', priceUsdt: 1, ...fields }));
      assert.equal(created.allowDuplicates, expected, JSON.stringify(fields));
    }
    const { status, body } = await scene.operator.json('POST', '/products/1/stock?allowDuplicates=yes', {
      items: ['x'],
    });
    assert.deepEqual([status, body.error], [400, 'BAD_REQUEST']);
  });

  test('by another purchase of the same moment, goes to exactly one of them', async () => {
    const { productId, texts } = await stage('late');
    supplier.lateMs = 100;
    supplier.stale = texts;
    const buyers = await Promise.all(Array.from({ length: 8 }, () => scene.buyer()));
    const replies = await Promise.all(buyers.map((buyer) => buy(buyer, productId)));
    const codes = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(codes, [201, ...Array(7).fill(502)]);
    const count = async (what: string) => {
      const { text } = await scene.operator.json('GET', '/metrics');
      const line = `purser_supplier_purchases_total{supplier="${supplierId}",result="${what}"} `;
      return Number(text.split(line)[1]?.split('\n')[0] ?? 0);
    };
    const failed = await count('failed');
    assertRefusal(await buy(known(buyers[0]), productId), 502, 'PURCHASE_FAILED');
    assert.equal(await count('failed'), failed + 1, 'what is refused was not delivered');
    await eventually('the end', async () => (await open(productId)) === undefined);
    assert.deepEqual(await ownStock(productId), []);
  });

  test('by an upload of the same moment, goes to exactly one of them', async () => {
    for (let round = 0; round < (isLongRun() ? 8 : 2); round += 1) {
      const { buyer, productId, texts } = await stage('codes');
      supplier.stale = texts;
      const lines = Array.from({ length: 6_000 }, (_, line) => `line ${line}`);
      const at = round % 2 === 0 ? 10 : 5_990;
      lines.splice(at, 0, ...texts);
      const uploading = ok(scene.operator.addStock(productId, lines.join('\n')));
      await delay(round * 4);
      const [bought, { added }] = await Promise.all([buy(buyer, productId), uploading]);
      const sold = bought.body.delivery?.items ?? [];
      await eventually('the end', async () => (await open(productId)) === undefined);
      const places = [...sold];
      for (let items = await ownStock(productId); items.length > 0; ) {
        places.push(...items);
        items = [...known((await ok(scene.operator.withdrawStock(productId, 10_000))).items)];
      }
      assert.equal(new Set(places).size, places.length);
      assert.ok(
        texts.every((text) => places.includes(text)),
        `added ${added}`,
      );
    }
  });
});
