/**
 * A node that runs out of file descriptors while suppliers are asked: each purchase is answered, with its items or
 * with a clear refusal, nothing is charged for a refusal, and the node goes on.
 */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { ok } from '../../support/operator-client.ts';
import { startPurser } from '../../support/purser-process.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

/**
 * A node needs about 50 for itself, and two for each of these. So few are left for the supplier that the limit is
 * reached even if they come a few at a time, and the first have been answered when the last come.
 */
const descriptors = 320;
const purchases = 170;
const startUsdt = 1_000;

test('without a file descriptor for the supplier: PURCHASE_FAILED, nothing charged, and the node goes on', async (t: TestContext) => {
  const folder = await createTemporaryFolder('descriptors');
  t.after(() => folder.remove());
  const nodeBinary = join(folder.path, 'limited-node');
  await writeFile(nodeBinary, `#!/bin/sh\nulimit -n ${descriptors}\nexec '${process.execPath}' "$@"\n`);
  await chmod(nodeBinary, 0o700);
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  t.after(() => supplier.stop());
  // Long enough that all wait at once.
  supplier.lateMs = 2_000;
  const server = await startPurser({
    dataDir: join(folder.path, 'data'),
    nodeBinary,
    flags: ['--log-level', 'error'],
  });
  t.after(() => server.kill());
  const operator = new CheckedOperatorClient(server.operatorUrl, server.operatorToken);
  const buyers = new BuyerClient(server.buyerUrl, { maxSockets: purchases });

  const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
  await ok(operator.credit(accountId, startUsdt, 'start'));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  const { url, secret } = supplier;
  const { supplierId = 0 } = await ok(operator.createSupplier({ name: 'Codes', url, secret }));
  const product = { name: 'Card', description: '', instructions: '', type: 'standard', priceUsdt: 1 };
  const { productId = 0 } = await ok(operator.createProduct({ ...product, supplierId, supplierSku: 'late' }));
  const buy = (key: string) => buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: 1 });

  const answers = await Promise.all(Array.from({ length: purchases }, (_, index) => buy(`key-${index}`)));
  // Makes room for what is asked next.
  buyers.close();
  const delivered = answers.filter(({ status }) => status === 201);
  const failed = answers.filter(({ status, body }) => status === 502 && body.error === 'PURCHASE_FAILED');
  assert.equal(delivered.length + failed.length, purchases, answers.map(({ text }) => text).join('\n'));
  assert.ok(failed.length > 0, 'the limit was reached');
  const items = delivered.flatMap(({ body }) => body.delivery?.items ?? []);
  assert.equal(new Set(items).size, delivered.length);
  const { balanceUsdt, heldUsdt } = await ok(operator.getAccount(accountId));
  assert.deepEqual([balanceUsdt, heldUsdt], [startUsdt - delivered.length, 0]);
  assert.deepEqual((await ok(operator.listSupplierPurchases())).supplierPurchases, []);
  assert.equal(await server.stop(), 0, server.output());
});
