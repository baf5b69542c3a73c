/**
 * Supplier purchases as operators and suppliers meet them (docs/suppliers.md): reports, lists, giving up, and what a
 * product and a supplier may be called. Servers poll suppliers every 50 ms.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Sku } from '../../../examples/supplier/reference-supplier.ts';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { type OperatorBody, ok } from '../../support/operator-client.ts';
import { assertReplay } from '../reply-assertions.ts';
import { casesOf, known } from '../scene.ts';
import { supplierScene } from './supplier-scene.ts';

interface Held {
  readonly supplierPurchase: { readonly productId: number; readonly reference: string };
}

export const supplierPurchases = casesOf('supplier purchases', (scene) => {
  const supplied = supplierScene(scene);
  const { stage, report, ownStock, openSupplierPurchase } = supplied;

  test('a report that is forged, stale or of somebody else is 401, and nonsense is 400', async () => {
    const { supplier, supplierId } = supplied;
    const { buyer, productId, buy: purchase } = await stage('later');
    const { orderId } = (await purchase()).body;
    const reference = known((await openSupplierPurchase(productId))?.reference);
    const claim = { reference, sku: '', quantity: 2, status: 'delivered', items: ['x', 'y'] } as const;
    const signed = supplier.report({ ...claim, items: [...claim.items] });
    const stale = supplier.report({ ...claim, items: [...claim.items] }, Date.now() - 301_000);
    const altered = signed.body.replace('"x"', '"z"');
    const { 'x-service-signature': _, ...unsigned } = signed.headers;
    const json = 'application/json';
    const nonsense = supplier.sign('', '{"reference": 1}');
    const text = { ...signed.headers, 'content-type': 'text/plain' };
    const numbered = { 'content-type': json, 'x-service-signature': nonsense };
    const cases: [number, number, Record<string, string>, string][] = [
      [401, supplierId, unsigned, signed.body],
      [401, supplierId, signed.headers, altered],
      [401, supplierId, stale.headers, stale.body],
      [401, 999, signed.headers, signed.body],
      [400, supplierId, numbered, '{"reference": 1}'],
      [400, supplierId, text, signed.body],
    ];
    for (const [expected, of, headers, body] of cases) {
      const { status } = await report(of, headers, body);
      assert.equal(status, expected, body);
    }
    assert.equal((await scene.buyers.order(buyer.apiKey, known(orderId))).body.status, 'pending_delivery');
  });

  test('what was unresolved and has ended is listed with what became of it, the latest first', async () => {
    const late = await stage('reset');
    const failed = await stage('failed');
    await late.buy();
    await failed.buy();
    const lists = await ok(scene.operator.reconcileSupplierPurchases());
    const asked = (await scene.operator.json('GET', '/audit?limit=1')).text;
    assert.match(asked, /"action":"SuppliersAsked"/, 'who asked is in the audit');
    const endOf = ({ productId }: { productId: number }) =>
      lists.ended?.find((supplierPurchase) => supplierPurchase.productId === productId);
    const { result, cause, itemsIntoStock, idempotencyKey, endedAt } = known(endOf(late));
    assert.deepEqual([result, cause, itemsIntoStock], ['delivered', 'PURCHASE_FAILED', 2]);
    assert.equal(idempotencyKey, late.key);
    assert.ok(Math.abs(known(endedAt) - Date.now()) < 60_000);
    const times = known(lists.ended).map((supplierPurchase) => known(supplierPurchase.endedAt));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    // It answered 500, and knows nothing of it: for ten minutes the request may still be on its way.
    const open = lists.supplierPurchases?.find(({ productId }) => productId === failed.productId);
    assert.deepEqual([open?.phase, open?.cause], ['unresolved', 'PURCHASE_FAILED']);
  });

  describe('a purchase that its supplier never says the end of', () => {
    const giveUp = async (reference: string, body?: object) => {
      const reply = await scene.operator.json('POST', `/supplier-purchases/${reference}/give-up`, body);
      const { requestId: _, ...end } = JSON.parse(reply.text) as Record<string, unknown>;
      return { status: reply.status, end };
    };

    test('is given up by the operator, repeatedly with one answer, and is asked for no more', async () => {
      const { buyer, productId, buy: purchase } = await stage('failed');
      const refused = await purchase();
      const reference = known((await openSupplierPurchase(productId))?.reference);
      const why = `${reference} is silent`;
      const first = await giveUp(reference, { reason: why });
      assert.deepEqual([first.status, first.end.result, first.end.productId], [200, 'given-up', productId]);
      assert.deepEqual((await giveUp(reference)).end, first.end);
      assert.equal(await openSupplierPurchase(productId), undefined);
      const later = await stage('later');
      await later.buy();
      const pending = known((await openSupplierPurchase(later.productId))?.reference);
      const others = [pending, pending.replace(/\d+$/, '1'), 'pur_999999_1', 'x'];
      const statuses = await Promise.all(others.map((other) => giveUp(other).then(({ status }) => status)));
      assert.deepEqual(statuses, [409, 404, 404, 404], 'only what is unresolved');
      const { entries } = JSON.parse((await scene.operator.json('GET', '/audit')).text) as {
        readonly entries: readonly Readonly<Record<string, unknown>>[];
      };
      const told = entries.find(({ reason }) => reason === why);
      assert.deepEqual([told?.action, told?.operator], ['SupplierPurchaseReconciled', 'root']);
      const ended = known((await ok(scene.operator.listSupplierPurchases())).ended);
      assert.equal(
        ended.find((supplierPurchase) => supplierPurchase.reference === reference)?.result,
        'given-up',
      );
      assertReplay(await purchase(), refused);
      assert.equal(await scene.balanceUsdt(buyer), 100);
    });
  });

  describe('what a supplier reports after the end', () => {
    const say = async (reference: string, items?: string[], of = supplied.supplierId) => {
      const status = items === undefined ? 'failed' : 'delivered';
      const purchase = { reference, sku: '', quantity: 2, status, items: items ?? [] } as const;
      const { headers, body } = supplied.supplier.report({ ...purchase, items: [...purchase.items] });
      return (await report(of, headers, body)).status;
    };
    const alerts = async (error: string) => {
      const { text } = await scene.operator.json('GET', '/metrics');
      return Number(new RegExp(`purser_alerts_total\\{error="${error}"\\} (\\d+)`).exec(text)?.[1]);
    };
    const referenceOf = async (productId: number) =>
      known((await openSupplierPurchase(productId))?.reference);
    const failed = async ({ productId }: { productId: number }) => {
      const reference = await referenceOf(productId);
      assert.equal(await say(reference), 200);
      return reference;
    };
    const ends: [how: string, sku: Sku, end: (staged: { productId: number }) => Promise<string>][] = [
      ['failed, as promised ones may', 'later', failed],
      ['failed', 'failed', failed],
      [
        'was out of stock',
        'out-of-stock',
        async ({ productId }) => {
          const feed = await FeedConnection.open(scene.server, '?after=0&types=HoldPlaced');
          for (;;) {
            const { supplierPurchase } = known(await feed.next()) as unknown as Held;
            if (supplierPurchase.productId !== productId) continue;
            feed.close();
            return supplierPurchase.reference;
          }
        },
      ],
      [
        'was given up',
        'failed',
        async ({ productId }) => {
          const reference = await referenceOf(productId);
          await ok(scene.operator.json('POST', `/supplier-purchases/${reference}/give-up`));
          return reference;
        },
      ],
    ];
    for (const [how, sku, end] of ends)
      test(`is taken into own stock once, of a purchase that ${how}`, async () => {
        const { productId, buyer, buy: purchase } = await stage(sku);
        await purchase();
        const reference = await end({ productId });
        const items = [`late a ${reference}`, `late b ${reference}`];
        const told = await alerts('LATE_DELIVERY');
        const contradictions = await alerts('SUPPLIER_CONTRADICTION');
        assert.deepEqual([await say(reference), await say(reference, items)], [200, 200]);
        assert.equal(await alerts('LATE_DELIVERY'), told + 1);
        assert.equal(await say(reference, items.toReversed()), 200);
        assert.deepEqual([await say(reference, ['x', 'y']), await say(reference)], [409, 409]);
        assert.equal(await alerts('LATE_DELIVERY'), told + 1);
        assert.equal(await alerts('SUPPLIER_CONTRADICTION'), contradictions + 2);
        const [latest] = known((await ok(scene.operator.listSupplierPurchases())).ended);
        assert.deepEqual([latest?.reference, latest?.itemsIntoStock], [reference, 2]);
        assert.equal(await ownStock(productId), 2);
        assert.equal(await scene.balanceUsdt(buyer), 100);
      });

    test('is compared with what was delivered: the same is accepted, anything else refused', async () => {
      const { productId, buy: purchase } = await stage('later');
      await purchase();
      const reference = await referenceOf(productId);
      assert.equal(await say(reference, [`a ${reference}`, `b ${reference}`]), 200);
      assert.equal(await say(reference, [`a ${reference}`, `b ${reference}`]), 200);
      assert.deepEqual([await say(reference, ['x', 'y']), await say(reference)], [409, 409]);
      assert.equal(await ownStock(productId), 0);
    });

    test('is kept at once where it is not what was bought: the order fails, and it is own stock', async () => {
      const { productId, buyer, buy: purchase } = await stage('later');
      await purchase();
      const reference = await referenceOf(productId);
      assert.equal(await say(reference, [`only ${reference}`]), 200);
      assert.equal(await openSupplierPurchase(productId), undefined);
      assert.deepEqual([await ownStock(productId), await scene.balanceUsdt(buyer)], [1, 100]);
    });

    test('is read in slices when it is long, wherever it has its reference, and refused when it is no report', async () => {
      const { productId, buyer, buy: purchase } = await stage('later');
      await purchase();
      const reference = await referenceOf(productId);
      const items = Array.from({ length: 5_000 }, (_, item) => `${reference}-${item}`.padEnd(40, '"'));
      const send = async (body: string, of = reference) => {
        const headers = {
          'content-type': 'application/json',
          'x-service-signature': supplied.supplier.sign(of, body),
        };
        return (await report(supplied.supplierId, headers, body)).status;
      };
      const whole = JSON.stringify({ status: 'delivered', items, reference });
      assert.equal(await send(whole, 'another'), 401);
      assert.equal(await send(whole.slice(0, -1)), 400);
      assert.equal(await send(JSON.stringify({ status: 'delivered', items: [...items, 5], reference })), 400);
      assert.equal(await send(whole), 200);
      assert.equal(await send(whole), 200);
      assert.equal(await openSupplierPurchase(productId), undefined);
      const [latest] = known((await ok(scene.operator.listSupplierPurchases())).ended);
      assert.deepEqual([latest?.reference, latest?.itemsIntoStock], [reference, 5_000]);
      assert.equal(await scene.balanceUsdt(buyer), 100);
    });

    test('is 404 of a purchase that was never made, or that another supplier was asked for', async () => {
      const { url, secret } = supplied.supplier;
      const other = known(
        (await ok(scene.operator.createSupplier({ name: 'Other', url, secret }))).supplierId,
      );
      const { productId, buy: purchase } = await stage('later');
      await purchase();
      const reference = await referenceOf(productId);
      assert.equal(await say(reference, ['x', 'y'], other), 404);
      assert.equal(await say(reference), 200);
      for (const [of, never] of [
        [other, reference],
        [supplied.supplierId, reference.replace(/\d+$/, '1')],
        [supplied.supplierId, 'pur_999999_1'],
        [supplied.supplierId, 'x'],
      ] as const)
        assert.equal(await say(never, ['x', 'y'], of), 404, never);
    });
  });

  test('what is open is listed in pages, by number, each once, with how many there are of a supplier', async () => {
    const productIds = new Set<number>();
    for (const sku of ['failed', 'failed', 'later'] as const) {
      const { buy: purchase, productId } = await stage(sku);
      productIds.add(productId);
      await purchase();
    }
    const numbersOf = ({ supplierPurchases: listed }: OperatorBody) =>
      known(listed)
        .filter(({ productId }) => productIds.has(productId))
        .map(({ supplierPurchaseId }) => supplierPurchaseId);
    const numbers: number[] = [];
    // Other cases' purchases may end meanwhile.
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const page = await ok(scene.operator.json('GET', `/supplier-purchases?limit=1&cursor=${cursor}`));
      numbers.push(...numbersOf(page));
      if (cursor !== '0') assert.deepEqual(page.ended, []);
      cursor = page.nextCursor;
    }
    assert.deepEqual(numbers, numbersOf(await ok(scene.operator.listSupplierPurchases())));
    assert.equal(new Set(numbers).size, 3);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    const { text } = await scene.operator.json('GET', `/suppliers/${supplied.supplierId}`);
    const { circuit, openPurchases, unresolvedPurchases } = JSON.parse(text) as Record<string, unknown>;
    assert.equal(circuit, 'closed');
    assert.ok(Number(openPurchases) >= 3 && Number(unresolvedPurchases) >= 2, text);
  });

  test('a name or sku must be one line, and a product names a supplier that exists, and its sku', async () => {
    const { supplier, supplierId } = supplied;
    const productId = await scene.product({ supplierId, supplierSku: 'codes' });
    const { url, secret } = supplier;
    const product = { name: 'x', priceUsdt: 1 };
    const unfit = ['two\nlines', 'tab\t', 'null\u0000', '\u009b', '\u2028'].flatMap((name) => [
      ['POST', '/suppliers', { name, url, secret }, /^name must be one line/] as const,
      [
        'PATCH',
        `/products/${productId}`,
        { supplierId, supplierSku: name },
        /^supplierSku must be one/,
      ] as const,
    ]);
    for (const [method, path, fields, said] of [
      ...unfit,
      ['POST', '/products', { ...product, supplierId: 999, supplierSku: 'x' }, /./] as const,
      ['POST', '/products', { ...product, supplierId }, /./] as const,
      ['POST', '/products', { ...product, supplierSku: 'x' }, /./] as const,
      ['POST', '/products', { ...product, supplierId, supplierSku: 'x', type: 'manual' }, /./] as const,
    ]) {
      const { status, body } = await scene.operator.json(method, path, fields);
      assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'], `${path} ${JSON.stringify(fields)}`);
      assert.match(known(body.message), said);
    }
  });
});
