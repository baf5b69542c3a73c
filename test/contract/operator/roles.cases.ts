/**
 * The roles of the calls: every route of the operator API with every role, and the treatment of a query in all of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLES, type Role } from '../../../src/engine/operators.ts';
import { mayCall } from '../../../src/http/operator/roles.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';
import { PROBES, pathOf, ROUTES } from './route-table.ts';

export const roles = casesOf('operator API: roles and queries', (scene) => {
  async function clientOf(role: Role): Promise<OperatorClient> {
    const input = { name: `${role}-${Date.now()}`, role };
    const { token } = await ok(scene.operator.json('POST', '/operators', input));
    return new CheckedOperatorClient(scene.server.operatorUrl, known(token));
  }

  // A query that no route knows keeps a call that is allowed from doing anything.
  for (const role of ROLES) {
    test(`${role} may call what the routes say, and is told who may call the rest`, async () => {
      const client = await clientOf(role);
      for (const route of ROUTES) {
        const call = `${route.method} ${route.path}`;
        const reply = await client.json(route.method, `${pathOf(route)}?acountId=2`);
        const may = route.isOpen || mayCall(role, route.roles);
        if (PROBES.includes(route.path) && may) {
          assert.equal(reply.status, 200, call);
        } else if (may) {
          assertRefused(reply, 400, 'BAD_REQUEST');
          assert.match(String(reply.body.message), /"acountId"/, call);
        } else {
          assertRefused(reply, 403, 'FORBIDDEN');
          const others = [...route.roles, 'owner'].join(', ');
          assert.equal(reply.body.message, `Your role is ${role}. This call is for: ${others}.`, call);
        }
      }
    });
  }

  test('the owner’s token may call everything, and no token nothing but the probes and signing in', async () => {
    const stranger = new CheckedOperatorClient(scene.server.operatorUrl, '');
    for (const route of ROUTES) {
      const { status } = await stranger.request(route.method, pathOf(route), { authorization: '' });
      const open = PROBES.includes(route.path) ? 200 : 400;
      assert.equal(status, route.isOpen ? open : 401, `${route.method} ${route.path}`);
      const reply = await scene.operator.json(route.method, `${pathOf(route)}?acountId=2`);
      assert.equal(reply.status, PROBES.includes(route.path) ? 200 : 400, `${route.method} ${route.path}`);
    }
  });

  test('a viewer sees an order without what it delivers, and who scrapes has /metrics at the root, too', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: ['a secret text'] });
    const body = { productId, expectedPriceUsdt: 3.5 };
    const { orderId } = (await scene.buyers.purchase(apiKey, `roles-${productId}`, body)).body;
    const viewer = await (await clientOf('viewer')).getOrder(known(orderId));
    assertDone(viewer, 200);
    assert.deepEqual([viewer.body.status, viewer.text.includes('a secret text')], ['completed', false]);
    const support = await (await clientOf('support')).getOrder(known(orderId));
    assert.deepEqual(support.body.delivery, { items: ['a secret text'] });
    const { token } = await ok(
      scene.operator.json('POST', '/operators', { name: 'prometheus', role: 'metrics' }),
    );
    const scraper = new OperatorClient(new URL(scene.server.operatorUrl).origin, known(token));
    const reply = await scraper.json('GET', '/metrics?anything=1');
    assert.deepEqual([reply.status, /^purser_transport_info/m.test(reply.text)], [200, true]);
    assertRefused(await scraper.request('GET', '/metrics', { authorization: '' }), 401, 'UNAUTHORIZED');
    assertRefused(await scraper.json('GET', '/status'), 404, 'NOT_FOUND');
  });

  test('a field of the query that comes twice is refused, and so is a reason that is too long or empty', async () => {
    const { accountId } = await scene.buyer();
    const cases: [method: string, path: string, named: RegExp][] = [
      ['GET', '/accounts?limit=1&limit=2', /limit twice/],
      ['GET', '/accounts?Limit=1', /"Limit".*cursor, limit/],
      ['GET', '/status?x=1', /"x".*knows none/],
      ['GET', '/audit?operator=%ff', /"operator" of the query is not valid UTF-8/],
      ['GET', '/orders?cursor=1&recipient=%ED%A0%80', /"recipient" of the query is not valid UTF-8/],
      ['DELETE', `/accounts/${accountId}/key?reason=`, /reason must have 1 to 500/],
      ['DELETE', `/accounts/${accountId}/key?reason=${'x'.repeat(501)}`, /reason must have 1 to 500/],
    ];
    for (const [method, path, named] of cases) {
      const reply = await scene.operator.json(method, path);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(String(reply.body.message), named, path);
    }
    for (const path of [`/accounts/${accountId}/key`, '/operators/1', '/products/1/stock?count=1']) {
      const reply = await scene.operator.json('DELETE', path, { reason: 'left' });
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(String(reply.body.message), /go into the query, like \?reason=/, path);
    }
    const longest = encodeURIComponent('é😀'.repeat(250));
    assertDone(await scene.operator.json('DELETE', `/accounts/${accountId}/key?reason=${longest}`), 200);
  });
});
