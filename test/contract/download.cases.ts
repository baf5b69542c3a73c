/** SPEC.md §4, GET /orders/{id}/download: the original bytes, to whoever bought them, as often as they like. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import { patternBytes } from '../support/pattern-bytes.ts';
import {
  buyFile,
  type Download,
  download,
  fileProduct,
  orderedFile,
  UnhurriedClient,
} from './download-client.ts';
import { assertRefusal, assertReplay, assertSuccess } from './reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known, type Scene } from './scene.ts';

const PDF = 'application/pdf';
/** More than the sockets between server and client hold. */
const LARGE_BYTES = 16 * 1024 * 1024;
/** As docs/buyer-guide.md says. */
const DOWNLOADS_PER_ACCOUNT = 32;

/** The refusal in an answer, which must be a whole envelope. */
function assertDownloadRefusal(reply: Download, status: number, code: string): void {
  const text = reply.bytes.toString();
  assert.equal(reply.status, status, text);
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual([body.success, body.error], [false, code]);
  assert.equal(typeof body.message, 'string');
  assert.equal(body.requestId, reply.headers.get('x-request-id'));
  assert.match(String(reply.headers.get('content-type')), /^application\/json/);
  assert.equal(reply.headers.get('cache-control'), 'no-store');
}

function assertFile({ status, headers, bytes }: Download, expected: Buffer, contentType: string): void {
  assert.equal(status, 200, bytes.toString('utf8', 0, 300));
  assert.ok(bytes.equals(expected), `${bytes.length} bytes`);
  assert.equal(headers.get('content-type'), contentType);
  assert.equal(headers.get('content-length'), String(expected.length));
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('hex')}"`;
}

/** Where the product's file lies on the server's disk. */
async function pathOfFile(scene: Scene, productId: number): Promise<string> {
  const { file } = await ok(scene.operator.getProduct(productId));
  return join(scene.dataDir, 'files', known(file).fileId);
}

