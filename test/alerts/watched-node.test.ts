/** What a real node tells operators by itself: posted, signed, in the log and in the metrics. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { verifyWebhook } from '../../src/client/webhook-signature.ts';
import { type ServerUnderTest, startServer } from '../suites/crash/server-under-test.ts';
import { tunedNode } from '../suites/crash/tuned-node.ts';
import { ok } from '../support/operator-client.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { stopProcess } from '../support/stopped-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { AlertReceiver, type ReceivedAlert } from './alert-receiver.ts';

const SECRET = 'secret-of-the-alerts';
const DISK_MIB = 96;

class WatchedNode {
  readonly operations: AlertReceiver;
  readonly everything: AlertReceiver;
  readonly server: ServerUnderTest;
  readonly apiKey: string;

  private constructor(server: ServerUnderTest, receivers: [AlertReceiver, AlertReceiver], apiKey: string) {
    this.server = server;
    [this.operations, this.everything] = receivers;
    this.apiKey = apiKey;
  }

  static async start(dataDir: string, env: Record<string, string>): Promise<WatchedNode> {
    const [operations, everything] = [await AlertReceiver.open(), await AlertReceiver.open()];
    const tuned = tunedNode({ alertLookMs: 50, foldIntervalMs: 100 });
    const server = await startServer({
      dataDir,
      entry: tuned.entry,
      env: {
        ...tuned.env,
        PURSER_ALERT_URL: `operations=${operations.url},${everything.url}`,
        PURSER_ALERT_SECRET: SECRET,
        ...env,
      },
    });
    const { operator } = server;
    await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
    await ok(operator.credit(1, 1_000, 'deposit'));
    const { apiKey = '' } = await ok(operator.issueKey(1));
    return new WatchedNode(server, [operations, everything], apiKey);
  }

  buy(productId: number, quantity = 1) {
    return this.server.buyers.purchase(this.apiKey, randomUUID(), {
      productId,
      quantity,
      expectedPriceUsdt: quantity,
    });
  }

  alert(error: string, state: 'firing' | 'resolved'): Promise<ReceivedAlert> {
    return this.operations.alert((alert) => alert.error === error && alert.state === state);
  }

  /** What `GET /alerts` has. */
  async listedAlerts(): Promise<Readonly<Record<'firing' | 'recent', readonly ReceivedAlert[]>>> {
    return JSON.parse((await this.server.operator.json('GET', '/alerts')).text);
  }

  async metrics(): Promise<string> {
    return (await this.server.operator.json('GET', '/metrics')).text;
  }

  async close(): Promise<void> {
    await this.server.kill();
    await this.operations.close();
    await this.everything.close();
  }
}

