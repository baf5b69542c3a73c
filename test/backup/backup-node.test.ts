/** Backups of a running node: what operators call and see, over HTTP, with the thread and a folder as the target. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderTarget } from '../../src/backup/target/folder-target.ts';
import { KeyRing } from '../../src/persistence/keys/key-ring.ts';
import { BackupSource } from '../../src/restore/backup-source.ts';
import { givenMasterKey } from '../../src/restore/restored-keys.ts';
import { openKeys } from '../../src/restore/source-keys.ts';
import { listSource } from '../../src/restore/source-listing.ts';
import { masterKeyIn } from '../suites/restore/hand-made-backup.ts';
import { eventually } from '../support/eventually.ts';
import { QuietNode } from '../support/nodes/quiet-node.ts';
import { ok } from '../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { BackupContents } from './backup-contents.ts';

describe('backups of a running node', () => {
  let targets: TemporaryFolder;
  let node: QuietNode;

  before(async () => {
    targets = await createTemporaryFolder('targets');
    node = await QuietNode.start('backup-node', {
      backup: join(targets.path, 'all'),
      backupInterval: '100ms',
    });
    await ok(node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(node.operator.addStock(1, ['a', 'b', 'c']));
  });
  after(async () => {
    await node.close();
    await targets.remove();
  });

  async function contentsOf(name: string): Promise<BackupContents> {
    const target = new FolderTarget(join(targets.path, name), { makesFolder: false });
    return BackupContents.read(target, KeyRing.read(node.folder.path, undefined).keys);
  }

  interface Row {
    readonly backupId: string;
    readonly state: string;
    readonly position: unknown;
    readonly error?: string;
  }

  interface Status {
    readonly position: { readonly seq: number } | null;
    readonly lagSeconds: number;
    readonly error: string | null;
  }

  async function read<Body>(path: string): Promise<Body> {
    const answer = await node.operator.json('GET', path);
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text) as Body;
  }

  async function caughtUp(): Promise<void> {
    const { journalPosition } = await read<{ journalPosition: number }>('/status');
    await eventually('the backup has caught up', async () => {
      const { position, lagSeconds, error } = await read<Status>('/backups/status');
      return position?.seq === journalPosition && lagSeconds === 0 && error === null;
    });
  }

  /** The row of a backup of this node, once it has ended. */
  async function backUp(target: string): Promise<Row> {
    const begun = await node.operator.json('POST', '/backups', { target });
    assert.equal(begun.status, 202, begun.text);
    const { backupId } = JSON.parse(begun.text) as Row;
    let ended: Row | undefined;
    await eventually('the backup has ended', async () => {
      const { backups } = await read<{ backups: Row[] }>('/backups');
      ended = backups.find((row) => row.backupId === backupId && row.state !== 'running');
      return ended !== undefined;
    });
    return ended ?? assert.fail();
  }

  test('a single one is complete when it says so', async () => {
    const { state, position, error } = await backUp(join(targets.path, 'single'));
    assert.equal(state, 'complete', error);
    const { head, items } = await contentsOf('single');
    assert.deepEqual(position, { seq: head.position, hash: head.hash.toString('hex') });
    assert.deepEqual([...items.values()], ['a', 'b', 'c']);
  });

  test('one that fails says why, and the node sells on', async () => {
    const { state, error } = await backUp(join(targets.path, 'nowhere', 'deep'));
    assert.equal(state, 'failed');
    assert.match(error ?? '', /nowhere/);
    await caughtUp();
  });

  test('a target that a backup must not have is refused', async () => {
    for (const target of [join(targets.path, 'all'), join(node.folder.path, 'backup'), 'ftp://host/shop']) {
      const answer = await node.operator.json('POST', '/backups', { target });
      assert.equal(answer.status, 400, answer.text);
    }
  });

  test('the continuous one follows, and ends cleanly; the node sells on only when that is taken back', async () => {
    await caughtUp();
    await ok(node.operator.addStock(1, ['d']));
    await caughtUp();
    await node.stop();
    const { manifest, items } = await contentsOf('all');
    assert.equal(manifest?.isCleanEnd, true);
    assert.deepEqual([...items.values()].sort(), ['a', 'b', 'c', 'd']);
    // As a disk that is not mounted: the folder around is there.
    const all = join(targets.path, 'all');
    renameSync(all, `${all}-away`);
    let hasStarted = false;
    const started = node.start().then(() => {
      hasStarted = true;
    });
    // Longer than a start takes.
    await delay(1_000);
    assert.ok(!hasStarted);
    assert.ok(!existsSync(all) || readdirSync(all).length === 0);
    rmSync(all, { recursive: true, force: true });
    renameSync(`${all}-away`, all);
    await started;
    assert.equal(readdirSync(join(all, 'runs')).length, 2);
    await caughtUp();
  });

  test('a new master key opens the continuous backup at once, a single one when it is made again', async () => {
    const old = masterKeyIn(node.folder.path);
    await backUp(join(targets.path, 'single'));
    const rekeyed = await node.operator.json('POST', '/rekey', {});
    assert.equal(rekeyed.status, 200, rekeyed.text);
    const opens = async (name: string, text: string) => {
      const source = new BackupSource(new FolderTarget(join(targets.path, name), { makesFolder: false }));
      const key = givenMasterKey(text, { file: 'a file' });
      return openKeys(source, (await listSource(source)).keys, key).then(
        () => true,
        () => false,
      );
    };
    const now = masterKeyIn(node.folder.path);
    assert.notEqual(now, old);
    await eventually('the ring is at the target', () => opens('all', now));
    await eventually('the old ring is gone', async () => !(await opens('all', old)));
    assert.deepEqual([await opens('single', old), await opens('single', now)], [true, false]);
    await backUp(join(targets.path, 'single'));
    assert.deepEqual([await opens('single', old), await opens('single', now)], [false, true]);
  });
});
