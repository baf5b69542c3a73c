/** What the HTTP server refuses by itself: counted, and told with its address; as part of a request, with that one's id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestIds } from '../src/http/request-ids.ts';
import { openNodeTransport } from '../src/http/transport/node.ts';
import type { EndedRequest, StreamingExchange } from '../src/http/transport/transport.ts';
import { listen } from '../src/listeners.ts';
import { RequestMeter } from '../src/metrics/request-meter.ts';
import { head, RawClient } from './http/transport/raw-client.ts';

interface Told extends EndedRequest {
  readonly status: number;
}

async function refusalOf(bytes: string) {
  const meter = new RequestMeter({ listener: 'buyer', method: 'any', route: 'none' });
  const told: Told[] = [];
  const listener = await listen<StreamingExchange>({
    transport: openNodeTransport(),
    host: '127.0.0.1',
    port: 0,
    requestIds: new RequestIds(Date.now),
    meter,
    onExchange: (exchange) => {
      exchange.requestId = 'req_of_this_request';
      exchange.readBody(100, () => {});
    },
    onFault: (error) => assert.fail(String(error)),
    onEnded: ({ requestId, method, path, route, accountId, operator, clientAddress }, status) =>
      told.push({ requestId, method, path, route, accountId, operator, clientAddress, status }),
  });
  const client = await RawClient.connect(listener.port);
  client.send(bytes);
  const { status, headers, body } = await client.reply();
  client.close();
  await listener.stop(0);
  const requestId = headers.get('x-request-id');
  assert.deepEqual([status, JSON.parse(body).requestId], [400, requestId]);
  const counted = Object.fromEntries(meter.answers.filter(([, count]) => count > 0));
  return { requestId, told, counted };
}

const UNKNOWN = { route: '', accountId: 0, operator: '', status: 400 };

test('what is no request has no method, an id of its own, and the address it came from', async () => {
  const { requestId, told, counted } = await refusalOf('garbage\r\n\r\n');
  assert.match(requestId ?? '', /^req_\d+_\d+$/);
  assert.deepEqual(told, [{ ...UNKNOWN, requestId, method: '', path: '', clientAddress: '127.0.0.1' }]);
  assert.deepEqual(counted, { '4xx': 1 });
});

test('what is no body ends its request', async () => {
  const bytes = `${head('POST', '/a', ['transfer-encoding: chunked'])}zz\r\n`;
  const { requestId, told, counted } = await refusalOf(bytes);
  assert.equal(requestId, 'req_of_this_request');
  assert.deepEqual(told, [{ ...UNKNOWN, requestId, method: 'POST', path: '/a', clientAddress: '' }]);
  assert.deepEqual(counted, { '4xx': 1 });
});
