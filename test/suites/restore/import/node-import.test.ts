/** A restored node goes on with the folder that was lost, in the same process and on the same ports. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FORMAT_VERSION } from '../../../../src/persistence/folder/folder-format.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { runCommand } from '../../../support/purser-command.ts';
import { startPurser } from '../../../support/purser-process.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { randomFromEnvironment } from '../../../support/random.ts';
import { LostShop } from './lost-shop.ts';

describe('import of the folder that was lost, by a node', () => {
  let shop: LostShop;

  before(async () => {
    shop = await LostShop.make((backup) => ({ backup, backupInterval: '100ms' }));
    await shop.node.start();
  });
  after(() => shop.close());

  const call = (body: Readonly<Record<string, unknown>>) =>
    shop.node.operator.json('POST', '/restore/import', body);
  /** Connections break while it opens the other folder. */
  const ended = async () => {
    let last: { state: string; error?: string } | undefined;
    await eventually('the import has ended', async () => {
      last = (await shop.status().catch(() => undefined))?.import;
      return last !== undefined && last.state !== 'running';
    });
    return last;
  };

  test('what can be told beforehand is refused, and nothing is changed', async () => {
    const other = await QuietNode.start('other');
    const empty = shop.path('empty');
    mkdirSync(empty);
    const refused = async (folder: string, says: RegExp) => {
      const { status, body } = await call({ folder });
      assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'], folder);
      assert.match(body.message ?? '', says);
    };
    await refused('relative/data', /^Name the folder by its whole path/);
    await refused(shop.path('nowhere'), /is not a Purser data folder|there is no .*master-key/i);
    await refused(empty, /^There is no .*master-key: name the data folder that was lost/);
    await refused(shop.node.folder.path, /is the restored folder itself: name the one that was lost\.$/);
    await refused(other.folder.path, /in use by another running purser/);
    await other.stop();
    await refused(other.folder.path, /is not the folder that was lost: its fact \d+ is missing\.$/);
    await other.close();
    const viewer = await shop.node.operatorWith('viewer');
    assert.equal((await viewer.json('POST', '/restore/import', { folder: shop.lost })).status, 403);
    assert.equal((await shop.status()).import, undefined);
    await shop.expectRestored();
    // That operator is dropped with the restored folder.
    await refused(shop.lost, /from fact \d+ on: 1 OperatorCreated; an import drops all of it: add --discard/);
  });

  test('a stop breaks it off, and the restored folder goes on', async () => {
    assert.equal((await call({ folder: shop.lost, discard: true })).status, 202);
    assert.equal((await call({ folder: shop.lost, discard: true })).body.error, 'NOT_READY');
    await shop.node.restart();
    await shop.expectRestored();
    assert.ok(!existsSync(join(shop.node.folder.path, 'migrating')));
  });

  test('sales that are opened while the folder is made end it', async () => {
    const data = shop.path('opened');
    // The backup has facts of epoch 2 by now.
    const { epoch: second } = await shop.restore(data, '--at', String(shop.fork.position));
    assert.equal(second, 3);
    const node = await QuietNode.start({ path: data, remove: async () => {} });
    const { operator } = node;
    const begun = await operator.json('POST', '/restore/import', { folder: shop.lost });
    assert.equal(begun.status, 202, begun.text);
    await ok(operator.json('POST', '/restore/open', {}));
    const status = async () => JSON.parse((await operator.json('GET', '/restore')).text);
    await eventually('it has failed', async () => (await status()).import.state === 'failed');
    const { sales, epoch, import: failed } = await status();
    assert.deepEqual([sales, epoch], ['open', 3]);
    assert.match(failed.error, /^the shop has sold since the restore, SalesOpened \(fact \d+\)/);
    assert.ok(!existsSync(join(data, 'migrating')));
    const again = await operator.json('POST', '/restore/import', { folder: shop.lost });
    assert.match(again.body.message ?? '', /^Nothing can be imported: sales are open\./);
    await node.stop();
  });

  test('the shop goes on where it was lost, on the same ports', async () => {
    const { operatorUrl } = shop.node;
    const reason = 'the old disk is readable';
    const begun = await call({ folder: shop.lost, discard: true, complete: true, reason });
    assert.equal(begun.status, 202, begun.text);
    const { at: _, ...done } = (await ended()) as { at?: number };
    const kept = join(shop.node.folder.path, `restored-${FORMAT_VERSION}`);
    const facts = (done as { facts?: number }).facts ?? 0;
    assert.ok(facts > 1);
    const known = { state: 'complete', folder: shop.lost, epoch: 3, orders: 2, sales: 'open' };
    assert.deepEqual(done, { ...known, facts, kept });
    assert.ok(existsSync(kept));
    assert.equal(shop.node.operatorUrl, operatorUrl);
    await shop.expectImported();
    const { entries } = JSON.parse((await shop.node.operator.json('GET', '/audit')).text);
    const entry = entries.find(({ action }: { action: string }) => action === 'EpochBegun');
    assert.deepEqual([entry.operator, entry.reason], ['root', reason]);
  });

  test('who has read the feed of the restored folder is told the last line that both have', async () => {
    const fork = shop.fork.position;
    const { status, body } = await shop.node.operator.json('GET', `/feed?after=${fork + 1}&epoch=2`);
    assert.deepEqual([status, body.error], [409, 'OTHER_EPOCH']);
    const { epoch, forkAfter } = body as unknown as { epoch: number; forkAfter: number };
    assert.deepEqual([epoch, forkAfter], [3, fork]);
  });

  test('the backup of the restored folder is gone on with, in the epoch of its own', async () => {
    const { node, target } = shop;
    await eventually('all is at the target', async () => {
      const status = JSON.parse((await node.operator.json('GET', '/backups/status')).text);
      assert.deepEqual([status.fenced, status.error], [false, null]);
      return status.position !== null && status.lagSeconds === 0;
    });
    await node.stop();
    const data = shop.path('once more');
    const restored = await shop.restore(data);
    assert.deepEqual(
      [restored.source, restored.epoch, restored.orders, restored.sales],
      [target, 4, 3, 'open'],
    );
  });
});

test('a node that is killed amid an import goes on, or back; a command follows a second one to its end', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const shop = await LostShop.make();
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
    assert.match(purser.output(), /ready again/);
  }
  assert.equal(await purser.stop(), 0);
  await shop.node.start();
  await shop.expectImported();
});
