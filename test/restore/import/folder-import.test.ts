/** The folder that was lost turns up after a restore: the shop goes on with it, and nothing is lost. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeFormat } from '../../../src/persistence/folder/folder-format.ts';
import { keyOf, makeImported } from '../../../src/restore/import/import-making.ts';
import { ok } from '../../support/operator-client.ts';
import { runCommand } from '../../support/purser-command.ts';
import { QuietNode } from '../../support/quiet-node.ts';
import { LostShop } from './lost-shop.ts';

describe('import of the folder that was lost, by a folder that no node has', () => {
  let shop: LostShop;
  let folder: string;

  before(async () => {
    shop = await LostShop.make();
    folder = shop.node.folder.path;
  });
  after(() => shop.close());

  const importing = (from: string, ...more: string[]) =>
    runCommand(['restore', 'import', from, '--data', folder, ...more]);

  test('a folder that is not the lost one is refused', async () => {
    const other = await QuietNode.start('other');
    await other.stop();
    const { code, stderr } = await importing(other.folder.path);
    assert.equal(code, 1);
    assert.match(stderr, /^error: .* is not the folder that was lost: its fact \d+ is missing$/m);
    await other.close();
  });

  test('a folder without the master key is refused in words that say what to do', async () => {
    const { code, stderr } = await importing(shop.target);
    assert.equal(code, 1);
    assert.match(stderr, /^error: there is no .*master-key: name the data folder .* set PURSER_MASTER_KEY/m);
    assert.doesNotMatch(stderr, /ENOENT/);
  });

  test('what was entered since the restore is dropped only if that is wanted', async () => {
    await shop.node.start();
    await shop.expectRestored();
    await ok(shop.node.operator.createAccount({ name: 'entered since' }));
    await shop.node.stop();
    const { code, stderr } = await importing(shop.lost);
    assert.equal(code, 1);
    assert.match(stderr, /AccountCreated \(fact \d+\): an import drops it; add --discard/);
  });

  test('clean ends of two backups are refused: the next start could take back one of them only', async () => {
    const marks = [folder, shop.lost].map((of) => join(of, 'clean-end'));
    for (const [index, mark] of marks.entries()) writeFileSync(mark, `/backup/${index}\n`);
    const { code, stderr } = await importing(shop.lost, '--discard');
    for (const mark of marks) rmSync(mark);
    assert.equal(code, 1);
    assert.match(stderr, /\/backup\/0 and at \/backup\/1 both have a clean end, .* remove clean-end in/);
  });

  test('an import that is interrupted amid the change of names is completed by the next start', async () => {
    const data = shop.path('interrupted');
    await shop.restore(data);
    const { position, hash } = shop.fork;
    const made = await makeImported({
      folder: data,
      from: shop.lost,
      key: keyOf(shop.lost, undefined),
      begun: { epoch: 2, position, hash: hash.toString('hex') },
      origin: { operatorId: 0 },
      nowMs: Date.now(),
    });
    assert.deepEqual([made.epoch, made.orders], [3, 2]);
    writeFormat(data, { version: 13, replacedBy: 13 });
    mkdirSync(join(data, 'before-13'));
    renameSync(join(data, 'key-ring'), join(data, 'before-13', 'key-ring'));
    const node = await QuietNode.start({ path: data, remove: async () => {} });
    const { sales, epoch } = JSON.parse((await node.operator.json('GET', '/restore')).text);
    assert.deepEqual([sales, epoch], ['open', 3]);
    await node.stop();
    assert.match(readFileSync(join(data, 'format'), 'utf8'), /^purser data folder, version 13\n$/);
    assert.ok(existsSync(join(data, 'before-13', 'format')));
  });

  test('the shop is as it was when it was lost, in the next epoch, with sales open', async () => {
    // A clean end that isn't taken back yet goes along, or the node would sell behind it.
    const mark = join(folder, 'clean-end');
    writeFileSync(mark, '/backup/of-the-restored\n');
    const outcome = await importing(shop.lost, '--discard', '--json', '--reason', 'the disk was readable');
    assert.equal(outcome.code, 0, outcome.stderr);
    const { epoch, orders, kept } = JSON.parse(outcome.stdout);
    assert.deepEqual([epoch, orders], [3, 2]);
    assert.ok(existsSync(kept));
    assert.equal(readFileSync(mark, 'utf8'), '/backup/of-the-restored\n');
    rmSync(mark);
    await shop.node.start();
    await shop.expectImported();
    const { entries } = JSON.parse((await shop.node.operator.json('GET', '/audit')).text);
    const entry = entries.find(({ action }: { action: string }) => action === 'EpochBegun');
    assert.deepEqual([entry.operator, entry.reason], ['root', 'the disk was readable']);
  });
});