describe('a node that is watched', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let node: WatchedNode;
  before(async () => {
    folder = await createTemporaryFolder('watched');
    node = await WatchedNode.start(folder.path, {
      // Less is free on any disk with a few files on it.
      PURSER_DISK_LOW: '99%',
      PURSER_MANUAL_OVERDUE: '1s',
      PURSER_SUPPLIER_TIMEOUT: '100ms',
    });
  });
  after(async () => {
    await node?.close();
    await folder.remove();
  });

  test('tells that stock is low, once, and that it is over; signed, to those who want to know', async () => {
    const { operator } = node.server;
    const productId =
      (await ok(operator.createProduct({ name: 'Code', priceUsdt: 1, lowStock: 5 }))).productId ?? 0;
    await ok(operator.addStock(productId, ['a', 'b', 'c']));
    const first = await node.alert('STOCK_LOW', 'firing');
    assert.deepEqual([first.productId, first.availableStock, first.hoursOfCover], [productId, 3, null]);
    await ok(operator.addStock(productId, ['d', 'e', 'f']));
    await node.alert('STOCK_LOW', 'resolved');
    const isSecond = (alert: ReceivedAlert) => alert.availableStock === 4;
    assert.equal((await node.buy(productId, 2)).status, 201);
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
    assert.match(message, /has 4 left, its lowStock is 5/);
    await node.everything.alert(isSecond);
    const metrics = await node.metrics();
    assert.match(metrics, /purser_alerts_total\{error="STOCK_LOW"\} 2\n/);
    assert.match(metrics, /purser_alerts_firing\{error="STOCK_LOW"\} 1\n/);
    const { firing, recent } = await node.listedAlerts();
    const goesOn = firing.filter(({ error }) => error === 'STOCK_LOW');
    assert.deepEqual(
      goesOn.map((each) => [each.message, each.productId, each.availableStock]),
      [[message, productId, 4]],
    );
    const told = recent.filter(({ error }) => error === 'STOCK_LOW');
    assert.deepEqual(
      told.map(({ state }) => state),
      ['firing', 'resolved', 'firing'],
    );
    for (const { headers, bytes: body } of node.operations.posts) {
      await verifyWebhook({ headers, body, secret: SECRET });
    }
    assert.match(node.server.process.output(), /"error":"STOCK_LOW","state":"firing"/);
    assert.ok(!node.server.process.output().includes(SECRET));
    assert.ok(!(await operator.json('GET', '/status')).text.includes(SECRET));
  });

  test('tells that a delivery by hand is overdue, and that it is done', async () => {
    const { operator } = node.server;
    const made = await ok(operator.createProduct({ name: 'By hand', type: 'manual', priceUsdt: 1 }));
    const { body } = await node.buy(made.productId ?? 0);
    const overdue = await node.alert('DELIVERY_OVERDUE', 'firing');
    assert.deepEqual([overdue.orders, overdue.oldestOrderId], [1, body.orderId]);
    await ok(operator.json('POST', `/orders/${body.orderId}/complete`, { items: ['done'] }));
    assert.equal((await node.alert('DELIVERY_OVERDUE', 'resolved')).orders, 0);
  });

  test('tells of a supplier that does not answer', async () => {
    const { operator } = node.server;
    const supplier = { name: 'nobody', url: 'http://127.0.0.1:1', secret: 'secret-of-supplier' };
    const { supplierId } = await ok(operator.createSupplier(supplier));
    const product = { name: 'Supplied', priceUsdt: 1, supplierId: supplierId ?? 0, supplierSku: 'x' };
    const { productId = 0 } = await ok(operator.createProduct(product));
    for (let count = 0; count < 5; count += 1) assert.equal((await node.buy(productId)).status, 502);
    assert.equal((await node.alert('SUPPLIER_CIRCUIT_OPEN', 'firing')).supplierId, supplierId);
    const { text } = await operator.json('GET', `/suppliers/${supplierId}`);
    assert.equal((JSON.parse(text) as { readonly circuit?: string }).circuit, 'open');
  });

  test('tells of a disk that is nearly full, and keeps what buyers did from those who do not want it', async () => {
    const low = await node.alert('DISK_LOW', 'firing');
    assert.ok((low.freeBytes ?? 0) > 0 && (low.totalBytes ?? 0) > (low.freeBytes ?? 0));
    const refused = await node.server.buyers.raw('GET', '/balance', { 'x-api-key': 'nobody' });
    assert.equal(refused.status, 401);
    const alert = await node.everything.alert(({ error }) => error === 'UNAUTHORIZED');
    assert.equal((alert as { class?: string }).class, 'buyer');
    const posted = node.operations.posts.flatMap(({ body }) => body.alerts as readonly { class?: string }[]);
    assert.ok(posted.every((each) => each.class === 'operations'));
  });
});

describe('a node whose disk fills up', { timeout: 120_000, skip: whyNoSmallDisk() ?? false }, () => {
  let folder: TemporaryFolder;
  let disk: SmallDisk;
  let node: WatchedNode;
  before(async () => {
    folder = await createTemporaryFolder('watched-disk');
    disk = mountSmallDisk(folder.path, DISK_MIB);
    node = await WatchedNode.start(join(disk.path, 'data'), {});
  });
  after(async () => {
    await node?.close();
    disk?.unmount();
    await folder.remove();
  });

  test('tells that it is low, then that it is full, and that there is room again', async () => {
    // It must not look while the disk fills, and tell of a moment in between.
    const { pid } = node.server.process;
    await stopProcess(pid);
    disk.fill(5 * 1024 * 1024);
    process.kill(pid, 'SIGCONT');
    const low = await node.alert('DISK_LOW', 'firing');
    assert.equal(low.totalBytes, DISK_MIB * 1024 * 1024);
    assert.ok((low.freeBytes ?? 0) <= 5 * 1024 * 1024);
    disk.fill();
    await node.alert('DISK_FULL', 'firing');
    disk.free();
    await node.alert('DISK_LOW', 'resolved');
    const metrics = await node.metrics();
    assert.match(metrics, /purser_alerts_firing\{error="DISK_LOW"\} 0\n/);
    assert.match(
      metrics,
      /purser_alerts_firing\{error="DISK_FULL"\} 1\n/,
      'until there was room for a minute',
    );
  });
});
