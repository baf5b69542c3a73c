/** Backups of a shop whose old facts are archived, and what a restore makes of those from before and after. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openTarget } from '../../../../src/backup/target/open-target.ts';
import { BackupSource } from '../../../../src/restore/backup-source.ts';
import { restore } from '../../../../src/restore/restore.ts';
import { planRestore } from '../../../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../../../src/restore/restored-keys.ts';
import { eventually } from '../../../support/eventually.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { masterKeyIn } from '../hand-made-backup.ts';
import {
  archiveNow,
  archivesOf,
  baselinesIn,
  expectSound,
  journalFiles,
  sellCodes,
} from './archived-shop.ts';

const PURCHASE = { productId: 1, quantity: 1, expectedPriceUsdt: 1 };

describe('single backups of an archived shop', () => {
  let folder: TemporaryFolder;
  let node: QuietNode;
  let apiKey = '';
  const path = (name: string) => join(folder.path, name);

  before(async () => {
    folder = await createTemporaryFolder('archived-backups');
    node = await QuietNode.start('archived-backups-node');
    apiKey = await sellCodes(node);
  });
  after(async () => {
    await node.close();
    await folder.remove();
  });

  const buy = async (key: string) => (await node.buyers.purchase(apiKey, key, PURCHASE)).body;

  async function backUp(target: string): Promise<{ state: string; error?: string }> {
    const begun = await node.operator.json('POST', '/backups', { target });
    assert.equal(begun.status, 202, begun.text);
    let row: { state: string; error?: string } | undefined;
    await eventually('the backup has ended', async () => {
      const { text } = await node.operator.json('GET', '/backups');
      [row] = JSON.parse(text).backups;
      return row !== undefined && row.state !== 'running';
    });
    return row ?? assert.fail();
  }

  async function restored(target: string, name: string): Promise<string> {
    const key = givenMasterKey(masterKeyIn(node.folder.path), { file: 'a file' });
    const source = openTarget(path(target), {}, { makesFolder: false });
    const plan = await planRestore(new BackupSource(source), key, undefined);
    await restore(plan, path(name), { key, beginsEpoch: true, nowMs: Date.now() });
    await source.close();
    return path(name);
  }

  test('one from before goes on after an archive, and a restore of it has all facts', async () => {
    await buy('one');
    assert.equal((await backUp(path('all'))).state, 'complete');
    const { state, error } = await archiveNow(node, path('archive'));
    assert.equal(state, 'complete', error);
    await buy('two');
    const later = await backUp(path('all'));
    assert.equal(later.state, 'complete', later.error);
    const data = await restored('all', 'restored');
    assert.deepEqual([journalFiles(data)[0], baselinesIn(data)], [1, []]);
    await expectSound(data);
    const again = await QuietNode.start({ path: data, remove: async () => {} });
    for (const [key, items] of [
      ['one', ['a']],
      ['two', ['b']],
    ] as const) {
      const { body } = await again.buyers.purchase(apiKey, key, PURCHASE);
      assert.deepEqual(body.delivery, { items });
    }
    // It has all facts of its own, and archives from the first one; the place has the older ones.
    assert.equal((await archivesOf(again)).baseline, null);
    const archived = await archiveNow(again, path('archive'));
    assert.equal(archived.state, 'complete', archived.error);
    await again.close();
    await expectSound(data);
    await expectSound(data, path('archive'));
  });

  test('to a new place there is none', async () => {
    const { state, error = '' } = await backUp(path('new'));
    assert.equal(state, 'failed');
    assert.match(
      error,
      /has no facts of this shop, and the facts up to \d+ are in an archive: .*purser archive fetch/,
    );
    assert.ok(!existsSync(path('new/runs')), 'nothing was begun there');
  });
});

test('what the continuous backup lacks is not moved', async (t) => {
  const folder = await createTemporaryFolder('archived-continuous');
  const flags = { backup: join(folder.path, 'all'), backupInterval: '100ms' };
  const node = await QuietNode.start('archived-continuous-node', flags);
  t.after(async () => {
    await node.close();
    await folder.remove();
  });
  const apiKey = await sellCodes(node);
  assert.equal((await node.buyers.purchase(apiKey, 'one', PURCHASE)).status, 201);
  const early = await archiveNow(node, join(folder.path, 'archive'));
  assert.equal(early.state, 'complete', early.error);
  assert.equal(journalFiles(node.folder.path)[0], 1, 'the base of the backup is a day behind');
  assert.match(
    early.held ?? '',
    /^facts behind \d+ are old enough and stay here: the continuous backup \(purser backup status\) has come to fact \d+ only$/,
  );
  // A start brings it up to date.
  await node.restart();
  await eventually('all is in the base', async () => {
    const { state, error } = await archiveNow(node, join(folder.path, 'archive'));
    assert.equal(state, 'complete', error);
    return journalFiles(node.folder.path)[0] !== 1;
  });
  assert.equal((await node.buyers.purchase(apiKey, 'one', PURCHASE)).body.orderId, 1);
  await node.restart();
  await eventually('the backup goes on', async () => {
    const { text } = await node.operator.json('GET', '/backups/status');
    const { lagSeconds, error } = JSON.parse(text);
    assert.equal(error, null);
    return lagSeconds === 0;
  });
  await node.stop();
  await expectSound(node.folder.path, join(folder.path, 'archive'));
});
