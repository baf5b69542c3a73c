/** Purchases at suppliers after folds and restarts of a node, and those that it waits for when it stops. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ReferenceSupplier, type Sku } from '../../examples/supplier/reference-supplier.ts';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import { eventually } from '../support/eventually.ts';
import { startInProcess } from '../support/nodes/node-in-process.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** A node, and a product that its supplier delivers. An order of it waits to be paid. */
async function shop(t: TestContext, sku: Sku) {
  const folder = await createTemporaryFolder('supplier-restarts');
  t.after(() => folder.remove());
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  t.after(() => supplier.stop());
  supplier.available = 0;
  supplier.lateMs = 60_000;
  const lines: string[] = [];
  // Nobody but the supplier says how a purchase ended.
  const flags = { data: folder.path, transport: 'node', supplierPoll: '1h' } as const;
  const start = async () => {
    const node = await startInProcess(flags, { foldIntervalMs: 50, onLine: (line) => lines.push(line) });
    return { node, operator: new OperatorClient(node.operatorUrl, node.operatorToken) };
  };
  const scene = {
    ...(await start()),
    supplier,
    restart: async () => {
      await scene.node.stop();
      const said: string[] = [];
      assert.ok(await verifyDataFolder(folder.path, (line) => said.push(line)), said.join('\n'));
      Object.assign(scene, await start());
    },
    ownStock: async () => (await ok(scene.operator.json('GET', '/products/1'))).availableStock,
    told: (what: string) => lines.filter((line) => line.includes(what)).length,
  };
  const { operator } = scene;
  const { url, secret } = supplier;
  await ok(operator.createSupplier({ name: 'Codes', url, secret }));
  await ok(
    operator.json('POST', '/products', { name: 'Card', priceUsdt: 1, supplierId: 1, supplierSku: sku }),
  );
  await ok(operator.createAccount({ name: 'a buyer' }));
  await ok(operator.json('POST', '/accounts/1/credits', { amountUsdt: 10, reference: 'c' }));
  await ok(operator.json('POST', '/orders', { accountId: 1, productId: 1, quantity: 2 }));
  return scene;
}

test('a report that comes after restarts is taken once, held against the end, and told in the log', async (t) => {
  const scene = await shop(t, 'later');
  const { supplier, restart, ownStock, told } = scene;
  await ok(scene.operator.moveOrder(1, 'pay'));
  const [{ reference = '' } = {}] =
    (await ok(scene.operator.listSupplierPurchases())).supplierPurchases ?? [];
  const say = async (items?: string[]) => {
    const status = items === undefined ? 'failed' : 'delivered';
    const report = supplier.report({ reference, sku: '', quantity: 2, status, items: items ?? [] });
    const { origin } = new URL(scene.node.buyerUrl);
    return (await fetch(`${origin}/api/v1/supplier/1/callback`, { method: 'POST', ...report })).status;
  };
  assert.equal(await say(), 200);
  await restart();
  assert.deepEqual([await say(), await say(['a', 'b'])], [200, 200]);
  assert.equal(await ownStock(), 2);
  await restart();
  assert.deepEqual([await say(['b', 'a']), await say(['a', 'c']), await say()], [200, 409, 409]);
  assert.equal(await ownStock(), 2);
  await restart();
  assert.deepEqual([told('LATE_DELIVERY'), told('SUPPLIER_CONTRADICTION')], [1, 2]);
  await scene.node.stop();
});

test('a node that stops waits for a supplier, though who bought has gone', async (t) => {
  const scene = await shop(t, 'late');
  const { supplier, restart } = scene;
  const gone = new AbortController();
  const url = `${scene.node.operatorUrl}/orders/1/pay`;
  const headers = { authorization: `Bearer ${scene.node.operatorToken}` };
  const paying = fetch(url, { method: 'POST', headers, signal: gone.signal });
  await eventually('the purchase', async () => supplier.purchases.size === 1);
  gone.abort();
  await assert.rejects(paying);
  await eventually('its end', async () => scene.node.open.operators?.requests === 0);
  const stopped = restart();
  await eventually('the stop', () =>
    fetch(scene.node.operatorUrl).then(
      () => false,
      () => true,
    ),
  );
  supplier.answerLate();
  await stopped;
  assert.equal((await ok(scene.operator.json('GET', '/orders/1'))).status, 'completed');
  assert.equal(await scene.ownStock(), 0);
  await scene.node.stop();
});
