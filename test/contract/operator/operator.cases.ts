/** DESIGN.md §7: what every call of the operator API has in common, its token, and the state of the node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf } from '../scene.ts';

export const operator = casesOf('operator API', (scene) => {
  test('anything but the whole token is 401', async () => {
    const { operatorUrl, operatorToken } = scene.server;
    const wrong = ['', 'Bearer', 'Bearer ', 'Basic operator', `Bearer ${operatorToken.slice(0, -1)}`];
    for (const authorization of [
      ...wrong,
      `Bearer ${operatorToken}x`,
      `Bearer ${operatorToken.toUpperCase()}`,
    ]) {
      for (const method of ['GET', 'POST']) {
        const reply = await scene.operator.request(method, '/accounts', { authorization });
        assertRefused(reply, 401, 'UNAUTHORIZED');
      }
    }
    const none = new CheckedOperatorClient(operatorUrl, '');
    assert.equal((await none.json('GET', '/live')).status, 200);
    assert.equal((await none.json('GET', '/ready')).status, 200);
  });

  test('a buyer’s key opens nothing here, and the token nothing there', async () => {
    const { apiKey } = await scene.buyer();
    const client = new CheckedOperatorClient(scene.server.operatorUrl, apiKey);
    assertRefused(await client.json('GET', '/accounts'), 401, 'UNAUTHORIZED');
    const reply = await scene.buyers.balance(scene.server.operatorToken);
    assert.equal(reply.status, 401);
  });

  test('wrong tokens are 429 after twenty in five minutes; the token works, and so does no token', async () => {
    const wrong = new CheckedOperatorClient(scene.server.operatorUrl, 'wrong');
    let reply = await wrong.json('GET', '/accounts');
    for (let attempt = 1; attempt <= 20 && reply.status === 401; attempt += 1) {
      reply = await wrong.json('GET', '/accounts');
    }
    assertRefused(reply, 429, 'RATE_LIMITED');
    const seconds = Number(reply.headers.get('retry-after'));
    assert.ok(seconds > 200 && seconds <= 300, `${seconds}`);
    assertDone(await scene.operator.json('GET', '/accounts'), 200);
    const none = await scene.operator.request('GET', '/accounts', { authorization: '' });
    assertRefused(none, 401, 'UNAUTHORIZED');
  });

  test('what isn’t a route is 404 in the same form', async () => {
    for (const route of [
      ...['GET /nothing', 'GET /', 'DELETE /accounts', 'PUT /products', 'GET /accounts/1/key/1'],
      ...['GET /accounts/abc', 'GET /accounts/-1', 'GET /accounts/01', 'GET /accounts/9223372036854775808'],
      ...['GET /products/999999999', 'GET /accounts/999999999'],
    ]) {
      const [method = '', path = ''] = route.split(' ');
      assertRefused(await scene.operator.json(method, path), 404, 'NOT_FOUND');
    }
  });

  test('GET /status answers with the token, and tells the transport that was chosen, as GET /metrics does', async () => {
    const reply = await scene.operator.json('GET', '/status');
    assertDone(reply, 200);
    assert.equal(JSON.parse(reply.text).transport, scene.transport);
    const { text } = await scene.operator.json('GET', '/metrics');
    assert.deepEqual(text.match(/^purser_transport_info.*$/gm), [
      `purser_transport_info{transport="${scene.transport}"} 1`,
    ]);
    assert.doesNotMatch(scene.log(), /uWebSockets\.js/);
  });

  test('GET /metrics is in Prometheus’ text format', async () => {
    const { status, headers, text } = await scene.operator.json('GET', '/metrics');
    assert.deepEqual([status, /^text\/plain/.test(String(headers.get('content-type')))], [200, true]);
    for (const line of text.split('\n').filter((each) => each !== '')) {
      assert.match(line, /^(# (HELP|TYPE|EOF|UNIT)|[a-zA-Z_:][\w:]*(\{.*\})? [-+\d.eINaNf]+)/);
    }
  });
});
