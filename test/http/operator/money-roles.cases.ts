/** Which role is told of which money: every field of every answer to a GET, by a table that has to know all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayCall } from '../../../src/http/operator/roles.ts';
import { ROUTES } from '../../contract/operator/route-table.ts';
import { FeedConnection } from '../../feed/feed-connection.ts';
import type { Json, Made, OperatorCases, OperatorScene } from './operator-scene.ts';

const ROLES = ['metrics', 'viewer', 'support', 'stock', 'finance'] as const;
type Role = (typeof ROLES)[number];

/** Fields by their route and where they are, and whom they are for, beside the owner; the first that fits counts. */
const MONEY: readonly (readonly [field: RegExp, roles: readonly Role[]])[] = [
  [/^\/status ledger\./, ['finance']],
  [/^\/overview (sold|minutes)\.usdt$/, ['finance']],
  [/^\/reports\/money /, ['finance']],
  [/ (\w+\.)?costUsdt$/, ['stock', 'finance']],
  [/^\/metrics purser_\w+_usdt_total$/, ['metrics', 'finance']],
  // Of one product, order or account.
  [/^\/products.* (products\.)?(priceTiers\.)?priceUsdt$/, ROLES],
  [/^\/accounts\/\{id\}\/statement /, ROLES],
  [/^\/(accounts|orders|feed|webhooks|supplier-purchases|restore)/, ROLES],
];

export const moneyRoles: OperatorCases = {
  title: 'money by roles',
  define(scene: OperatorScene) {
    test('what the shop took, holds and paid for goods is told to whom it is for, in every answer', async () => {
      const productId = await scene.product({ priceTiers: [{ minQuantity: 5, priceUsdt: 0.9 }] });
      const lot = await scene.upload(productId, ['m1', 'm2', 'm3'], '?costUsdt=0.25');
      const { orderId } = await scene.buy(productId);
      await scene.json('POST', `/orders/${orderId}/refund`, { reason: 'dead' });
      const ids: Json = { accounts: scene.accountId, products: productId, orders: orderId, lots: lot };
      const owner = await scene.operator('money-owner', 'owner');
      const people = new Map<string, Made>();
      for (const role of ROLES) people.set(role, await scene.operator(`money-${role}`, role));

      for (const { method, path, roles, isOpen } of ROUTES) {
        if (method !== 'GET' || isOpen || path === '/openapi.json') continue;
        const call = path.replace('{id}', `${ids[path.split('/')[1] ?? ''] ?? 1}`).replace('{name}', '1');
        const told = await moneyOf(scene, call, owner);
        const allowed = (role: Role) =>
          told.filter((field) => {
            const rule = MONEY.find(([known]) => known.test(`${path} ${field}`));
            assert.ok(rule, `nobody has said whom "${path} ${field}" is for`);
            return rule[1].includes(role);
          });
        for (const role of ROLES) {
          const by = people.get(role);
          if (by === undefined || !mayCall(role, roles)) continue;
          assert.deepEqual(await moneyOf(scene, call, by), allowed(role), `${role}: ${path}`);
        }
        if (/^\/(status|overview|lots\/\{id\}|feed|metrics)$/.test(path)) assert.ok(told.length > 0, path);
      }
    });
  },
};

/** Where in the answer money is, ascending: names from the outside in, without indexes. */
async function moneyOf(scene: OperatorScene, call: string, by: Made): Promise<string[]> {
  const found = new Set<string>();
  const collect = (value: unknown, where: string) => {
    if (Array.isArray(value)) for (const one of value) collect(one, where);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inside] of Object.entries(value)) {
        const at = where === '' ? name : `${where}.${name}`;
        if (/usdt$/i.test(name)) found.add(at);
        collect(inside, at);
      }
    }
  };
  if (call === '/feed') {
    const feed = await FeedConnection.open(
      { operatorUrl: scene.node.operatorUrl, operatorToken: by.token },
      '',
    );
    const end = Number((await scene.json('GET', '/status')).journalPosition);
    for (const line of await feed.through(end)) collect(line, line.type);
    feed.close();
  } else {
    const reply = await by.client.request('GET', call, {});
    if (call === '/metrics')
      for (const [name] of reply.text.matchAll(/^purser_\w+usdt\w*(?=[ {])/gm)) found.add(name);
    else collect(reply.body, '');
  }
  return [...found].sort();
}
