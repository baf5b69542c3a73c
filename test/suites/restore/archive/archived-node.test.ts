/**
 * A node whose old facts are in an archive, by `purser archive` and over HTTP: it answers as ever, says what it no longer
 * has, and is proved from the baseline on, or with the archive from the first fact.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { initCluster } from '../../../../src/cluster/cluster-init.ts';
import { expectImportable } from '../../../../src/restore/import/import-making.ts';
import { givenMasterKey } from '../../../../src/restore/restored-keys.ts';
import { purser } from '../../../cli/fake-operator.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { flipByte } from '../../crash/damage.ts';
import { masterKeyIn } from '../hand-made-backup.ts';
import {
  archiveNow,
  archivesOf,
  baselinesIn,
  expectSound,
  journalFiles,
  sellCodes,
  strayLocks,
  verified,
} from './archived-shop.ts';

const PURCHASE = { productId: 1, quantity: 2, expectedPriceUsdt: 2 };

describe('a node whose old facts are archived', () => {
  let targets: TemporaryFolder;
  let node: QuietNode;
  let apiKey = '';
  const target = () => join(targets.path, 'old');
  const data = () => node.folder.path;
  const archive = (...args: string[]) => purser(['archive', target(), '--data', data(), ...args]);
  /** The last fact that is archived. */
  const archived = async () => (await archivesOf(node)).baseline?.seq ?? 0;
  const buy = async (key: string) => {
    const { status, body, text } = await node.buyers.purchase(apiKey, key, PURCHASE);
    assert.equal(status, 201, text);
    return body.delivery?.items;
  };

  before(async () => {
    targets = await createTemporaryFolder('archive-targets');
    node = await QuietNode.start('archived-node');
    apiKey = await sellCodes(node);
    await buy('old');
    await node.operator.adjustOrder(1, 'refund', { amountUsdt: 1 }, 'half');
  });
  after(async () => {
    await node.close();
    await targets.remove();
  });

  test('without a date, or with one that is to come, nothing begins; with an early one, nothing is moved', async () => {
    const missing = await archive();
    assert.deepEqual([missing.exitCode, /--before/.test(missing.stderr)], [2, true]);
    const future = await archive('--before', '2999-01-01');
    assert.deepEqual([future.exitCode, /must not be in the future/.test(future.stderr)], [1, true]);
    const early = await archive('--before', '2020-01-01');
    assert.match(early.stdout, /^complete: no file of the journal is that old, so nothing was moved\n$/);
    assert.equal(journalFiles(data())[0], 1);
  });

  test('its journal begins later, and everything before is at the target', async () => {
    const { exitCode, stdout, stderr } = await archive('--before', String(Date.now()), '--json');
    assert.equal(exitCode, 0, stderr);
    const { state, facts, position } = JSON.parse(stdout);
    const { seq } = position;
    assert.deepEqual([state, facts], ['complete', seq]);
    assert.deepEqual([journalFiles(data()), strayLocks(data())], [[seq + 1], []]);
    const names = readdirSync(join(target(), 'archive', '000001'));
    assert.deepEqual(names, [`${'1'.padStart(16, '0')}-${String(seq).padStart(16, '0')}.chunk`]);
    const { baseline } = await archivesOf(node);
    assert.deepEqual([baseline?.seq, baseline?.archive], [seq, target()]);
    assert.equal(baselinesIn(data()).length, 1);
  });

  test('a retry of an archived key never buys twice, and orders are as they were', async () => {
    assert.deepEqual(await buy('old'), ['a', 'b']);
    assert.deepEqual((await node.buyers.order(apiKey, 1)).body.delivery, { items: ['a', 'b'] });
    assert.equal((await node.buyers.balance(apiKey)).body.balanceUsdt, 99);
  });

  test('what operators ask for reaches back, or says what is in the archive', async () => {
    const seq = await archived();
    const ask = async (path: string) => (await node.operator.json('GET', path)).text;
    const feed = JSON.parse(await ask('/feed?after=0'));
    assert.deepEqual([feed.error, feed.oldestAfter], ['FACTS_GONE', seq]);
    const statement = JSON.parse(await ask('/accounts/1/statement'));
    assert.deepEqual([statement.closingUsdt, statement.movements.length], [99, 3]);
    assert.equal(JSON.parse(await ask('/orders/1/timeline')).omitted, 1);
    assert.match(await ask('/metrics'), new RegExp(`^purser_archived_position ${seq}$`, 'm'));
    const { entries } = JSON.parse(await ask('/audit')) as { entries: readonly { action: string }[] };
    assert.ok(entries.some(({ action }) => action === 'ArchiveBegun'));
  });

  test('verify begins at the baseline and says so, and with the archive at the first fact', async () => {
    await buy('new');
    const seq = await archived();
    await node.stop();
    const short = await purser(['verify', '--data', data()]);
    assert.equal(short.exitCode, 0, short.stdout);
    assert.match(
      short.stdout,
      new RegExp(`baseline-0*${seq}\\.mdb: verified from here on; facts 1 to ${seq} `),
    );
    assert.match(short.stdout, new RegExp(`journal: facts ${seq + 1} to \\d+ in one chain, 2 orders`));
    const long = await purser(['verify', '--data', data(), '--archive', target()]);
    assert.equal(long.exitCode, 0, long.stdout);
    assert.match(long.stdout, new RegExp(`archive: facts 1 to ${seq} are read from`));
    assert.match(long.stdout, /journal: \d+ facts in one chain, 2 orders/);
    const wrong = await purser(['verify', '--data', data(), '--archive', join(targets.path, 'nothing')]);
    assert.deepEqual(
      [wrong.exitCode, /ERROR: .*(no such folder|up to 0 only)/.test(wrong.stdout)],
      [1, true],
    );
  });

  test('a folder without its first facts becomes none of a cluster, and is imported by none', async () => {
    const options = { folder: data(), masterKey: undefined, node: 'a', url: 'http://a', version: '1' };
    const none = { cluster: {} as never, files: {} as never };
    await assert.rejects(initCluster({ ...options, ...none }), /is in an archive.*purser archive fetch/);
    const key = givenMasterKey(masterKeyIn(data()), { file: 'a file' });
    const begun = { epoch: 2, position: 1, hash: '' };
    const other = { folder: targets.path, from: data(), key, begun };
    await assert.rejects(expectImportable(other), /is in an archive: bring it back first/);
    await node.start();
  });

  test('what cannot be a target, or a moment, is refused; so is another place, for nobody reads a history from two', async () => {
    for (const [body, message] of [
      [{ before: 'yesterday', target: target() }, /Before must be a date like/],
      [{ before: 0, target: 'old' }, /Name the folder by its whole path/],
      [{ before: 0, target: join(data(), 'old') }, /lies in the data folder/],
      [{ before: 0, target: 'ftp://old' }, /is no target/],
    ] as const) {
      const answer = await node.operator.json('POST', '/archives', body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(String(answer.body.message), message);
    }
    const files = journalFiles(data());
    const { state, error = '' } = await archiveNow(node, join(targets.path, 'elsewhere'));
    assert.equal(state, 'failed');
    assert.match(error, /elsewhere lacks the facts up to \d+, which are at .*: archive there, or bring/);
    assert.deepEqual(journalFiles(data()).slice(0, files.length), files);
  });

  test('a flipped byte in the archive is found by verify --archive; sound, fetch brings the facts back', async () => {
    await node.stop();
    const chunks = join(target(), 'archive', '000001');
    const chunk = join(chunks, readdirSync(chunks)[0] ?? '');
    flipByte(chunk, 200, 1);
    const { isSound, text } = await verified(data(), target());
    assert.ok(!isSound, text);
    assert.match(text, /ERROR: .*\.chunk at .* is damaged .*: put a copy of it back/);
    flipByte(chunk, 200, 1);
    const fetch = () => purser(['archive', 'fetch', target(), '--data', data()]);
    const fetched = await fetch();
    assert.equal(fetched.exitCode, 0, fetched.stderr);
    assert.match(fetched.stdout, /^facts 1 to \d+ are back in /);
    assert.equal(journalFiles(data())[0], 1);
    assert.match(await expectSound(data()), /journal: \d+ facts in one chain/);
    await node.start();
    assert.notEqual((await fetch()).exitCode, 0, 'a node has the folder');
  });
});
