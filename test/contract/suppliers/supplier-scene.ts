/**
 * A supplier of the examples, known to a scene's server, and what tests ask of its purchases, holds and supplier
 * purchases.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ReferenceSupplier, type Sku } from '../../../examples/supplier/reference-supplier.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { assertRefusal, assertReplay } from '../reply-assertions.ts';
import { type Buyer, freshIdempotencyKey, known, type ProductOptions, type Scene } from '../scene.ts';

const SUPPLIER_NAME = 'Codes';

/** Longer than a supplier has. */
const LATE_MS = 60_000;

export type SupplierScene = ReturnType<typeof supplierScene>;

/** Starts the supplier before the tests of the suite that calls this, and stops it after them. */
export function supplierScene(scene: Scene) {
  let supplier: ReferenceSupplier;
  let supplierId: number;

  before(async () => {
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    // When a test says so: what it looks at meanwhile may take its time.
    supplier.lateMs = LATE_MS;
    const { url, secret } = supplier;
    supplierId = known(
      (await ok(scene.operator.createSupplier({ name: SUPPLIER_NAME, url, secret }))).supplierId,
    );
  });
  after(() => supplier.stop());

  async function stage(sku: Sku, stock = 0, options: ProductOptions = {}) {
    const product = { supplierId, supplierSku: sku, stock: ownItems(stock), ...options };
    const [buyer, productId] = await Promise.all([scene.buyer(), scene.product(product)]);
    const key = freshIdempotencyKey();
    return { buyer, productId, key, buy: (again = key) => buy(buyer, productId, again) };
  }

  function buy({ apiKey }: Buyer, productId: number, key: string) {
    return scene.buyers.purchase(apiKey, key, { productId, quantity: 2, expectedPriceUsdt: 7 });
  }

  function report(of: number, headers: Record<string, string>, body: string): Promise<Response> {
    const { origin } = new URL(scene.server.buyerUrl);
    return fetch(`${origin}/api/v1/supplier/${of}/callback`, { method: 'POST', headers, body });
  }

  /** Takes it off the shelf to count it: the catalog has the supplier's, too. */
  async function ownStock(productId: number): Promise<number> {
    const { withdrawn } = await ok(scene.operator.withdrawStock(productId, 100));
    return known(withdrawn);
  }

  async function heldUsdt({ accountId }: Buyer): Promise<number> {
    return known((await ok(scene.operator.getAccount(accountId))).heldUsdt);
  }

  async function openSupplierPurchase(productId: number) {
    const supplierPurchases = known((await ok(scene.operator.listSupplierPurchases())).supplierPurchases);
    return supplierPurchases.find((supplierPurchase) => supplierPurchase.productId === productId);
  }

  const ownItems = (count: number) => Array.from({ length: count }, () => `own ${randomUUID()}`);

  /** An order from the bot, and what paying it is answered. */
  async function botOrder({ buyer, productId }: { buyer: Buyer; productId: number }) {
    const { accountId } = buyer;
    const opened = await ok(scene.operator.json('POST', '/orders', { accountId, productId, quantity: 2 }));
    const orderId = known(opened.orderId);
    const pay = () => scene.operator.moveOrder(orderId, 'pay');
    const status = async () => (await scene.buyers.order(buyer.apiKey, orderId)).body.status;
    return { orderId, productId, pay, status };
  }

  return {
    scene,
    stage,
    buy,
    report,
    ownStock,
    heldUsdt,
    openSupplierPurchase,
    ownItems,
    botOrder,
    get supplier() {
      return supplier;
    },
    get supplierId() {
      return supplierId;
    },
  };
}

/** A purchase that the supplier fails in this way; `itemsFound` is how many it turns out to have delivered. */
export function testFailure(
  supplied: SupplierScene,
  sku: Sku,
  status: number,
  code: string,
  itemsFound: number,
): void {
  const { scene, stage, ownStock, heldUsdt, openSupplierPurchase } = supplied;
  test(`§4 ${sku}: ${status} ${code}, nothing charged, repeated; ${itemsFound} items enter own stock`, async () => {
    const { buyer, productId, buy: purchase } = await stage(sku);
    const refused = await purchase();
    assertRefusal(refused, status, code);
    assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
    const purchases = supplied.supplier.purchases.size;
    assertReplay(await purchase(), refused);
    assert.equal(supplied.supplier.purchases.size, purchases);
    if (itemsFound === 0) return;
    await eventually('the items', async () => (await openSupplierPurchase(productId)) === undefined);
    assert.equal(await ownStock(productId), itemsFound);
    const ended = known((await ok(scene.operator.listSupplierPurchases())).ended);
    const end = known(ended.find((supplierPurchase) => supplierPurchase.productId === productId));
    assert.equal(end.cause, code);
    const { lots } = JSON.parse((await scene.operator.json('GET', `/products/${productId}/lots`)).text);
    const { added, source, costUsdt, reference } = lots[0];
    assert.deepEqual([lots.length, added, costUsdt], [1, itemsFound, undefined]);
    assert.deepEqual([source, reference], [SUPPLIER_NAME, end.reference]);
    const { text } = await scene.operator.json('GET', '/metrics');
    assert.match(text, /purser_alerts_total\{error="LATE_DELIVERY"\} [1-9]/);
    assertReplay(await purchase(), refused);
  });
}

/** An order from the bot that can't be paid because of its supplier, and is paid when there is stock. */
export function testUnpaid(supplied: SupplierScene, sku: Sku, code: number, error: string): void {
  const { scene, stage, heldUsdt, openSupplierPurchase, ownItems, botOrder } = supplied;
  test(`§1 an order from the bot whose supplier is ${sku} is ${error}, and still to be paid`, async () => {
    const staged = await stage(sku);
    const { pay, status } = await botOrder(staged);
    const refused = await pay();
    assert.deepEqual([refused.status, refused.body.error], [code, error]);
    assert.deepEqual([await status(), await scene.balanceUsdt(staged.buyer)], ['processing', 100]);
    assert.equal(await heldUsdt(staged.buyer), 0);
    await eventually('its end', async () => (await openSupplierPurchase(staged.productId)) === undefined);
    await ok(scene.operator.addStock(staged.productId, ownItems(2)));
    assert.equal((await ok(pay())).status, 'completed');
  });
}
