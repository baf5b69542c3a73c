/** The alerts that a node tells operators by itself: posted, signed, in the log and in the metrics. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verifyWebhook } from '../../src/client/webhook-signature.ts';
import { startInProcess } from '../support/nodes/node-in-process.ts';
import { ok } from '../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { AlertReceiver, type ReceivedAlert } from './alert-receiver.ts';
import { SECRET, WatchedNode } from './watched-node.ts';

let folder: TemporaryFolder;
let node: WatchedNode;
describe('alerts of a node', () => {
  before(async () => {
    folder = await createTemporaryFolder('watched');
    // Less is free on any disk with a few files on it.
    node = await WatchedNode.start(folder.path, {
      diskLow: '99%',
      manualOverdue: '1s',
      supplierTimeout: '100ms',
    });
  });
  after(async () => {
    await node?.close();
    await folder.remove();
  });

  test('stock is low, once, and that is over; signed, to those who want to know', async () => {
    const { operator } = node;
    const productId =
      (await ok(operator.createProduct({ name: 'Code', priceUsdt: 1, lowStock: 5 }))).productId ?? 0;
    await ok(operator.addStock(productId, ['a', 'b', 'c']));
    await node.alert('STOCK_LOW', 'firing');
    await ok(operator.addStock(productId, ['d', 'e', 'f']));
    await node.alert('STOCK_LOW', 'resolved');
    assert.equal((await node.buy(productId, 2)).status, 201);
    const isSecond = (alert: ReceivedAlert) => alert.availableStock === 4;
    const { at: _, message, ...second } = await node.operations.alert(isSecond);
    assert.deepEqual(second as object, {
      class: 'operations',
      error: 'STOCK_LOW',
      state: 'firing',
      productId,
      availableStock: 4,
      lowStock: 5,
      hoursOfCover: null,
    });
    await node.everything.alert(isSecond);
    assert.match(await node.metrics(), /purser_alerts_total\{error="STOCK_LOW"\} 2\n/);
    assert.match(await node.metrics(), /purser_alerts_firing\{error="STOCK_LOW"\} 1\n/);
    const listed = JSON.parse((await operator.json('GET', '/alerts')).text) as Record<
      'firing' | 'recent',
      readonly ReceivedAlert[]
    >;
    const ofStock = (list: 'firing' | 'recent') => listed[list].filter(({ error }) => error === 'STOCK_LOW');
    assert.deepEqual(
      ofStock('firing').map((each) => [each.message, each.availableStock]),
      [[message, 4]],
    );
    assert.deepEqual(
      ofStock('recent').map(({ state }) => state),
      ['firing', 'resolved', 'firing'],
    );
    for (const { headers, bytes: body } of node.operations.posts) {
      await verifyWebhook({ headers, body, secret: SECRET });
    }
    const output = node.lines.join('');
    assert.match(output, /"error":"STOCK_LOW","state":"firing"/);
    assert.ok(!output.includes(SECRET));
    assert.ok(!(await operator.json('GET', '/status')).text.includes(SECRET));
  });

  test('a delivery by hand is overdue, and is done', async () => {
    const { operator } = node;
    const made = await ok(operator.createProduct({ name: 'By hand', type: 'manual', priceUsdt: 1 }));
    const { body } = await node.buy(made.productId ?? 0);
    const overdue = await node.alert('DELIVERY_OVERDUE', 'firing');
    assert.deepEqual([overdue.orders, overdue.oldestOrderId], [1, body.orderId]);
    await ok(operator.json('POST', `/orders/${body.orderId}/complete`, { items: ['done'] }));
    assert.equal((await node.alert('DELIVERY_OVERDUE', 'resolved')).orders, 0);
  });

  test('a supplier does not answer', async () => {
    const { operator } = node;
    const supplier = { name: 'nobody', url: 'http://127.0.0.1:1', secret: 'secret-of-supplier' };
    const { supplierId = 0 } = await ok(operator.createSupplier(supplier));
    const product = { name: 'Supplied', priceUsdt: 1, supplierId, supplierSku: 'x' };
    const { productId = 0 } = await ok(operator.createProduct(product));
    for (let count = 0; count < 5; count += 1) assert.equal((await node.buy(productId)).status, 502);
    assert.equal((await node.alert('SUPPLIER_CIRCUIT_OPEN', 'firing')).supplierId, supplierId);
  });

  test('the disk is nearly full; and what buyers did is kept from those who do not want it', async () => {
    const low = await node.alert('DISK_LOW', 'firing');
    assert.ok((low.freeBytes ?? 0) > 0 && (low.totalBytes ?? 0) > (low.freeBytes ?? 0));
    assert.equal((await node.buyers.raw('GET', '/balance', { 'x-api-key': 'nobody' })).status, 401);
    const alert = await node.everything.alert(({ error }) => error === 'UNAUTHORIZED');
    assert.equal((alert as { class?: string }).class, 'buyer');
    const posted = node.operations.posts.flatMap(({ body }) => body.alerts as readonly { class?: string }[]);
    assert.ok(posted.every((each) => each.class === 'operations'));
  });

  test('what ended while the node was down is told after the start; one that knows of nothing says what goes on', async () => {
    const other = await createTemporaryFolder('watched-again');
    await using receiver = await AlertReceiver.open();
    const start = (diskLow: string) =>
      startInProcess(
        { data: other.path, transport: 'node', alertUrl: receiver.url, diskLow },
        { alertLookMs: 100 },
      );
    const fresh = await start('0%');
    await receiver.until(() => receiver.posts.length > 0);
    assert.deepEqual([receiver.posts[0]?.body.alerts, receiver.posts[0]?.body.firing], [[], {}]);
    await fresh.stop();
    for (const [diskLow, state] of [
      ['99%', 'firing'],
      ['1%', 'resolved'],
    ] as const) {
      const started = await start(diskLow);
      await receiver.alert((alert) => alert.error === 'DISK_LOW' && alert.state === state);
      await started.stop();
    }
    await other.remove();
  });
});
