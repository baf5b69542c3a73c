/**
 * SPEC.md §2, §3, §4 and DESIGN of suppliers (docs/suppliers.md): a product that a supplier delivers, whatever the
 * supplier does, over real HTTP. The 15 s of SPEC.md §8 are shortened to one where the supplier never answers, and
 * only there: one that answers could take a second on a busy machine.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PurserClient, PurserError } from 'purser/client';
import { ReferenceSupplier, type Sku } from '../../examples/supplier/reference-supplier.ts';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import { assertRefusal, assertReplay, assertSuccess } from './reply-assertions.ts';
import { type Buyer, freshIdempotencyKey, known, Scene } from './scene.ts';

const FLAGS = ['--supplier-poll', '50ms', '--supplier-stock-refresh', '50ms', '--log-level', 'error'];
/** Longer than a supplier has. */
const LATE_MS = 60_000;

for (const [transport, isPatient] of [
  ['uws', true],
  ['uws', false],
  ['node', true],
  ['node', false],
] as const) {
  const title = isPatient ? 'supplied products' : 'products of a silent supplier';
  describe(`${title} (--transport ${transport})`, { timeout: 120_000 }, () => {
    const scene = new Scene(transport, isPatient ? FLAGS : [...FLAGS, '--supplier-timeout', '1s']);
    let supplier: ReferenceSupplier;
    let supplierId: number;

    before(async () => {
      await scene.start();
      supplier = await ReferenceSupplier.start('a secret of the supplier');
      // When a test says so: what it looks at meanwhile may take its time.
      supplier.lateMs = LATE_MS;
      const { url, secret } = supplier;
      supplierId = known(
        (await ok(scene.operator.createSupplier({ name: 'Codes', url, secret }))).supplierId,
      );
    });
    after(async () => {
      await supplier.stop();
      await scene.stop();
    });

    async function stage(sku: Sku, stock = 0) {
      const buyer = await scene.buyer();
      const productId = await scene.product({ supplierId, supplierSku: sku, stock: ownItems(stock) });
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

    async function openSupply(productId: number) {
      const supplies = known((await ok(scene.operator.listSupplies())).supplies);
      return supplies.find((supply) => supply.productId === productId);
    }

    const ownItems = (count: number) => Array.from({ length: count }, () => `own ${randomUUID()}`);

    /** An order from the bot, and what paying it is answered. */
    async function botOrder({ buyer, productId }: { buyer: Buyer; productId: number }) {
      const { accountId } = buyer;
      const opened = await ok(scene.operator.json('POST', '/orders', { accountId, productId, quantity: 2 }));
      const orderId = known(opened.orderId);
      const pay = () => scene.operator.moveOrder(orderId, 'pay');
      const status = async () => (await scene.buyers.order(buyer.apiKey, orderId)).body.status;
      return { orderId, pay, status };
    }

    function testFailure(sku: Sku, status: number, code: string, itemsFound: number): void {
      test(`§4 ${sku}: ${status} ${code}, nothing charged, repeated; ${itemsFound} items enter own stock`, async () => {
        const { buyer, productId, buy: purchase } = await stage(sku);
        const refused = await purchase();
        assertRefusal(refused, status, code);
        assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
        const purchases = supplier.purchases.size;
        assertReplay(await purchase(), refused);
        assert.equal(supplier.purchases.size, purchases);
        if (itemsFound === 0) return;
        await eventually('the items', async () => (await openSupply(productId)) === undefined);
        assert.equal(await ownStock(productId), itemsFound);
        const settled = known((await ok(scene.operator.listSupplies())).settled);
        assert.equal(settled.find((supply) => supply.productId === productId)?.cause, code);
        const { text } = await scene.operator.json('GET', '/metrics');
        assert.match(text, /purser_alerts_total\{error="LATE_DELIVERY"\} [1-9]/);
        assertReplay(await purchase(), refused);
      });
    }

    function testUnpaid(sku: Sku, code: number, error: string): void {
      test(`§1 an order from the bot whose supplier is ${sku} is ${error}, and still to be paid`, async () => {
        const staged = await stage(sku);
        const { pay, status } = await botOrder(staged);
        const refused = await pay();
        assert.deepEqual([refused.status, refused.body.error], [code, error]);
        assert.deepEqual([await status(), await scene.balanceUsdt(staged.buyer)], ['processing', 100]);
        assert.equal(await heldUsdt(staged.buyer), 0);
        await eventually('its end', async () => (await openSupply(staged.productId)) === undefined);
        await ok(scene.operator.addStock(staged.productId, ownItems(2)));
        assert.equal((await ok(pay())).status, 'completed');
      });
    }

    if (!isPatient) {
      testFailure('silent', 504, 'PROVIDER_TIMEOUT', 2);
      testUnpaid('silent', 504, 'PROVIDER_TIMEOUT');
      return;
    }

    test('§4 delivered: 201 with the items, charged once, and repeated as it was', async () => {
      const { buyer, productId, buy: purchase } = await stage('codes');
      const bought = await purchase();
      assertSuccess(bought, 201);
      const { status, delivery, totalPriceUsdt, balanceAfterUsdt } = bought.body;
      assert.deepEqual([status, totalPriceUsdt, balanceAfterUsdt], ['completed', 7, 93]);
      assert.equal(delivery?.items?.length, 2);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [93, 0]);
      assertReplay(await purchase(), bought);
      const order = await scene.buyers.order(buyer.apiKey, known(bought.body.orderId));
      assert.deepEqual(order.body.delivery, delivery);
      assert.equal(await scene.balanceUsdt(buyer), 93);
      assert.equal(await openSupply(productId), undefined);
    });

    test('own stock is sold first, and the supplier is not asked', async () => {
      const { buy: purchase } = await stage('failed', 2);
      const bought = await purchase();
      assertSuccess(bought, 201);
      assert.match(known(bought.body.delivery?.items?.[0]), /^own /);
    });

    test('§2 while the supplier is asked the amount is held, other purchases go on, and the key waits', async () => {
      const { buyer, key, productId, buy: purchase } = await stage('late');
      const own = await scene.product({ stock: ownItems(2) });
      const before = supplier.purchases.size;
      const first = purchase();
      await eventually('a hold', async () => (await heldUsdt(buyer)) === 7);
      assert.equal(await scene.balanceUsdt(buyer), 93);
      const second = purchase();
      assertSuccess(await buy(buyer, own, freshIdempotencyKey()), 201);
      const other = { productId, quantity: 1, expectedPriceUsdt: 3.5 };
      assertRefusal(await scene.buyers.purchase(buyer.apiKey, key, other), 409, 'IDEMPOTENCY_CONFLICT');
      const tooMuch = await scene.operator.credit(buyer.accountId, -87, 'takes held money');
      assert.deepEqual([tooMuch.status, tooMuch.body.error], [402, 'INSUFFICIENT_BALANCE']);
      await eventually('the question', async () => supplier.purchases.size > before);
      supplier.answerLate();
      const [one, two] = await Promise.all([first, second]);
      assertSuccess(one, 201);
      assertReplay(two, one);
      assert.equal(supplier.purchases.size, before + 1);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [86, 0]);
    });

    test('§4 out of stock: nothing charged, and the same key may try again', async () => {
      const { buyer, productId, buy: purchase } = await stage('out-of-stock');
      assertRefusal(await purchase(), 409, 'OUT_OF_STOCK');
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
      assert.equal(await openSupply(productId), undefined);
      await ok(scene.operator.addStock(productId, ownItems(2)));
      assertSuccess(await purchase(), 201);
    });

    const failures: [sku: Sku, status: number, code: string, itemsFound: number][] = [
      ['failed', 502, 'PURCHASE_FAILED', 0],
      ['reset', 502, 'PURCHASE_FAILED', 2],
      ['garbage', 502, 'PURCHASE_FAILED', 2],
      ['wrong-json', 502, 'PURCHASE_FAILED', 2],
      ['too-few', 502, 'PURCHASE_FAILED', 1],
      ['too-many', 502, 'PURCHASE_FAILED', 3],
      ['twice-the-same', 502, 'PURCHASE_FAILED', 1],
    ];
    for (const failure of failures) testFailure(...failure);

    test('§4 a supplier that refuses connections: 502, nothing charged, nothing left open', async () => {
      const { url, secret } = { url: 'http://127.0.0.1:1', secret: 'another secret for nobody' };
      const nobody = known(
        (await ok(scene.operator.createSupplier({ name: 'Gone', url, secret }))).supplierId,
      );
      const buyer = await scene.buyer();
      const productId = await scene.product({ supplierId: nobody, supplierSku: 'x' });
      const key = freshIdempotencyKey();
      const refused = await buy(buyer, productId, key);
      assertRefusal(refused, 502, 'PURCHASE_FAILED');
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
      assert.equal(await openSupply(productId), undefined);
      assertReplay(await buy(buyer, productId, key), refused);
      const { text } = await scene.operator.json('GET', '/metrics');
      assert.ok(
        text.includes(`purser_supplier_purchases_total{supplier="${nobody}",result="unreached"} 1`),
        text,
      );
    });

    test('§7 the client retries what a supplier failed, which harms nobody: it is asked once, and gets one answer', async () => {
      const { buyer, productId } = await stage('too-few');
      const delaysMs: number[] = [];
      const sleep = async (delayMs: number) => {
        delaysMs.push(delayMs);
      };
      const { apiKey } = buyer;
      const client = new PurserClient({ baseUrl: scene.server.buyerUrl, apiKey, timing: { sleep } });
      const purchases = supplier.purchases.size;
      const buying = client.purchase({ productId, quantity: 2, expectedPriceUsdt: 7 }).send();
      const error = await buying.catch((reason: unknown) => reason);
      assert.ok(error instanceof PurserError);
      assert.deepEqual([error.code, error.isCharged, error.attempts], ['PURCHASE_FAILED', false, 4]);
      assert.deepEqual([delaysMs.length, supplier.purchases.size], [3, purchases + 1]);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
    });

    test('§3 promised: pending_delivery, charged, and completed when it is asked for', async () => {
      const { buyer, productId, buy: purchase } = await stage('later');
      const bought = await purchase();
      assertSuccess(bought, 201);
      assert.deepEqual([bought.body.status, bought.body.delivery], ['pending_delivery', undefined]);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [93, 0]);
      const { items } = supplier.finish(known((await openSupply(productId))?.reference));
      const orderId = known(bought.body.orderId);
      await eventually('delivery', async () => {
        const order = await scene.buyers.order(buyer.apiKey, orderId);
        if (order.body.status === 'completed') assert.deepEqual(order.body.delivery, { items });
        return order.body.status === 'completed';
      });
      assert.equal(await openSupply(productId), undefined);
    });

    test('§3 promised and not kept: failed, and the money is in the wallet again', async () => {
      const { buyer, productId, buy: purchase } = await stage('later-failed');
      const { orderId } = (await purchase()).body;
      assert.equal(await scene.balanceUsdt(buyer), 93);
      supplier.finish(known((await openSupply(productId))?.reference));
      await eventually('the failure', async () => {
        return (await scene.buyers.order(buyer.apiKey, known(orderId))).body.status === 'failed';
      });
      assert.equal(await scene.balanceUsdt(buyer), 100);
    });

    test('§3 a promised purchase ends by a signed report, which may be repeated', async () => {
      const { buyer, productId, buy: purchase } = await stage('later');
      const { orderId } = (await purchase()).body;
      const ended = supplier.finish(known((await openSupply(productId))?.reference));
      const { headers, body } = supplier.report(ended);
      for (let count = 0; count < 3; count += 1) {
        await eventually('a report that is taken', async () => {
          const { status } = await report(supplierId, headers, body);
          assert.ok(status === 200 || status === 503, String(status));
          return status === 200;
        });
      }
      const order = await scene.buyers.order(buyer.apiKey, known(orderId));
      assert.deepEqual([order.body.status, order.body.delivery?.items], ['completed', ended.items]);
      assert.equal(await scene.balanceUsdt(buyer), 93);
    });

    test('a report that is forged, stale or of somebody else is 401, and nonsense is 400', async () => {
      const { buyer, productId, buy: purchase } = await stage('later');
      const { orderId } = (await purchase()).body;
      const reference = known((await openSupply(productId))?.reference);
      const claim = { reference, sku: '', quantity: 2, status: 'delivered', items: ['x', 'y'] } as const;
      const signed = supplier.report({ ...claim, items: [...claim.items] });
      const stale = supplier.report({ ...claim, items: [...claim.items] }, Date.now() - 301_000);
      const altered = signed.body.replace('"x"', '"z"');
      const { 'x-service-signature': _, ...unsigned } = signed.headers;
      const json = 'application/json';
      const nonsense = supplier.sign('', '{"reference": 1}');
      const cases: [number, number, Record<string, string>, string][] = [
        [401, supplierId, unsigned, signed.body],
        [401, supplierId, signed.headers, altered],
        [401, supplierId, stale.headers, stale.body],
        [401, 999, signed.headers, signed.body],
        [400, supplierId, { 'content-type': json, 'x-service-signature': nonsense }, '{"reference": 1}'],
        [400, supplierId, { ...signed.headers, 'content-type': 'text/plain' }, signed.body],
      ];
      for (const [expected, of, headers, body] of cases) {
        const { status } = await report(of, headers, body);
        assert.equal(status, expected, body);
      }
      assert.equal((await scene.buyers.order(buyer.apiKey, known(orderId))).body.status, 'pending_delivery');
    });

    test('what the operator refunds may still be delivered, and then enters own stock', async () => {
      const { buyer, productId, buy: purchase } = await stage('later');
      const { orderId } = (await purchase()).body;
      const reference = known((await openSupply(productId))?.reference);
      await ok(scene.operator.moveOrder(known(orderId), 'refund'));
      assert.deepEqual(
        [await scene.balanceUsdt(buyer), (await openSupply(productId))?.phase],
        [100, 'unresolved'],
      );
      supplier.finish(reference);
      await ok(scene.operator.reconcileSupplies());
      await eventually('the items', async () => (await openSupply(productId)) === undefined);
      assert.equal(await ownStock(productId), 2);
    });

    test('§1 an order from the bot sells own stock first, and then asks the supplier', async () => {
      const staged = await stage('codes', 2);
      const own = await ok((await botOrder(staged)).pay());
      assert.match(known(own.delivery?.items?.[0]), /^own /);
      const { orderId, pay, status } = await botOrder(staged);
      const paid = await ok(pay());
      assert.deepEqual(
        [paid.status, paid.balanceAfterUsdt, paid.delivery?.items?.length],
        ['completed', 86, 2],
      );
      const { body } = await scene.buyers.order(staged.buyer.apiKey, orderId);
      assert.deepEqual([body.status, body.delivery], ['completed', paid.delivery]);
      assert.deepEqual([await scene.balanceUsdt(staged.buyer), await heldUsdt(staged.buyer)], [86, 0]);
      assert.equal((await pay()).status, 409);
      assert.equal(await status(), 'completed');
    });

    test('§3 an order from the bot is pending while its supplier is, and fails with it', async () => {
      const staged = await stage('later-failed');
      const { pay, status } = await botOrder(staged);
      assert.equal((await ok(pay())).status, 'pending_delivery');
      assert.equal(await scene.balanceUsdt(staged.buyer), 93);
      supplier.finish(known((await openSupply(staged.productId))?.reference));
      await eventually('the failure', async () => (await status()) === 'failed');
      assert.equal(await scene.balanceUsdt(staged.buyer), 100);
    });

    testUnpaid('out-of-stock', 409, 'OUT_OF_STOCK');
    testUnpaid('too-few', 502, 'PURCHASE_FAILED');

    test('§1 while an order from the bot is being paid it can neither be paid again nor failed', async () => {
      const staged = await stage('late');
      const { orderId, pay, status } = await botOrder(staged);
      const before = supplier.purchases.size;
      const paying = pay();
      await eventually('a hold', async () => (await heldUsdt(staged.buyer)) === 7);
      assert.equal(await status(), 'processing');
      for (const step of ['pay', 'fail'] as const) {
        const { status: code, body } = await scene.operator.moveOrder(orderId, step);
        assert.deepEqual([code, body.error], [409, 'TRANSITION_NOT_ALLOWED'], step);
      }
      await eventually('the question', async () => supplier.purchases.size > before);
      supplier.answerLate();
      assert.equal((await ok(paying)).status, 'completed');
      assert.deepEqual([await scene.balanceUsdt(staged.buyer), await heldUsdt(staged.buyer)], [93, 0]);
    });

    test('what was unresolved and has ended is listed with what became of it, the latest first', async () => {
      const late = await stage('reset');
      const failed = await stage('failed');
      await late.buy();
      await failed.buy();
      const lists = await ok(scene.operator.reconcileSupplies());
      const endOf = ({ productId }: { productId: number }) =>
        lists.settled?.find((supply) => supply.productId === productId);
      const { result, cause, itemsIntoStock, idempotencyKey, settledAt } = known(endOf(late));
      assert.deepEqual([result, cause, itemsIntoStock], ['delivered', 'PURCHASE_FAILED', 2]);
      assert.equal(idempotencyKey, late.key);
      assert.ok(Math.abs(known(settledAt) - Date.now()) < 60_000);
      const times = known(lists.settled).map((supply) => known(supply.settledAt));
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      );
      // It answered 500, and knows nothing of it: for ten minutes the request may still be on its way.
      const open = lists.supplies?.find(({ productId }) => productId === failed.productId);
      assert.deepEqual([open?.phase, open?.cause], ['unresolved', 'PURCHASE_FAILED']);
    });

    test('§2 the catalog has own stock and about what the supplier has, whatever becomes of the supplier', async () => {
      const { buyer, productId } = await stage('codes', 3);
      const inCatalog = async () => {
        const { products } = (await scene.buyers.products(buyer.apiKey)).body;
        return products?.find(({ id }) => id === productId)?.availableStock;
      };
      // A number after another one would take a minute.
      const says: [unknown, number | string][] = [
        ['unlimited', 'unlimited'],
        [5, 8],
        [0, 3],
        [-1, 3],
        ['many', 3],
      ];
      for (const [available, expected] of says) {
        supplier.available = available;
        await eventually(`${available}`, async () => (await inCatalog()) === expected);
      }
      supplier.available = 12;
      await eventually('12 again', async () => (await inCatalog()) === 15);
      await scene.operator.json('PATCH', `/suppliers/${supplierId}`, { url: 'http://127.0.0.1:1' });
      await delay(200);
      assert.equal(await inCatalog(), 15);
      await ok(scene.operator.json('PATCH', `/suppliers/${supplierId}`, { url: supplier.url }));
    });

    describe('a purchase that its supplier never says the end of', () => {
      const giveUp = async (reference: string) => {
        const { status, body } = await scene.operator.json('POST', `/supplies/${reference}/give-up`);
        return { status, error: body.error, end: body as unknown as { result?: string; productId?: number } };
      };

      test('is given up by the operator, repeatedly with one answer, and is asked for no more', async () => {
        const { buyer, productId, buy: purchase } = await stage('failed');
        const refused = await purchase();
        const reference = known((await openSupply(productId))?.reference);
        const first = await giveUp(reference);
        assert.deepEqual([first.status, first.end.result, first.end.productId], [200, 'given-up', productId]);
        const again = await giveUp(reference);
        const withoutId = ({ requestId: _, ...rest }: Record<string, unknown>) => rest;
        assert.deepEqual(withoutId({ ...again.end }), withoutId({ ...first.end }));
        assert.equal(await openSupply(productId), undefined);
        const settled = known((await ok(scene.operator.listSupplies())).settled);
        assert.equal(settled.find((supply) => supply.reference === reference)?.result, 'given-up');
        const lie = { reference, sku: '', quantity: 2, status: 'delivered', items: ['a', 'b'] } as const;
        const { headers, body } = supplier.report({ ...lie, items: [...lie.items] });
        assert.equal((await report(supplierId, headers, body)).status, 200);
        assert.equal(await ownStock(productId), 0);
        assertReplay(await purchase(), refused);
        assert.equal(await scene.balanceUsdt(buyer), 100);
      });

      test('can only be given up while it is unresolved', async () => {
        const later = await stage('later');
        await later.buy();
        const pending = known((await openSupply(later.productId))?.reference);
        const late = await stage('reset');
        await late.buy();
        await eventually('its end', async () => (await openSupply(late.productId)) === undefined);
        const settled = known((await ok(scene.operator.listSupplies())).settled);
        const ended = known(settled.find((supply) => supply.productId === late.productId)?.reference);
        const [, number] = /^pur_(\d+)_/.exec(pending) ?? [];
        const cases: [reference: string, status: number, error: string][] = [
          [pending, 409, 'TRANSITION_NOT_ALLOWED'],
          [ended, 409, 'TRANSITION_NOT_ALLOWED'],
          [`pur_${number}_1`, 404, 'NOT_FOUND'],
          ['pur_999999_1', 404, 'NOT_FOUND'],
          ['x', 404, 'NOT_FOUND'],
        ];
        for (const [reference, status, error] of cases) {
          const answer = await giveUp(reference);
          assert.deepEqual([answer.status, answer.error], [status, error], reference);
        }
        assert.equal((await openSupply(later.productId))?.phase, 'pending');
      });
    });

    test('what is open is listed in pages, by number, each once, and what has ended with the first', async () => {
      for (let count = 0; count < 3; count += 1) await (await stage('failed')).buy();
      const numbers: number[] = [];
      for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
        const page = await ok(scene.operator.json('GET', `/supplies?limit=1&cursor=${cursor}`));
        numbers.push(...known(page.supplies).map(({ supplyId }) => supplyId));
        if (cursor !== '0') assert.deepEqual(page.settled, []);
        cursor = page.nextCursor;
      }
      const whole = known((await ok(scene.operator.listSupplies())).supplies);
      assert.deepEqual(
        numbers,
        whole.map(({ supplyId }) => supplyId),
      );
      assert.ok(numbers.length >= 3);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
    });

    test('a name or sku with a line break or another control character is refused, and says which', async () => {
      const productId = await scene.product({ supplierId, supplierSku: 'codes' });
      const { url, secret } = supplier;
      for (const unfit of ['two\nlines', 'tab\t', 'null\u0000', '\u009b', '\u2028']) {
        const cases: [method: string, path: string, body: object, field: string][] = [
          ['POST', '/suppliers', { name: unfit, url, secret }, 'name'],
          ['PATCH', `/suppliers/${supplierId}`, { name: unfit }, 'name'],
          ['POST', '/products', { name: 'x', priceUsdt: 1, supplierId, supplierSku: unfit }, 'supplierSku'],
          ['PATCH', `/products/${productId}`, { supplierId, supplierSku: unfit }, 'supplierSku'],
        ];
        for (const [method, path, fields, field] of cases) {
          const { status, body } = await scene.operator.json(method, path, fields);
          assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'], `${path} ${JSON.stringify(unfit)}`);
          assert.match(known(body.message), new RegExp(`^${field} must be one line`));
        }
      }
    });

    test('a product names a supplier that exists, and its sku', async () => {
      const productOf = (fields: object) =>
        scene.operator.createProduct({ name: 'x', priceUsdt: 1, ...fields });
      for (const fields of [
        { supplierId: 999, supplierSku: 'x' },
        { supplierId },
        { supplierSku: 'x' },
        { supplierId, supplierSku: 'x', type: 'manual' },
      ]) {
        const { status, body } = await productOf(fields);
        assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'], JSON.stringify(fields));
      }
    });
  });
}
