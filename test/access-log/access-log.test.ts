/**
 * The access log of a node, by a real process, with the transport that it takes by itself. The counts and calls of each
 * transport are tested in `test/http/transport/ended.test.ts`.
 */
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BuyerClient, type BuyerReply, type RequestHeaders } from '../support/buyer-client.ts';
import { eventually } from '../support/eventually.ts';
import { jsonLines } from '../support/json-lines.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from '../support/nodes/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

type Line = Readonly<Record<string, unknown>>;

const accessLines = (path: string) => jsonLines(readFileSync(path, 'utf8')) as Line[];

describe('with --access-log', () => {
  let folder: TemporaryFolder;
  let node: PurserProcess;
  let file: string;
  let clients: { readonly buyer: BuyerClient; readonly operator: BuyerClient };
  const startedAtMs = Date.now();
  /** By the id of each request, what its line must say. */
  const expected = new Map<string, Line>();

  async function call(
    listener: 'buyer' | 'operator',
    path: string,
    who: Line = {},
    headers: RequestHeaders = {},
    { method = 'GET', body }: { method?: string; body?: unknown } = {},
  ): Promise<BuyerReply> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const type = sent === undefined ? {} : { 'content-type': 'application/json' };
    const reply = await clients[listener].raw(method, path, { ...type, ...headers }, sent);
    const bytes = Buffer.byteLength(reply.text);
    const { status } = reply;
    expected.set(String(reply.headers['x-request-id']), { listener, method, status, bytes, ...who });
    return reply;
  }

  before(async () => {
    folder = await createTemporaryFolder('access-log');
    file = join(folder.path, 'access.log');
    const flags = ['--access-log', file, '--trust-proxy', '127.0.0.0/8'];
    flags.push('--alert-url', 'http://127.0.0.1:9/a-secret');
    node = await startPurser({ dataDir: join(folder.path, 'data'), flags });
    clients = { buyer: new BuyerClient(node.buyerUrl), operator: new BuyerClient(node.operatorUrl) };
  });
  after(async () => {
    await node.kill();
    await folder.remove();
  });

  test('every request of both listeners is one line, which says whose it was and what it got', async () => {
    const root = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const byRoot = async (path: string, body: unknown, route = path) => {
      const who = { operator: 'root', route: `/operator/v1${route}` };
      return (await call('operator', path, who, root, { method: 'POST', body })).body as unknown as Line;
    };
    const { accountId } = await byRoot('/accounts', { name: 'buyer' });
    const { apiKey } = await byRoot(`/accounts/${accountId}/key`, {}, '/accounts/{id}/key');
    const credit = { amountUsdt: 10, reference: 'r' };
    await byRoot(`/accounts/${accountId}/credits`, credit, '/accounts/{id}/credits');
    const { productId } = await byRoot('/products', { name: 'é', priceUsdt: 1 });
    await byRoot(`/products/${productId}/stock`, { items: ['a', 'b'] }, '/products/{id}/stock');
    const { token } = await byRoot('/operators', { name: 'anna', role: 'viewer' });
    const anna = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' };
    const hers = { operator: 'anna', address: '203.0.113.9' };
    await call('operator', '/accounts?limit=5', { ...hers, route: '/operator/v1/accounts' }, anna);
    await call('operator', '/feed?after=x', { ...hers, status: 400 }, anna);
    const stranger = { status: 401, address: '127.0.0.1' };
    await call('operator', '/accounts', stranger, { authorization: 'Bearer x' });
    await call('operator', '/live', { route: '/operator/v1/live', status: 200 });

    const key = { 'x-api-key': String(apiKey) };
    const buyer = (route: string) => ({ accountId, route: `/api/v1/buyer${route}` });
    const order = { productId, quantity: 1, expectedPriceUsdt: 1 };
    for (const idempotencyKey of ['one', 'one', 'two', 'three']) {
      const headers = { ...key, 'idempotency-key': idempotencyKey, 'x-forwarded-for': '203.0.113.7' };
      const who = { ...buyer('/orders'), address: '203.0.113.7' };
      await call('buyer', '/orders', who, headers, { method: 'POST', body: order });
    }
    const path = '/api/v1/buyer/orders/1';
    await call('buyer', '/orders/1?secret=1', { ...buyer('/orders/{id}'), path }, key);
    await call('buyer', '/balance', { ...buyer('/balance'), bytes: 0 }, key, { method: 'HEAD' });
    await call('buyer', '/balance', { status: 401, route: '/api/v1/buyer/balance' }, { 'x-api-key': 'x' });
    await call('buyer', '/health', { route: '/api/v1/buyer/health' });
    await call('buyer', '/nothing?x', { path: '/api/v1/buyer/nothing', status: 404 });

    await eventually('all lines', () => accessLines(file).length >= expected.size);
    const lines = new Map(accessLines(file).map((line) => [line.requestId, line]));
    assert.equal(accessLines(file).length, expected.size);
    for (const [requestId, wanted] of expected) {
      const line = lines.get(requestId) ?? assert.fail(`no line of ${requestId}`);
      assert.deepEqual({ ...line, ...wanted }, line, `${requestId} ${wanted.route}`);
      assert.ok(
        Number(line.time) >= startedAtMs - 1_000 && Number(line.time) <= Date.now(),
        `time ${Number(line.time)}`,
      );
      assert.ok(Number(line.durationMs) >= 0 && Number(line.durationMs) < 60_000);
    }
    assert.doesNotMatch(readFileSync(file, 'utf8'), /secret|limit=5/);
  });

  test('SIGHUP goes on in a file of the same name, and a stop writes all lines', async () => {
    const old = `${file}.1`;
    const before = accessLines(file).length;
    await call('buyer', '/health');
    renameSync(file, old);
    process.kill(node.pid, 'SIGHUP');
    await eventually('the new file', () => node.output().includes('the access log is opened anew'));
    const { headers } = await call('buyer', '/health');
    clients.buyer.close();
    clients.operator.close();
    assert.equal(await node.stop(), 0);
    assert.equal(accessLines(old).length, before + 1);
    assert.doesNotMatch(node.output(), new RegExp(`a-secret|${OPERATOR_TOKEN}`));
    assert.deepEqual(
      accessLines(file).map(({ requestId }) => requestId),
      [headers['x-request-id']],
    );
  });
});

test('what the access log can’t take is lost, counted and told, and nothing else happens', async () => {
  const folder = await createTemporaryFolder('access-log-full');
  const dataDir = join(folder.path, 'data');
  const node = await startPurser({ dataDir, flags: ['--access-log', '/dev/full'] });
  const buyers = new BuyerClient(node.buyerUrl);
  for (let count = 0; count < 10; count += 1) assert.equal((await buyers.raw('GET', '/health')).status, 200);
  process.kill(node.pid, 'SIGHUP');
  await eventually('it is told', () => node.output().includes('lines of the access log are lost'));
  assert.equal((await buyers.raw('GET', '/health')).status, 200);
  buyers.close();
  assert.equal(await node.stop(), 0);
  const lost = jsonLines(node.output()).filter(({ msg }) => msg === 'lines of the access log are lost');
  assert.match(String(lost[0]?.reason), /the disk is full/);
  assert.ok(lost.reduce((sum, { lines }) => sum + Number(lines), 0) >= 10);
  await folder.remove();
});
