/** The bot's calls of the operator API, beside a server that answers as the test says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { OperatorCalls } from '../../src/bot/shop/operator-calls.ts';

describe('calls of the operator API', () => {
  const answers: (readonly [status: number, body: object])[] = [];
  const server = createServer((_request, response) => {
    const [status, body] = answers.shift() ?? [200, { success: true }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  it('waits while another node of the cluster takes over', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signal } = new AbortController();
    const calls = new OperatorCalls({ url, token: 'x', signal, say: () => {}, onHopeless: assert.fail });
    const refused = {
      success: false,
      error: 'NOT_LEADING',
      message: 'This node does not lead.',
      leader: null,
    };
    answers.push([503, refused], [503, refused], [200, { success: true, orderId: 7 }]);
    assert.equal((await calls.call({ method: 'POST', path: '/orders/7/pay', body: {} })).orderId, 7);
    await calls.close();
  });
});
