/**
 * Wants the threads that start late when it has few file descriptors left, and again when it has plenty. Prints what
 * came of it. Arguments: how many descriptors are left.
 */
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { SupplierPurchase } from '../../../src/engine/supplier-purchases.ts';
import { SecretCipher } from '../../../src/persistence/disk/secret-cipher.ts';
import { SupplierThread } from '../../../src/suppliers/supplier-thread.ts';
import { DeliveryPool } from '../../../src/webhooks/delivery/delivery-pool.ts';
import type { DeliveryTask } from '../../../src/webhooks/delivery/delivery-task.ts';
import { WebhookChanges } from '../../../src/webhooks/webhook-changes.ts';
import { randomDataKeys } from '../../support/data-keys.ts';

/** Longer than until a thread that could not start is started again. */
const WAIT_MS = 1_200;

const keys = randomDataKeys();
const sealedSecret = new SecretCipher(keys, 'supplier secret').seal('a secret of the supplier');
// Nobody listens there.
const profile = { name: 'Codes', url: 'http://127.0.0.1:1', sealedSecret };
const suppliers = new Map([[1, { supplierId: 1, profile }]]);
const changes = WebhookChanges.create();
changes.open(1);
const thread = new SupplierThread({
  suppliers: () => suppliers as never,
  keys: keys.shared,
  timeoutMs: 30_000,
  dnsServer: undefined,
  onFatal: (error) => {
    throw error;
  },
});
const pool = new DeliveryPool({
  keys: keys.shared,
  changes: changes.shared,
  timeoutMs: 30_000,
  places: 8,
  webhookAllow: [],
  dnsServer: undefined,
});
const supplierPurchase = {
  supplierPurchaseId: 1,
  supplierId: 1,
  reference: 'pur_1_1',
  sku: 'x',
  quantity: 1,
  recipientUsername: null,
};
// Gets as far as the secret, which is none.
const task = { accountId: 1, position: 1, url: 'https://127.0.0.1:1/', sealedSecret: '', body: '{}' };

async function want(): Promise<unknown> {
  const asked = supplierPurchase as unknown as SupplierPurchase;
  const [purchase, progress, stock, delivery] = await Promise.all([
    thread.purchase(asked),
    thread.progress(asked),
    thread.askStock({ supplierId: 1, sku: 'x' }),
    pool.send(task as unknown as DeliveryTask),
  ]);
  return { purchase, progress, stock, delivery: delivery.error?.code };
}

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  for (const descriptor of taken.splice(0, Number(process.argv[2]))) closeSync(descriptor);
}
const starved = await want();
for (const descriptor of taken) closeSync(descriptor);
await delay(WAIT_MS);
console.log(JSON.stringify({ starved, afterwards: await want() }));
await thread.close();
await pool.close();
