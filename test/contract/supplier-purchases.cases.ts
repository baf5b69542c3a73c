/**
 * Supplier purchases as operators and suppliers meet them (docs/suppliers.md): reports, lists, giving up, and what a
 * product and a supplier may be called. Servers poll suppliers every 50 ms.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type OperatorBody, ok } from '../support/operator-client.ts';
import { assertReplay } from './reply-assertions.ts';
import { casesOf, known } from './scene.ts';
import { supplierScene } from './supplier-scene.ts';

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
    const giveUp = async (reference: string, reason?: string) => {
      const path = `/supplier-purchases/${reference}/give-up`;
      const { status, body } = await scene.operator.json(
        'POST',
        path,
        reason === undefined ? undefined : { reason },
      );
      return { status, error: body.error, end: body as unknown as { result?: string; productId?: number } };
    };

    test('is given up by the operator, repeatedly with one answer, and is asked for no more', async () => {
      const { supplier, supplierId } = supplied;
      const { buyer, productId, buy: purchase } = await stage('failed');
      const refused = await purchase();
      const reference = known((await openSupplierPurchase(productId))?.reference);
      const why = `${reference} is silent`;
      const first = await giveUp(reference, why);
      assert.deepEqual([first.status, first.end.result, first.end.productId], [200, 'given-up', productId]);
      const again = await giveUp(reference);
      const withoutId = ({ requestId: _, ...rest }: Record<string, unknown>) => rest;
      assert.deepEqual(withoutId({ ...again.end }), withoutId({ ...first.end }));
      assert.equal(await openSupplierPurchase(productId), undefined);
      const audit = (await scene.operator.json('GET', '/audit')).body as unknown as {
        readonly entries: readonly {
          readonly action: string;
          readonly operator: string;
          readonly reason?: string;
        }[];
      };
      const told = audit.entries.find(({ reason }) => reason === why);
      assert.deepEqual([told?.action, told?.operator], ['SupplierPurchaseReconciled', 'root']);
      const ended = known((await ok(scene.operator.listSupplierPurchases())).ended);
      assert.equal(
        ended.find((supplierPurchase) => supplierPurchase.reference === reference)?.result,
        'given-up',
      );
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
      const pending = known((await openSupplierPurchase(later.productId))?.reference);
      const late = await stage('reset');
      await late.buy();
      await eventually('its end', async () => (await openSupplierPurchase(late.productId)) === undefined);
      const listed = known((await ok(scene.operator.listSupplierPurchases())).ended);
      const ended = known(
        listed.find((supplierPurchase) => supplierPurchase.productId === late.productId)?.reference,
      );
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
      assert.equal((await openSupplierPurchase(later.productId))?.phase, 'pending');
    });
  });

  test('a supplier has how many of its purchases are open and unresolved, as the list has them', async () => {
    const { supplierId } = supplied;
    const later = await stage('later');
    await later.buy();
    const failed = await stage('failed');
    await failed.buy();
    const { text } = await scene.operator.json('GET', `/suppliers/${supplierId}`);
    const { circuit, openPurchases, unresolvedPurchases } = JSON.parse(text) as Record<string, unknown>;
    const open = known((await ok(scene.operator.listSupplierPurchases())).supplierPurchases);
    const its = (open as unknown as { supplierId: number; phase: string }[]).filter(
      (row) => row.supplierId === supplierId,
    );
    const unresolved = its.filter(({ phase }) => phase === 'unresolved').length;
    assert.deepEqual([circuit, openPurchases, unresolvedPurchases], ['closed', its.length, unresolved]);
    assert.ok(its.length >= 2 && unresolved >= 1);
  });

  test('what is open is listed in pages, by number, each once, and what has ended with the first', async () => {
    const productIds = new Set<number>();
    for (let count = 0; count < 3; count += 1) {
      const { buy: purchase, productId } = await stage('failed');
      productIds.add(productId);
      await purchase();
    }
    const numbers: number[] = [];
    // Other cases' purchases may end meanwhile.
    const numbersOf = ({ supplierPurchases: listed }: OperatorBody) =>
      known(listed)
        .filter(({ productId }) => productIds.has(productId))
        .map(({ supplierPurchaseId }) => supplierPurchaseId);
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const page = await ok(scene.operator.json('GET', `/supplier-purchases?limit=1&cursor=${cursor}`));
      numbers.push(...numbersOf(page));
      if (cursor !== '0') assert.deepEqual(page.ended, []);
      cursor = page.nextCursor;
    }
    assert.deepEqual(numbers, numbersOf(await ok(scene.operator.listSupplierPurchases())));
    assert.equal(numbers.length, 3);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  });

  test('a name or sku with a line break or another control character is refused, and says which', async () => {
    const { supplier, supplierId } = supplied;
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
    const { supplierId } = supplied;
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