export const downloads = casesOf('downloads', (scene) => {
  test('§2, §3 a file product never runs out, and a purchase delivers where to download it', async () => {
    const buyer = await scene.buyer();
    const { productId } = await fileProduct(scene, 10);
    const { products } = (await scene.buyers.products(buyer.apiKey)).body;
    assert.equal(products?.find(({ id }) => id === productId)?.availableStock, 'unlimited');
    const key = freshIdempotencyKey();
    const body = { productId, quantity: 2, expectedPriceUsdt: 7 };
    const purchase = await scene.buyers.purchase(buyer.apiKey, key, body);
    assertSuccess(purchase, 201);
    const orderId = known(purchase.body.orderId);
    assert.equal(purchase.body.status, 'completed');
    assert.deepEqual(purchase.body.delivery, { downloadUrl: `/api/v1/buyer/orders/${orderId}/download` });
    assertReplay(await scene.buyers.purchase(buyer.apiKey, key, body), purchase);
    const order = await scene.buyers.order(buyer.apiKey, orderId);
    assert.deepEqual(order.body.delivery, purchase.body.delivery);
    assert.equal((await download(scene, buyer, orderId)).status, 200);
  });

  test('§4 a file comes as it was uploaded, again and again, as an attachment without an extension; HEAD tells all that GET does', async () => {
    const buyer = await scene.buyer();
    const type = 'text/html; charset="utf-8"';
    for (const sizeBytes of [1, 65_536, 65_537, 1_234_567]) {
      const { bytes, orderId } = await orderedFile(scene, buyer, sizeBytes, type);
      assertFile(await download(scene, buyer, orderId), bytes, type);
      const again = await download(scene, buyer, orderId);
      assertFile(again, bytes, type);
      const { headers } = again;
      assert.equal(headers.get('content-disposition'), `attachment; filename="order-${orderId}"`);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(String(headers.get('x-request-id')), /^req_/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('accept-ranges'), 'bytes');
      assert.equal(headers.get('etag'), etagOf(bytes));
      const head = await download(scene, buyer, orderId, { range: 'bytes=0-0' }, 'HEAD');
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      for (const [name, value] of headers) {
        if (!/date|request-id|connection|keep-alive/.test(name))
          assert.equal(head.headers.get(name), value, name);
      }
    }
  });

  test('Range gets a part, and the parts make the whole', async () => {
    const buyer = await scene.buyer();
    const { bytes, orderId } = await orderedFile(scene, buyer, 300_001, PDF);
    const ranges: readonly (readonly [range: string, start: number, end: number])[] = [
      ['bytes=0-0', 0, 1],
      ['bytes=0-199999', 0, 200_000],
      ['bytes=200000-', 200_000, 300_001],
      ['bytes=-1', 300_000, 300_001],
      ['bytes=131071-131072', 131_071, 131_073],
      ['bytes=5-999999', 5, 300_001],
      ['bytes=-999999', 0, 300_001],
    ];
    for (const [range, start, end] of ranges) {
      const part = await download(scene, buyer, orderId, { range });
      assert.equal(part.status, 206, range);
      assert.ok(part.bytes.equals(bytes.subarray(start, end)), range);
      assert.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/${bytes.length}`);
      assert.equal(part.headers.get('content-length'), String(end - start));
      assert.equal(part.headers.get('etag'), etagOf(bytes));
      assert.equal(part.headers.get('content-type'), PDF);
    }
    for (const range of ['bytes=0-1,5-6', 'bytes=9-1', 'lines=1-2', 'nonsense']) {
      assertFile(await download(scene, buyer, orderId, { range }), bytes, PDF);
    }
  });

  test('a Range that lies outside is 416; one is resumed with If-Range; a file that the client has is 304', async () => {
    const buyer = await scene.buyer();
    const { bytes, orderId } = await orderedFile(scene, buyer, 1_000, PDF);
    for (const range of ['bytes=1000-', 'bytes=5000-6000', 'bytes=-0']) {
      const reply = await download(scene, buyer, orderId, { range });
      assertDownloadRefusal(reply, 416, 'BAD_REQUEST');
      assert.equal(reply.headers.get('content-range'), 'bytes */1000');
    }
    const range = 'bytes=400-';
    const rest = await download(scene, buyer, orderId, { range, 'if-range': etagOf(bytes) });
    assert.deepEqual([rest.status, rest.bytes.length], [206, 600]);
    assertFile(await download(scene, buyer, orderId, { range, 'if-range': '"other"' }), bytes, PDF);
    const same = await download(scene, buyer, orderId, { 'if-none-match': etagOf(bytes) });
    assert.deepEqual([same.status, same.bytes.length], [304, 0]);
    assert.deepEqual(
      [same.headers.get('etag'), same.headers.get('cache-control')],
      [etagOf(bytes), 'no-store'],
    );
    assert.equal((await download(scene, buyer, orderId, { 'if-none-match': '"other"' })).status, 200);
  });

  test("an earlier order keeps what it bought when the product's file is replaced", async () => {
    const buyer = await scene.buyer();
    const { productId, bytes } = await fileProduct(scene, 70_001, PDF);
    const before = await buyFile(scene, buyer, productId);
    const newBytes = patternBytes(5_000, 99);
    await ok(scene.operator.setFile(productId, newBytes, 'application/zip'));
    const after = await buyFile(scene, buyer, productId);
    await ok(scene.operator.updateProduct(productId, { active: false }));
    assertFile(await download(scene, buyer, before), bytes, PDF);
    assertFile(await download(scene, buyer, after), newBytes, 'application/zip');
  });

  test('a reader that takes its time gets every byte', async () => {
    const buyer = await scene.buyer();
    const { bytes, orderId } = await orderedFile(scene, buyer, LARGE_BYTES);
    const client = new UnhurriedClient(scene, buyer, orderId);
    for (const upTo of [1, 3_000_000, 9_000_000]) {
      await client.readBody(upTo);
      await delay(100);
    }
    assert.ok((await client.readBody(bytes.length)).equals(bytes));
    client.leave();
  });

  test('one account can only have so many downloads at once, others are unaffected; those who leave take nothing along', async () => {
    const [buyer, other] = [await scene.buyer(), await scene.buyer()];
    const { productId, orderId } = await orderedFile(scene, buyer, LARGE_BYTES);
    const otherOrderId = await buyFile(scene, other, productId);
    const clients: UnhurriedClient[] = [];
    const opens = async () => {
      const client = new UnhurriedClient(scene, buyer, orderId);
      const isFree = /^HTTP\/1\.1 200 /.test(await client.head());
      if (isFree) clients.push(client);
      else client.leave();
      return isFree;
    };
    for (const round of [1, 2]) {
      while (clients.length < DOWNLOADS_PER_ACCOUNT) {
        if (round === 1) assert.ok(await opens());
        else await eventually(`${clients.length} of the places that were given up are free`, opens);
      }
      const refused = await download(scene, buyer, orderId);
      assertDownloadRefusal(refused, 503, 'DELIVERY_UNAVAILABLE');
      assert.match(String(refused.headers.get('retry-after')), /^[1-9]\d*$/);
      assert.equal((await download(scene, other, otherOrderId, { range: 'bytes=0-9' })).status, 206);
      for (const client of clients.splice(0)) client.leave();
      await eventually('the downloads that were given up no longer count', async () => {
        return (await download(scene, buyer, orderId, {}, 'HEAD')).status === 200;
      });
    }
  });

  test('§4, §5 404 for an order that is missing, not the caller’s, or delivers no file; a key and orders:read are needed', async () => {
    const [buyer, other] = [await scene.buyer(), await scene.buyer()];
    const { orderId } = await orderedFile(scene, buyer, 10);
    const items = await scene.product({ stock: 1 });
    const itemOrder = await scene.buy(buyer, items);
    for (const [id, who] of [
      [9_007_199_254_740_991, buyer],
      [orderId, other],
      [known(itemOrder.body.orderId), buyer],
    ] as const) {
      // A range, or a tag that matches anything, tells no more.
      for (const headers of [{}, { range: 'bytes=0-1', 'if-none-match': '*' }] as Record<string, string>[]) {
        assertDownloadRefusal(await download(scene, who, id, headers), 404, 'NOT_FOUND');
      }
    }
    for (const path of ['/orders/0/download', '/orders/x/download', `/orders/${orderId}/download/`]) {
      const reply = await scene.buyers.raw('GET', path, { 'x-api-key': buyer.apiKey });
      assertRefusal(reply, 404, 'NOT_FOUND');
    }
    const path = `/orders/${orderId}/download`;
    assertRefusal(await scene.buyers.raw('GET', path), 401, 'UNAUTHORIZED');
    const apiKey = await scene.freshKey(buyer.accountId, ['orders:write', 'catalog:read']);
    const reply = await scene.buyers.raw('GET', path, { 'x-api-key': apiKey });
    assertRefusal(reply, 403, 'FORBIDDEN');
    assert.match(String(reply.body.message), /orders:read/);
  });

  test('§4 409 DELIVERY_NOT_READY until the order is completed; 404 once it has no delivery any more', async () => {
    const buyer = await scene.buyer();
    const { accountId } = buyer;
    const { productId, bytes } = await fileProduct(scene, 1_000, PDF);
    const openOrder = async () =>
      known((await ok(scene.operator.json('POST', '/orders', { accountId, productId }))).orderId);
    const step = (orderId: number, name: string) =>
      ok(scene.operator.json('POST', `/orders/${orderId}/${name}`));

    const paid = await openOrder();
    assertDownloadRefusal(await download(scene, buyer, paid), 409, 'DELIVERY_NOT_READY');
    await step(paid, 'pay');
    assertFile(await download(scene, buyer, paid), bytes, PDF);
    await step(paid, 'refund');
    assertDownloadRefusal(await download(scene, buyer, paid), 404, 'NOT_FOUND');

    const failed = await openOrder();
    await step(failed, 'fail');
    assertDownloadRefusal(await download(scene, buyer, failed), 404, 'NOT_FOUND');

    const manual = await scene.product({ type: 'manual' });
    const pending = await buyFile(scene, buyer, manual);
    assertDownloadRefusal(await download(scene, buyer, pending), 404, 'NOT_FOUND');
  });

  test('§4 503 DELIVERY_UNAVAILABLE while the file can’t be read, told in the log; then 200 again', async () => {
    const buyer = await scene.buyer();
    const { productId, bytes, orderId } = await orderedFile(scene, buyer, 1_000, PDF);
    const path = await pathOfFile(scene, productId);
    renameSync(path, `${path}.away`);
    for (const method of ['GET', 'HEAD']) {
      const reply = await download(scene, buyer, orderId, {}, method);
      assert.equal(reply.status, 503);
      assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
      if (method === 'GET') assertDownloadRefusal(reply, 503, 'DELIVERY_UNAVAILABLE');
      const requestId = known(reply.headers.get('x-request-id') ?? undefined);
      const lines = scene.log().split('\n');
      assert.ok(lines.some((line) => line.includes(requestId) && line.includes('cannot be read: ENOENT')));
    }
    renameSync(`${path}.away`, path);
    assertFile(await download(scene, buyer, orderId), bytes, PDF);
  });

  test('a file that becomes unreadable halfway breaks the connection, and never makes a short body', async () => {
    const buyer = await scene.buyer();
    const { productId, bytes, orderId } = await orderedFile(scene, buyer, LARGE_BYTES);
    const client = new UnhurriedClient(scene, buyer, orderId);
    assert.match(await client.head(), new RegExp(`content-length: ${bytes.length}`, 'i'));
    truncateSync(await pathOfFile(scene, productId), LARGE_BYTES / 2);
    const received = await client.readBody(bytes.length);
    assert.ok(received.length < bytes.length, 'the connection broke before the announced end');
    assert.ok(received.equals(bytes.subarray(0, received.length)));
  });
});
