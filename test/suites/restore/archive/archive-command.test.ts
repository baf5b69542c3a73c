/** `purser archive`, its `status` and `fetch`, and `purser verify --archive`, as operators call them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { initCluster } from '../../../../src/cluster/cluster-init.ts';
import { expectNothingSince } from '../../../../src/restore/import/entered-since.ts';
import { expectImportable } from '../../../../src/restore/import/import-making.ts';
import { withJournal } from '../../../../src/restore/import/proved-journal.ts';
import { givenMasterKey } from '../../../../src/restore/restored-keys.ts';
import { purser } from '../../../cli/fake-operator.ts';
import { ok } from '../../../support/operator-client.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { masterKeyIn } from '../hand-made-backup.ts';
import { journalFiles } from './archived-shop.ts';

describe('purser archive', () => {
  let folder: TemporaryFolder;
  let node: QuietNode;
  const target = () => join(folder.path, 'old');
  const data = () => node.folder.path;

  before(async () => {
    folder = await createTemporaryFolder('archive-command');
    node = await QuietNode.start('archive-command-node');
    await ok(node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(node.operator.addStock(1, ['a', 'b', 'c']));
  });
  after(async () => {
    await node.close();
    await folder.remove();
  });

  test('moves what is old, and says how far', async () => {
    const nothing = await purser(['archive', target(), '--before', '2020-01-01', '--data', data()]);
    assert.deepEqual(
      [nothing.exitCode, nothing.stdout, nothing.stderr],
      [0, 'complete: no file of the journal is that old, so nothing was moved\n', ''],
    );
    const before = String(Date.now());
    const moved = await purser(['archive', target(), '--before', before, '--data', data(), '--json']);
    assert.equal(moved.exitCode, 0, moved.stderr);
    const { state, position, facts } = JSON.parse(moved.stdout);
    assert.equal(state, 'complete');
    assert.equal(position.seq, facts);
    assert.equal(journalFiles(data())[0], facts + 1);
    const status = await purser(['archive', 'status', '--data', data()]);
    assert.match(status.stdout, new RegExp(`"?seq"?:? ?${facts}`));
  });

  test('without a date, or with one that is to come, nothing begins', async () => {
    const missing = await purser(['archive', target(), '--data', data()]);
    assert.equal(missing.exitCode, 2);
    assert.match(missing.stderr, /--before/);
    const future = await purser(['archive', target(), '--before', '2999-01-01', '--data', data()]);
    assert.equal(future.exitCode, 1);
    assert.match(future.stderr, /must not be in the future/);
  });

  test('verify begins at the baseline, and with --archive at the first fact', async () => {
    await node.stop();
    const short = await purser(['verify', '--data', data()]);
    assert.equal(short.exitCode, 0, short.stdout);
    assert.match(short.stdout, /verified from here on; facts 1 to \d+ are at /);
    const long = await purser(['verify', '--data', data(), '--archive', target()]);
    assert.equal(long.exitCode, 0, long.stdout);
    assert.match(
      long.stdout,
      /archive: facts 1 to \d+ are read from .*\n(.*\n)*journal: \d+ facts in one chain/,
    );
    const wrong = await purser(['verify', '--data', data(), '--archive', join(folder.path, 'nothing')]);
    assert.equal(wrong.exitCode, 1);
    assert.match(wrong.stdout, /ERROR: .*(no such folder|facts up to 0 only)/);
  });

  test('a folder without its first facts becomes none of a cluster', async () => {
    const options = { folder: data(), masterKey: undefined, node: 'a', url: 'http://a', version: '1' };
    const none = { cluster: {} as never, files: {} as never };
    await assert.rejects(initCluster({ ...options, ...none }), /is in an archive.*purser archive fetch/);
  });

  test('a folder without its first facts is imported by none, and imports none from before', async () => {
    const key = givenMasterKey(masterKeyIn(data()), { file: 'a file' });
    const begun = { epoch: 2, position: 1, hash: '' };
    const other = { folder: folder.path, from: data(), key, begun };
    await assert.rejects(expectImportable(other), /is in an archive: bring it back first/);
    await withJournal(data(), (log) =>
      assert.rejects(
        expectNothingSince(log, begun, { discards: true }),
        /does not reach back to where epoch 2 began/,
      ),
    );
  });

  test('fetch brings the facts back', async () => {
    const fetched = await purser(['archive', 'fetch', target(), '--data', data()]);
    assert.equal(fetched.exitCode, 0, fetched.stderr);
    assert.match(fetched.stdout, /^facts 1 to \d+ are back in /);
    assert.equal(journalFiles(data())[0], 1);
    const again = await purser(['archive', 'fetch', target(), '--data', data(), '--json']);
    assert.equal(JSON.parse(again.stdout).facts, 0);
    const sound = await purser(['verify', '--data', data()]);
    assert.equal(sound.exitCode, 0, sound.stdout);
    assert.match(sound.stdout, /journal: \d+ facts in one chain/);
    await node.start();
    const running = await purser(['archive', 'fetch', target(), '--data', data()]);
    assert.notEqual(running.exitCode, 0);
  });
});
