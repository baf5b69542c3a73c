/** A shop from which facts take things away, give some of them back, and take from what came later; and what is left of that. */
import assert from 'node:assert/strict';
import type { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';

const HOOK = { url: 'https://127.1.1.1/', events: ['order.completed'] };
const TIERS = [{ minQuantity: 10, priceUsdt: 0.5 }];

/** Rows by kind, without times and names. */
export const TAKEN = {
  keys: [
    { accountId: 1, change: 'replaced' },
    { accountId: 2, change: 'deactivated' },
    { accountId: 4, change: 'revoked' },
  ],
  operators: [
    { operatorId: 1, change: 'revoked' },
    { operatorId: 2, change: 'rotated' },
  ],
  webhooks: [
    { accountId: 1, change: 'secret' },
    { accountId: 2, change: 'address' },
    { accountId: 3, change: 'deleted' },
  ],
  products: [
    { productId: 1, deactivated: false, priceUsdt: { from: 1, to: 3 } },
    { productId: 3, deactivated: true },
    {
      productId: 4,
      deactivated: false,
      priceTiers: { from: [], to: TIERS },
    },
  ],
  lots: [{ lotId: 1, productId: 1, withdrawn: 2 }],
  items: [{ productId: 2, count: 1, firstItem: 0, lastItem: 0 }],
  suppliers: [{ supplierId: 1, change: 'secret' }],
  accounts: [
    {
      accountId: 1,
      priceListId: { from: 1, to: 2 },
      spendLimits: { from: [], to: [{ windowHours: 24, amountUsdt: 100 }] },
    },
    { accountId: 3, allowedNetworks: { from: null, to: ['10.0.0.0/8'] } },
  ],
  priceLists: [{ priceListId: 1, percent: { from: 10, to: null } }],
  listPrices: [
    { priceListId: 1, productId: 1, priceUsdt: { from: 4, to: 5 } },
    { priceListId: 1, productId: 3, priceUsdt: { from: null, to: 2 }, priceTiers: { from: [], to: TIERS } },
  ],
  accountPrices: [{ accountId: 2, productId: 1, priceUsdt: { from: 2, to: null } }],
};

/** Resolves to the keys of accounts, by their ids. */
export async function openShop({ operator, buyers }: QuietNode): Promise<string[]> {
  const keys: string[] = [];
  for (const id of [1, 2, 3, 4]) {
    await ok(operator.createProduct({ name: `Codes ${id}`, type: 'standard', priceUsdt: 1 }));
    await ok(operator.createAccount({ name: `buyer ${id}` }));
    keys[id] = (await ok(operator.issueKey(id))).apiKey ?? '';
    assert.equal((await buyers.setWebhook(keys[id], HOOK)).status, 200);
  }
  await ok(operator.createAccount({ name: 'without a key' }));
  for (const name of ['op-1', 'op-2', 'op-3'])
    await ok(operator.json('POST', '/operators', { name, role: 'viewer' }));
  for (const name of ['a', 'b'])
    await ok(operator.createSupplier({ name, url: 'http://127.1.1.1', secret: 'secret-of-a-supplier' }));
  const call = (method: string, path: string, body: object = {}) => ok(operator.json(method, path, body));
  await call('POST', '/price-lists', { name: 'one', percent: 10 });
  await call('POST', '/price-lists', { name: 'two' });
  await call('PATCH', '/accounts/1', { priceListId: 1 });
  await call('PUT', '/price-lists/1/prices/1', { priceUsdt: 4 });
  await call('PUT', '/price-lists/1/prices/2', { priceUsdt: 4 });
  await call('PUT', '/accounts/2/prices/1', { priceUsdt: 2 });
  await ok(operator.addStock(1, ['a', 'b']));
  await ok(operator.addStock(2, ['c', 'd', 'e']));
  return keys;
}

/** Changes that take something away, that give it back, and that take from what came later. */
export async function takeAway({ operator, buyers }: QuietNode, keys: readonly string[]): Promise<void> {
  const call = (method: string, path: string, body: object = {}) => ok(operator.json(method, path, body));
  const hook = async (key: string | undefined, url: string) =>
    assert.equal((await buyers.setWebhook(key ?? '', { ...HOOK, url })).status, 200);
  await hook(keys[1], HOOK.url);
  await hook(keys[2], 'https://127.1.1.2/');
  assert.equal((await buyers.deleteWebhook(keys[3] ?? '')).status, 200);
  for (const id of [1, 1, 5]) await ok(operator.issueKey(id));
  await call('PATCH', '/accounts/2/key', { active: false });
  await call('PATCH', '/accounts/3/key', { active: false });
  await call('PATCH', '/accounts/3/key', { active: true });
  await ok(operator.revokeKey(4));
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'later' }));
  await ok(operator.issueKey(accountId));
  await call('PATCH', `/accounts/${accountId}/key`, { active: false });

  await call('DELETE', '/operators/1');
  await call('POST', '/operators/2/token');
  await call('POST', '/operators/2/token');
  const later = await call('POST', '/operators', { name: 'later', role: 'viewer' });
  await call('DELETE', `/operators/${later.operatorId}`);

  await ok(operator.updateProduct(1, { priceUsdt: 2 }));
  await ok(operator.updateProduct(1, { priceUsdt: 3 }));
  await ok(operator.updateProduct(2, { priceUsdt: 2 }));
  await ok(operator.updateProduct(2, { priceUsdt: 1 }));
  await ok(operator.updateProduct(3, { active: false }));
  await ok(operator.updateProduct(4, { priceTiers: TIERS }));
  const { productId = 0 } = await ok(
    operator.createProduct({ name: 'Later', type: 'standard', priceUsdt: 1 }),
  );
  await ok(operator.updateProduct(productId, { active: false }));

  const limits = [{ windowHours: 24, amountUsdt: 100 }];
  await call('PATCH', '/accounts/1', { priceListId: 2, name: 'buyer 1' });
  await call('PATCH', '/accounts/1', { spendLimits: limits });
  await call('PATCH', '/accounts/2', { allowedNetworks: ['127.0.0.1'], spendLimits: limits });
  await call('PATCH', '/accounts/2', { allowedNetworks: null, spendLimits: [] });
  await call('PATCH', '/accounts/3', { allowedNetworks: ['10.0.0.0/8'] });
  await call('PATCH', `/accounts/${accountId}`, { spendLimits: limits });
  await call('PATCH', '/price-lists/1', { percent: 20 });
  await call('PATCH', '/price-lists/1', { percent: null });
  await call('PUT', '/price-lists/1/prices/1', { priceUsdt: 5 });
  await call('PUT', '/price-lists/1/prices/2', { priceUsdt: 5 });
  await call('PUT', '/price-lists/1/prices/2', { priceUsdt: 4 });
  await call('PUT', '/price-lists/1/prices/3', { priceUsdt: 2, priceTiers: TIERS });
  await call('PUT', `/accounts/${accountId}/prices/1`, { priceUsdt: 2 });
  await call('DELETE', '/accounts/2/prices/1');
  const { priceListId } = (await call('POST', '/price-lists', { name: 'later' })) as { priceListId?: number };
  await call('PUT', `/price-lists/${priceListId}/prices/1`, { priceUsdt: 4 });

  await call('POST', '/lots/1/recall');
  await ok(operator.withdrawStock(2, 1));
  await ok(operator.addStock(3, ['f', 'g']));
  await call('POST', '/lots/3/recall');
  await ok(operator.addStock(4, ['h']));
  await ok(operator.withdrawStock(4, 1));
  await call('PATCH', '/suppliers/1', { secret: 'another-secret-of-it' });
  await call('PATCH', '/suppliers/2', { name: 'bb' });
}
