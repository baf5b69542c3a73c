/**
 * SPEC.md §2: what suppliers have is in the catalog after a restart, too, when the supplier is down by then: it
 * neither blocks the start nor empties the catalog. After a stop it comes from the checkpoint, after a kill from
 * the journal.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ReferenceSupplier } from '../../examples/supplier/reference-supplier.ts';
import { eventually } from '../support/eventually.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { runCommand } from '../support/purser-command.ts';
import { type PurserProcess, startPurser } from '../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { known } from './scene.ts';

describe('what a supplier has', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let server: PurserProcess;
  let productId: number;

  const operator = () => new OperatorClient(server.operatorUrl, server.operatorToken);
  const left = async () => (await ok(operator().getProduct(productId))).availableStock;
  const restart = async () => {
    server = await startPurser({ dataDir: folder.path, flags: ['--log-level', 'error'] });
  };

  before(async () => {
    folder = await createTemporaryFolder('supplied-stock');
    await restart();
    const supplier = await ReferenceSupplier.start('a secret of the supplier');
    const { url, secret } = supplier;
    const supplierId = known(
      (await ok(operator().createSupplier({ name: 'Codes', url, secret }))).supplierId,
    );
    const product = { name: 'Card', priceUsdt: 1, supplierId, supplierSku: 'codes' };
    productId = known((await ok(operator().createProduct(product))).productId);
    await ok(operator().addStock(productId, ['own 1', 'own 2']));
    await eventually('the catalog has the 12 of the supplier', async () => (await left()) === 14);
    await supplier.stop();
  });
  after(async () => {
    await server.stop();
    await folder.remove();
  });

  for (const [how, end] of [
    ['a kill', () => server.kill()],
    ['a stop', () => server.stop()],
  ] as const) {
    test(`is in the catalog after ${how}, though the supplier is down`, async () => {
      await end();
      const { code, stdout } = await runCommand(['verify', '--data', folder.path]);
      assert.equal(code, 0, stdout);
      await restart();
      assert.equal(await left(), 14);
    });
  }

  test('is dropped with the supplier', async () => {
    await ok(operator().updateProduct(productId, { supplierId: null, supplierSku: null }));
    assert.equal(await left(), 2);
    assert.equal(await server.stop(), 0);
    const { code, stdout } = await runCommand(['verify', '--data', folder.path]);
    assert.equal(code, 0, stdout);
    await restart();
    assert.equal(await left(), 2);
  });
});
