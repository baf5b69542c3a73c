/** The folder that was lost turns up after a restore: the shop goes on with it, and nothing is lost. */
import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderTarget } from '../../src/backup/target/folder-target.ts';
import { ok } from '../support/operator-client.ts';
import { runCommand } from '../support/purser-command.ts';
import { QuietNode } from '../support/quiet-node.ts';
import { Random } from '../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { backUpByHand } from './hand-made-backup.ts';

describe('import of the folder that was lost', () => {
  let folder: TemporaryFolder;
  let node: QuietNode;
  let lost: string;
  let apiKey: string;
  let productId: number;
  const path = (name: string) => join(folder.path, name);
  const buy = (key: string) => node.buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: 1 });

  before(async () => {
    folder = await createTemporaryFolder('import');
    node = await QuietNode.start('import-shop');
    const account = await ok(node.operator.createAccount({ name: 'buyer' }));
    const accountId = account.accountId ?? 0;
    apiKey = (await ok(node.operator.issueKey(accountId))).apiKey ?? '';
    await ok(node.operator.credit(accountId, 100, 'first'));
    const product = {
      name: 'code',
      description: '',
      instructions: '',
      type: 'standard',
      priceUsdt: 1,
    } as const;
    productId = (await ok(node.operator.createProduct(product))).productId ?? 0;
    await ok(node.operator.addStock(productId, 'a\nb\nc\nd'));
    assert.deepEqual((await buy('first')).body.delivery?.items, ['a']);
    // What the backup has.
    await node.stop();
    const target = new FolderTarget(path('target'), { makesFolder: true });
    await backUpByHand(node.folder.path, {
      target,
      random: new Random(1),
      base: 1,
      hasLog: false,
      hasManifest: true,
    });
    await target.close();
    // What it lacks.
    await node.restart();
    assert.deepEqual((await buy('second')).body.delivery?.items, ['b']);
    await ok(node.operator.addStock(productId, 'e'));
    await node.stop();
    lost = path('lost');
    renameSync(node.folder.path, lost);
    const restored = await runCommand([
      ...['restore', path('target'), '--data', node.folder.path],
      ...['--master-key-file', join(lost, 'master-key')],
    ]);
    assert.equal(restored.code, 0, restored.stderr);
  });
  after(async () => {
    await node.close();
    await folder.remove();
  });

  const importing = (from: string, ...more: string[]) =>
    runCommand(['restore', 'import', from, '--data', node.folder.path, ...more]);

  test('a folder that is not the lost one is refused', async () => {
    const other = await QuietNode.start('other');
    await other.stop();
    const { code, stderr } = await importing(other.folder.path);
    assert.equal(code, 1);
    assert.match(stderr, /^error: .* is not the folder that was lost: its fact \d+ is missing$/m);
    await other.close();
  });

  test('a folder without the master key is refused in words that say what to do', async () => {
    const { code, stderr } = await importing(path('target'));
    assert.equal(code, 1);
    assert.match(stderr, /^error: there is no .*master-key: name the data folder .* set PURSER_MASTER_KEY/m);
    assert.doesNotMatch(stderr, /ENOENT/);
  });

  test('what was entered since the restore is dropped only if that is wanted', async () => {
    await node.restart();
    assert.equal((await buy('second')).body.error, 'SALES_CLOSED');
    await ok(node.operator.createAccount({ name: 'entered since' }));
    await node.stop();
    const { code, stderr } = await importing(lost);
    assert.equal(code, 1);
    assert.match(stderr, /AccountCreated \(fact \d+\): an import drops it; add --discard/);
  });

  test('the shop is as it was when it was lost, in the next epoch, with sales open', async () => {
    const outcome = await importing(lost, '--discard', '--json');
    assert.equal(outcome.code, 0, outcome.stderr);
    const { epoch, orders, kept } = JSON.parse(outcome.stdout);
    assert.deepEqual([epoch, orders], [3, 2]);
    assert.ok(existsSync(kept));
    await node.restart();
    const { sales, epoch: current, gap } = JSON.parse((await node.operator.json('GET', '/restore')).text);
    assert.deepEqual([sales, current, gap], ['open', 3, null]);
    for (const [key, item] of [
      ['first', 'a'],
      ['second', 'b'],
      ['third', 'c'],
    ] as const) {
      assert.deepEqual((await buy(key)).body.delivery?.items, [item]);
    }
    const { availableStock } = await ok(node.operator.getProduct(productId));
    assert.equal(availableStock, 2);
  });
});
