/** The configurations of docs/proxies, in front of a real node: buyers buy through them, and the node knows who they are. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import { eventually } from '../../support/eventually.ts';
import { jsonLines } from '../../support/json-lines.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { ShippedProxy, whyNot } from './shipped-proxy.ts';

const CODES = 1_000;
/** Sent twice. All that a test sends stays below the 100 addresses that the access log asks for in a tenth of a second. */
const AT_ONCE = 20;
const FILE_BYTES = 3_000_000;
const CLAIM = '203.0.113.9';

describe('the configurations of docs/proxies', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let node: PurserProcess;
  let apiKey: string;
  let port: number;

  const start = async () => {
    const flags = ['--port', String(port), '--trust-proxy', '127.0.0.1'];
    const log = ['--access-log', join(folder.path, 'access.log')];
    return startPurser({ dataDir: join(folder.path, 'data'), flags: [...flags, ...log] });
  };

  before(async () => {
    folder = await createTemporaryFolder('proxies');
    port = await freePort();
    node = await start();
    const operator = new OperatorClient(node.operatorUrl, OPERATOR_TOKEN);
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'Buyer' }));
    ({ apiKey = '' } = await ok(operator.issueKey(accountId)));
    await ok(operator.credit(accountId, CODES, 'r-1'));
    await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(operator.addStock(1, Array.from({ length: CODES }, (_, at) => `CODE-${at}`).join('\n')));
    await ok(operator.createProduct({ name: 'File', type: 'file', priceUsdt: 1 }));
    await ok(operator.setFile(2, patternBytes(FILE_BYTES, 1)));
  });
  after(async () => {
    await node?.kill();
    await folder?.remove();
  });

  for (const name of ['nginx', 'haproxy', 'caddy'] as const) {
    test(`${name} lets buyers buy, and tells the node who they are`, async (context) => {
      const trouble = await whyNot(name);
      if (trouble !== undefined) return context.skip(trouble);
      const nodes = { '127.0.0.1:8080': `127.0.0.1:${port}` };
      const proxy = await ShippedProxy.start({ folder: 'docs/proxies', name, nodes });
      context.after(() => proxy.stop());
      const dispatcher = new Agent({ connect: { ca: proxy.ca } });
      context.after(() => dispatcher.destroy());
      const get = (path: string, headers: Record<string, string> = {}) =>
        request(`${proxy.url}${path}`, { dispatcher, headers: { 'x-api-key': apiKey, ...headers } });
      const buy = async (productId: number, key: string = randomUUID()) => {
        const { statusCode, body } = await request(`${proxy.url}/orders`, {
          dispatcher,
          method: 'POST',
          headers: {
            'x-api-key': apiKey,
            'idempotency-key': key,
            'content-type': 'application/json',
            'x-forwarded-for': CLAIM,
          },
          body: JSON.stringify({ productId, quantity: 1, expectedPriceUsdt: 1 }),
        });
        const text = await body.text();
        const isOrder = statusCode === 200 || statusCode === 201;
        const { orderId, requestId } = isOrder ? JSON.parse(text) : {};
        return { status: statusCode, orderId, requestId };
      };
      await eventually(`${name} answers`, async () => {
        const answer = await get('/health').catch(() => undefined);
        await answer?.body.dump();
        return answer?.statusCode === 200;
      });

      // Many at once; a key that is sent again buys nothing.
      const keys = Array.from({ length: AT_ONCE }, () => randomUUID());
      const first = await Promise.all(keys.map((key) => buy(1, key)));
      assert.deepEqual([...new Set(first.map(({ status }) => status))], [201], proxy.said);
      const again = await Promise.all(keys.map((key) => buy(1, key)));
      const idOf = ({ orderId }: { orderId: number }) => orderId;
      assert.deepEqual(again.map(idOf), first.map(idOf));

      // The client's own address, and no claim.
      const lineOf = () =>
        jsonLines(readFileSync(join(folder.path, 'access.log'), 'utf8')).find(
          ({ requestId }) => requestId === first[0]?.requestId,
        );
      await eventually('the request is in the access log', () => lineOf() !== undefined);
      assert.equal(lineOf()?.address, '127.0.0.1');

      const { orderId } = await buy(2);
      const whole = await get(`/orders/${orderId}/download`);
      const bytes = Buffer.from(await whole.body.arrayBuffer());
      assert.deepEqual(bytes, Buffer.from(patternBytes(FILE_BYTES, 1)), proxy.said);
      const part = await get(`/orders/${orderId}/download`, { range: 'bytes=100-199' });
      assert.equal(part.statusCode, 206);
      assert.deepEqual(Buffer.from(await part.body.arrayBuffer()), bytes.subarray(100, 200));

      // A node that was killed is found again, with the same key.
      await node.kill();
      const away = await buy(1, keys[0]).catch(() => ({ status: 502 }));
      assert.ok([502, 503].includes(away.status), String(away.status));
      node = await start();
      await eventually('the node answers through it', async () => {
        const answer = await buy(1, keys[0]).catch(() => undefined);
        return answer?.orderId !== undefined && answer.orderId === first[0]?.orderId;
      });
    });
  }
});
