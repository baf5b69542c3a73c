/** The folder that was lost turns up after a restore: a restored node goes on with it, in the same process, and nothing is lost. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderTarget } from '../../../../src/backup/target/folder-target.ts';
import type { Flags } from '../../../../src/config/config.ts';
import { FORMAT_VERSION } from '../../../../src/persistence/folder/folder-format.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { runCommand } from '../../../support/purser-command.ts';
import { startPurser } from '../../../support/purser-process.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { Random, randomFromEnvironment } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { backUpByHand } from '../hand-made-backup.ts';
import { sellCodes } from '../random-shop.ts';

type LostShop = Awaited<ReturnType<typeof loseShop>>;

/**
 * A shop whose folder was lost and restored: the backup has its first order, the folder that was lost has a second one, and
 * an older copy of it has not. `flags` are those of the restored node, which is not started.
 */
async function loseShop(flags: (target: string) => Flags = () => ({})) {
  const folder = await createTemporaryFolder('lost-shop');
  const path = (name: string) => join(folder.path, name);
  const [lost, older, targetPath] = [path('lost'), path('older'), path('target')];
  const first = await QuietNode.start('first');
  const apiKey = await sellCodes(first);
  const buyAt = async ({ buyers }: QuietNode, key: string) =>
    (await buyers.purchase(apiKey, key, { productId: 1, expectedPriceUsdt: 1 })).body;
  assert.deepEqual((await buyAt(first, 'first')).delivery?.items, ['a']);
  await first.stop();
  const target = new FolderTarget(targetPath, { makesFolder: true });
  const shape = { base: 1, hasLog: false, hasManifest: true };
  const { head: fork } = await backUpByHand(first.folder.path, { target, random: new Random(1), ...shape });
  await target.close();
  await first.restart();
  await ok(first.operator.credit(1, 1, 'behind the backup'));
  await first.stop();
  cpSync(first.folder.path, older, { recursive: true });
  await first.restart();
  const { delivery, orderId = 0 } = await buyAt(first, 'second');
  assert.deepEqual(delivery?.items, ['b']);
  const { receipt = '' } = (await first.buyers.receipt(apiKey, orderId)).body;
  await first.stop();
  renameSync(first.folder.path, lost);

  const node = QuietNode.on(first.folder, flags(targetPath));
  const status = async (of = node) => JSON.parse((await of.operator.json('GET', '/restore')).text);
  const buy = (key: string) => buyAt(node, key);
  /** The backup, to this folder. */
  const restore = async (to: string, ...more: string[]) => {
    const given = ['restore', targetPath, '--data', to, '--master-key-file', join(lost, 'master-key')];
    const { code, stderr, stdout } = await runCommand([...given, '--json', ...more]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  /** As a restore left it. */
  const expectRestored = async () => {
    const { sales, epoch } = await status();
    assert.deepEqual([sales, epoch], ['closed', 2]);
    assert.equal((await buy('second')).error, 'SALES_CLOSED');
  };
  /** All that the folder had which was lost, in the next epoch, and it goes on. */
  const expectImported = async () => {
    const { sales, epoch, gap } = await status();
    assert.deepEqual([sales, epoch, gap], ['open', 3, null]);
    for (const [key, item] of Object.entries({ first: 'a', second: 'b', third: 'c' }))
      assert.deepEqual((await buy(key)).delivery?.items, [item]);
    assert.equal((await ok(node.operator.getProduct(1))).availableStock, 5);
  };
  const close = async () => {
    await node.close();
    await folder.remove();
  };
  await restore(node.folder.path);
  return { node, lost, older, fork, receipt, path, status, restore, expectRestored, expectImported, close };
}

describe('import of the folder that was lost, by a node', () => {
  let shop: LostShop;

  before(async () => {
    shop = await loseShop((backup) => ({ backup, backupInterval: '100ms' }));
    await shop.node.start();
  });
  after(() => shop.close());

  const call = (body: object) => shop.node.operator.json('POST', '/restore/import', body);
  /** Connections break while it opens the other folder. */
  const ended = async () => {
    let last: { state: string; error?: string; kept?: string } | undefined;
    await eventually('the import has ended', async () => {
      last = (await shop.status().catch(() => undefined))?.import;
      return last !== undefined && last.state !== 'running';
    });
    return last;
  };

  test('what can be told beforehand is refused, and nothing is changed', async () => {
    const other = await QuietNode.start('other');
    const refused = async (folder: string, says: RegExp) => {
      const { status, body } = await call({ folder });
      assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'], folder);
      assert.match(body.message ?? '', says);
    };
    await refused(other.folder.path, /in use by another running purser/);
    await other.stop();
    await refused(other.folder.path, /is not the folder that was lost: its fact \d+ is missing\.$/);
    await other.close();
    const viewer = await shop.node.operatorWith('viewer');
    assert.equal((await viewer.json('POST', '/restore/import', { folder: shop.lost })).status, 403);
    await shop.expectRestored();
    // That operator is dropped with the restored folder.
    await refused(shop.lost, /from fact \d+ on: 1 OperatorCreated; an import drops all of it: add --discard/);
  });

  test('sales that are opened while the folder is made end it', async () => {
    const data = shop.path('opened');
    // The backup has facts of epoch 2 by now.
    await shop.restore(data, '--at', String(shop.fork.position));
    const node = await QuietNode.start({ path: data, remove: async () => {} });
    const begun = await node.operator.json('POST', '/restore/import', { folder: shop.lost });
    assert.equal(begun.status, 202, begun.text);
    await ok(node.operator.json('POST', '/restore/open', { all: 'keep' }));
    await eventually('it has failed', async () => (await shop.status(node)).import.state === 'failed');
    const { sales, epoch, import: failed } = await shop.status(node);
    assert.deepEqual([sales, epoch], ['open', 3]);
    assert.match(failed.error, /^the shop has sold since the restore, SalesOpened \(fact \d+\)/);
    await node.stop();
  });

  test('an older copy of it is refused when a receipt proves an order that it lacks', async () => {
    const type = { 'content-type': 'text/plain' };
    const taken = await shop.node.operator.request('POST', '/restore/receipts', type, shop.receipt);
    assert.equal(JSON.parse(taken.text).recovered, 1, taken.text);
    const begun = await call({ folder: shop.older, discard: true, complete: true });
    const says = begun.status === 202 ? (await ended())?.error : begun.body.message;
    assert.match(says ?? '', /is an older copy of the one that was lost: a receipt proves .* of order 2/i);
  });

  test('the shop goes on where it was lost, on the same ports; its backup goes on in the epoch of its own', async () => {
    const { node } = shop;
    const { operatorUrl } = node;
    const begun = await call({ folder: shop.lost, discard: true, complete: true, reason: 'it is readable' });
    assert.equal(begun.status, 202, begun.text);
    const done = await ended();
    assert.equal(done?.state, 'complete', done?.error);
    assert.ok(existsSync(done?.kept ?? ''));
    assert.equal(node.operatorUrl, operatorUrl);
    await shop.expectImported();
    const { position } = shop.fork;
    const { status, body } = await node.operator.json('GET', `/feed?after=${position + 1}&epoch=2`);
    assert.deepEqual([status, body.error], [409, 'OTHER_EPOCH']);
    await eventually('all is at the target', async () => {
      const backup = JSON.parse((await node.operator.json('GET', '/backups/status')).text);
      assert.deepEqual([backup.fenced, backup.error], [false, null]);
      return backup.position !== null && backup.lagSeconds === 0;
    });
    await node.stop();
    const restored = await shop.restore(shop.path('once more'));
    assert.deepEqual([restored.epoch, restored.orders, restored.sales], [4, 3, 'open']);
  });
});

test('a node that is killed amid an import goes on, or back; a command follows a second one to its end', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const shop = await loseShop();
  t.after(() => shop.close());
  const dataDir = shop.node.folder.path;
  let purser = await startPurser({ dataDir });
  const { operatorUrl, operatorToken } = purser;
  const begun = await fetch(`${operatorUrl}/restore/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ folder: shop.lost, complete: true }),
  });
  assert.equal(begun.status, 202, await begun.text());
  await delay(random.between(0, 1_500));
  await purser.kill();
  purser = await startPurser({ dataDir });
  if (!existsSync(join(dataDir, `restored-${FORMAT_VERSION}`))) {
    const { code, stdout, stderr } = await runCommand([
      ...['restore', 'import', shop.lost, '--data', dataDir, '--token', purser.operatorToken],
      ...['--reason', 'found', '--complete', '--json'],
    ]);
    assert.equal(code, 0, `${stderr}\n${purser.output()}`);
    const { epoch, orders } = JSON.parse(stdout);
    assert.deepEqual([epoch, orders], [3, 2]);
  }
  assert.equal(await purser.stop(), 0);
  await shop.node.start();
  await shop.expectImported();
});
