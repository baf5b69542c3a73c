/** The one deadline of a request to a supplier. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpSupplier, type HttpSupplierOptions } from '../../src/suppliers/http-supplier.ts';

test('a connection that never comes about ends at the time-out, as a time-out', {
  timeout: 20_000,
}, async (t) => {
  const profile = { name: 'far', url: 'http://far.test', sealedSecret: '' };
  const supplier = new HttpSupplier({
    suppliers: () => ({ get: () => ({ supplierId: 1, profile, createdAtMs: 0 }) }),
    secrets: { open: () => 'a secret of some length' },
    // As long as nothing is found, nothing is dialled: to undici it is a connection under way.
    resolver: { lookup: () => new Promise(() => undefined) },
    timeoutMs: 60_000,
    clock: Date.now,
  } as unknown as HttpSupplierOptions);
  // Time-outs don't keep a process alive, and here there is no socket that would.
  const alive = setInterval(() => undefined, 1_000);
  t.after(() => {
    clearInterval(alive);
    return supplier.close();
  });
  const asked = { reference: 'pur_1_1', supplierId: 1, sku: 'x', quantity: 1, recipientUsername: null };
  const answer = await supplier.purchase(asked as Parameters<HttpSupplier['purchase']>[0], 100);
  assert.equal(answer.kind, 'timeout');
});
