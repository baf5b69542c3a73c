/** The configurations of docs/proxies, in front of a real node: buyers buy through them, and the node knows who they are. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { jsonLines } from '../../support/json-lines.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from '../../support/purser-process.ts';
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
    describe(name, () => {
      let proxy: ShippedProxy;
      let dispatcher: Agent;
      let skip: string | undefined;

      const send = (method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string) =>
        request(`${proxy.url}${path}`, {
          dispatcher,
          method,
          headers: { 'x-api-key': apiKey, ...headers },
          ...(body === undefined ? {} : { body }),
        });

      const buy = async (productId: number, key: string = randomUUID()) => {
        const headers = {
          'idempotency-key': key,
          'content-type': 'application/json',
          'x-forwarded-for': CLAIM,
        };
        const order = JSON.stringify({ productId, quantity: 1, expectedPriceUsdt: 1 });
        const { statusCode, body } = await send('POST', '/orders', headers, order);
        return { status: statusCode, text: await body.text() };
      };

      before(async () => {
        skip = await whyNot(name);
        if (skip !== undefined) return;
        const nodes = { '127.0.0.1:8080': `127.0.0.1:${port}` };
        proxy = await ShippedProxy.start({ folder: 'docs/proxies', name, nodes });
        dispatcher = new Agent({ connect: { ca: proxy.ca } });
        await eventually(`${name} answers`, async () => {
          const answer = await send('GET', '/health', {}).catch(() => undefined);
          await answer?.body.dump();
          return answer?.statusCode === 200;
        });
      });
      after(async () => {
        await dispatcher?.destroy();
        await proxy?.stop();
      });

      test('many buy at once, and a key that is sent again buys nothing', async (context) => {
        if (skip !== undefined) return context.skip(skip);
        const keys = Array.from({ length: AT_ONCE }, () => randomUUID());
        const first = await Promise.all(keys.map((key) => buy(1, key)));
        assert.deepEqual([...new Set(first.map(({ status }) => status))], [201], proxy.said);
        const again = await Promise.all(keys.map((key) => buy(1, key)));
        const idOf = ({ text }: { text: string }) => JSON.parse(text).orderId as number;
        assert.deepEqual(again.map(idOf), first.map(idOf));
      });

      test('the node knows the client’s own address, and believes no claim', async (context) => {
        if (skip !== undefined) return context.skip(skip);
        const { text } = await buy(1);
        const { requestId } = JSON.parse(text) as { requestId: string };
        const lineOf = () =>
          jsonLines(readFileSync(join(folder.path, 'access.log'), 'utf8')).find(
            (line) => line.requestId === requestId,
          );
        await eventually('the request is in the access log', () => lineOf() !== undefined);
        assert.equal(lineOf()?.address, '127.0.0.1');
      });

      test('a file is downloaded, and a part of it', async (context) => {
        if (skip !== undefined) return context.skip(skip);
        const { text } = await buy(2);
        const { orderId } = JSON.parse(text) as { orderId: number };
        const whole = await send('GET', `/orders/${orderId}/download`, {});
        const bytes = Buffer.from(await whole.body.arrayBuffer());
        assert.equal(whole.statusCode, 200, proxy.said);
        assert.deepEqual(bytes, Buffer.from(patternBytes(FILE_BYTES, 1)));
        const part = await send('GET', `/orders/${orderId}/download`, { range: 'bytes=100-199' });
        assert.equal(part.statusCode, 206);
        assert.deepEqual(Buffer.from(await part.body.arrayBuffer()), bytes.subarray(100, 200));
      });

      test('a node that was killed is found again, with the same key', async (context) => {
        if (skip !== undefined) return context.skip(skip);
        const key = randomUUID();
        const { text } = await buy(1, key);
        await node.kill();
        const away = await buy(1, key).catch(() => ({ status: 502 }));
        assert.ok([502, 503].includes(away.status), String(away.status));
        node = await start();
        await eventually('the node answers through it', async () => {
          const answer = await buy(1, key).catch(() => undefined);
          return (
            answer !== undefined &&
            answer.status < 500 &&
            JSON.parse(answer.text).orderId === JSON.parse(text).orderId
          );
        });
      });
    });
  }
});
