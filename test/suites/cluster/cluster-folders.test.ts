/** Folders of a cluster that no node has: how the log begins with one, others join it, it is trimmed, proved, and ended. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CleanEndMark } from '../../../src/backup/clean-end/clean-end-mark.ts';
import { realClock } from '../../../src/cluster/cluster-clock.ts';
import { dissolveCluster } from '../../../src/cluster/cluster-dissolve.ts';
import { type ClusterFile, readClusterFile, writeClusterFile } from '../../../src/cluster/cluster-file.ts';
import { initCluster } from '../../../src/cluster/cluster-init.ts';
import { joinCluster } from '../../../src/cluster/cluster-join.ts';
import { verifyAgainstLog } from '../../../src/cluster/log-check.ts';
import { LogFollower } from '../../../src/cluster/log-follower.ts';
import { LogWriter } from '../../../src/cluster/log-writer.ts';
import { PostgresCluster } from '../../../src/cluster/postgres/postgres-cluster.ts';
import { PostgresFiles } from '../../../src/cluster/postgres/postgres-files.ts';
import { PostgresTable } from '../../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../../src/cluster/postgres/postgres-url.ts';
import { Trims } from '../../../src/cluster/trims.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { FilesFolder } from '../../../src/persistence/files/files-folder.ts';
import type { SharedFiles } from '../../../src/persistence/files/shared-files.ts';
import { FORMAT_VERSION } from '../../../src/persistence/folder/folder-format.ts';
import { encodeFrame } from '../../../src/persistence/journal/journal-frame.ts';
import { openLog } from '../../../src/persistence/journal/open-log.ts';
import { keyFileOf } from '../../../src/persistence/keys/master-key.ts';
import { stateDigest } from '../../../src/persistence/state-digest.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { Lease } from '../../../src/threads/lease.ts';
import { eventually } from '../../support/eventually.ts';
import { runCommand } from '../../support/nodes/purser-command.ts';
import { PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { assertSame, factsOf, madeShop } from './shop-folders.ts';

const NODE = { url: 'http://127.0.0.1:1', version: '0' };
const DAY = `interval '1 day'`;

describe('folders of a cluster', { skip: (await whyNoRig()) ?? false }, () => {
  let rig: PostgresRig;
  let place: TemporaryFolder;
  let cluster: PostgresCluster;
  let table: PostgresTable;
  let files: PostgresFiles;
  let shop: string;

  before(async () => {
    [rig, place] = await Promise.all([PostgresRig.start(), createTemporaryFolder('cluster-folders')]);
    cluster = new PostgresCluster(settings());
    table = new PostgresTable(settings());
    files = new PostgresFiles(settings());
    shop = await madeShop(join(place.path, 'shop'));
  });
  after(async () => {
    await Promise.all([cluster?.close(), table?.close(), files?.close()]);
    await Promise.all([rig?.close(), place?.remove()]);
  });

  const folder = (name: string) => join(place.path, name);
  const copyOfShop = (name: string) => {
    cpSync(shop, folder(name), { recursive: true });
    return folder(name);
  };
  const init = (name: string, node = name, given: Pick<SharedFiles, 'put'> = files) =>
    initCluster({ folder: folder(name), masterKey: undefined, cluster, node, files: given, ...NODE });
  const join_ = (name: string, given = keyText(), node = name) =>
    joinCluster({
      folder: folder(name),
      key: givenMasterKey(given, { file: 'the test' }),
      cluster,
      node,
      files,
      ...NODE,
    });
  const keyText = () => readFileSync(keyFileOf(shop), 'utf8');
  const settings = () => ({ url: parseLogUrl(rig.url), password: undefined, node: 'test' });
  const trim = (name: string) => new Trims({ folder: folder(name), settings: settings() }).trim();
  /** The lines of `purser verify --log`, or the reason why it fails. */
  const verify = async (name: string): Promise<string[]> => {
    const said: string[] = [];
    await verifyDataFolder(folder(name), (line) => said.push(line), undefined, {
      also: async (proved, view) => {
        said.push(`digest: ${stateDigest(proved)} at ${proved.head.position}`);
        said.push(await verifyAgainstLog(settings(), { folder: folder(name), view, head: proved.head }));
      },
    });
    return said.slice(-3);
  };
  const ageNodes = (age: string) => rig.ask(0, `UPDATE purser_node SET seen = now() - ${age}`);

  test('a log begins with one folder, and only where PostgreSQL keeps what it confirms', async () => {
    copyOfShop('a');
    await setFullPageWrites('off');
    await assert.rejects(init('a'), { message: /full_page_writes off: set full_page_writes = on/ });
    await setFullPageWrites('on');
    await assert.rejects(join_('b'), { message: /no log of a cluster: run purser cluster init/ });

    // Interrupted before the log's row is there.
    const broken = { put: () => Promise.reject(new Error('the power went')) };
    await assert.rejects(init('a', 'a', broken), { message: 'the power went' });
    const begun = readClusterFile(folder('a'));
    const mark = new CleanEndMark(folder('a'));
    mark.set(folder('no-backup'));
    const where = ['--data', folder('a'), '--log', rig.url, '--node', 'a', '--url', NODE.url];
    const refused = await runCommand(['cluster', 'init', ...where]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /clean end, which must be taken back before the log of a cluster begins/);
    assert.ok(mark.isSet);
    mark.remove();
    const { log } = await init('a');
    assert.equal(log, begun?.log);
    assert.deepEqual(await init('a'), { log, fact: await factsOf(folder('a')) });
    assert.deepEqual(readClusterFile(folder('a')), { log, node: 'a', entry: 1, term: 1 });

    copyOfShop('other');
    await assert.rejects(init('other'), { message: /already has the log of a cluster: join it/ });
  });

  test('who joins has the same rows, files and keys', async () => {
    const wrongKey = join_('b', `${'A'.repeat(43)}=`);
    await assert.rejects(wrongKey, { message: /the cluster's key ring needs the key/ });
    assert.ok(!existsSync(folder('b')));
    const { log } = readClusterFile(folder('a')) as ClusterFile;
    assert.deepEqual(await join_('b'), { log, entry: 1, fact: await factsOf(folder('a')) });
    await assertSame(folder('b'), folder('a'));
    assert.ok(new FilesFolder(folder('a')).names().length > 0);
    assert.deepEqual(new FilesFolder(folder('b')).names(), new FilesFolder(folder('a')).names());
    assert.deepEqual((await verify('b')).slice(0, 1), (await verify('a')).slice(0, 1));
    await assert.rejects(join_('b'), { message: /is not empty/ });
    await assert.rejects(join_('c', keyText(), 'b'), {
      message: /the cluster has a node b, which was there \d+ s ago/,
    });
    await ageNodes(`interval '2 minutes'`);
    rmSync(folder('b'), { recursive: true });
    assert.equal((await join_('b')).entry, 1);
    await assertSame(folder('b'), folder('a'));
    assert.deepEqual(
      readdirSync(place.path).filter((name) => name.includes('.joining-')),
      [],
    );
  });

  test('a folder is proved against the log', async () => {
    await leadByHand('a', 5);
    const facts = await factsOf(folder('a'));
    const [digest, line, result] = await verify('a');
    assert.match(digest ?? '', new RegExp(`^digest: [0-9a-f]{64} at ${facts}$`));
    assert.match(
      line ?? '',
      /^log: entries 1 to 8 of 2 terms agree with the journal; the folder has all of them$/,
    );
    assert.equal(result, 'no errors found');
    assert.match((await verify('b')).join(), /the folder may lack 5 of them,no errors found/);

    // What is wrong, what mends it, and what the proof says meanwhile.
    const flip = `UPDATE purser_log SET bytes = set_byte(bytes, 60, get_byte(bytes, 60) # 1) WHERE entry = 4`;
    const wrongs: readonly [string, string, RegExp][] = [
      [flip, flip, /^ERROR: entry 4 of the log: .* wrong checksum/],
      [
        'UPDATE purser_log SET term = 3 WHERE entry = 6',
        'UPDATE purser_log SET term = 2 WHERE entry = 6',
        /^ERROR: entry 6 of the log has term 3, and should have 2/,
      ],
      [
        'CREATE TABLE away AS SELECT * FROM purser_log WHERE entry > 6; DELETE FROM purser_log WHERE entry > 6',
        'INSERT INTO purser_log SELECT * FROM away; DROP TABLE away',
        /^ERROR: the folder is ahead of the log/,
      ],
    ];
    for (const [wrong, mend, says] of wrongs) {
      await rig.ask(0, wrong);
      assert.match((await verify('a')).at(-1) ?? '', says);
      await rig.ask(0, mend);
    }
    assert.equal((await verify('a')).at(-1), 'no errors found');
    const done = await runCommand(['verify', '--data', folder('other'), '--log', rig.url]);
    assert.equal(done.code, 1);
    assert.match(done.stdout, /belongs to no cluster/);
  });

  test('a log is trimmed behind a base, and who joins begins there', async () => {
    assert.deepEqual(await trim('a'), { first: 1, last: 8, removed: 0, base: 1 });
    await rig.ask(0, `UPDATE purser_log SET at = now() - 8 * ${DAY} WHERE entry < 7`);
    // Node b has applied nothing behind the first base.
    assert.deepEqual(await trim('a'), { first: 1, last: 8, removed: 0, base: 1 });
    await ageNodes(`8 * ${DAY}`);
    await cluster.setNode({ node: 'a', applied: 8, ...NODE }, FORMAT_VERSION);
    assert.deepEqual(await trim('a'), { first: 7, last: 8, removed: 6, base: 8 });
    assert.equal((await rig.ask(0, 'SELECT DISTINCT base FROM purser_base')).length, 1);

    assert.match((await verify('b')).at(-1) ?? '', /^ERROR: the log was trimmed and begins with entry 7/);
    const behind = new LogFollower({
      table,
      from: readClusterFile(folder('b')) as ClusterFile,
      take: () => {},
      clock: realClock,
    });
    await assert.rejects(behind.step(), { message: /the log was trimmed while this node was away/ });
    rmSync(folder('b'), { recursive: true });
    assert.equal((await join_('b')).entry, 8);
    await assertSame(folder('b'), folder('a'));
    await leadByHand('a', 3);
    assert.match(
      (await verify('a')).join(),
      /log: entries 7 to 13 of 3 terms .* all of them,no errors found/,
    );
    assert.match((await verify('b')).join(), /may lack 3 of them,no errors found/);
  });

  test('a cluster ends in one folder that has everything, and no other goes on', async () => {
    const dissolve = (name: string) => dissolveCluster({ folder: folder(name), cluster, table });
    await assert.rejects(dissolve('a'), { message: /^node a was there \d+ s ago: stop all nodes/ });
    await ageNodes(`interval '1 minute'`);
    await assert.rejects(dissolve('b'), { message: /may lack 3 behind it: start node b until it has all/ });
    await assert.rejects(dissolve('other'), { message: /belongs to no cluster/ });
    const own = readClusterFile(folder('a')) as ClusterFile;
    assert.equal(await dissolve('a'), await factsOf(folder('a')));
    assert.equal(readClusterFile(folder('a')), undefined);
    assert.ok(await verifyDataFolder(folder('a'), () => {}));

    // Interrupted before the file was removed.
    writeClusterFile(folder('a'), own);
    await dissolve('a');
    assert.equal(readClusterFile(folder('a')), undefined);
    await assert.rejects(dissolve('b'), {
      message: /dissolved into the folder of node a, which goes on alone/,
    });
    await assert.rejects(join_('c'), { message: /the cluster was dissolved/ });
    // PostgreSQL refuses it, whoever asks.
    await assert.rejects(leadByHand('b', 1), { message: /purser_log_is_dissolved/ });
    const from = readClusterFile(folder('b')) as ClusterFile;
    const follower = new LogFollower({ table, from, take: () => {}, clock: realClock });
    await assert.rejects(follower.follow(new AbortController().signal), {
      message: 'the cluster was dissolved: the folder of node a goes on alone',
    });
  });

  async function setFullPageWrites(to: 'on' | 'off'): Promise<void> {
    await rig.ask(0, `ALTER SYSTEM SET full_page_writes = ${to}`);
    await rig.ask(0, 'SELECT pg_reload_conf()');
    await eventually(`it is ${to}`, async () => {
      const [row] = await rig.ask(0, 'SHOW full_page_writes');
      return row?.full_page_writes === to;
    });
  }

  /**
   * A stopped folder takes the lead from its place on, has `facts` entries written to the shared log and then to itself, as
   * a leader does it, and stops as a node does.
   */
  async function leadByHand(name: string, facts: number): Promise<void> {
    const own = readClusterFile(folder(name)) as ClusterFile;
    const newest = (await table.read(own.entry - 1, 64)).at(-1) ?? { number: own.entry, term: own.term };
    const [begin, term] = [newest.number + 1, newest.term + 1];
    const bytes = Buffer.from(JSON.stringify({ node: own.node, url: NODE.url }));
    const entry = { number: begin, term, kind: 'term', confirmed: newest.number, bytes } as const;
    assert.equal(await table.insert([entry], newest.term), 'confirmed');
    const onFenced = assert.ifError;
    const writer = new LogWriter({ table, term, begin, lease: new Lease(), clock: realClock, onFenced });
    const log = openLog(folder(name));
    try {
      for (let fact = 0; fact < facts; fact += 1) {
        const { position, hash } = log.head;
        const windowMs = randomBytes(2).readUInt16LE();
        const closed = { kind: 'EventGroupClosed', atMs: Date.now(), windowMs } as const;
        const frame = encodeFrame(new ByteWriter(), position + 1, [closed], hash);
        await writer.append('facts', frame);
        await log.append(frame);
      }
      await writer.append('end', Buffer.alloc(0));
    } finally {
      await log.close();
      writer.close();
    }
    writeClusterFile(folder(name), { ...own, entry: writer.confirmed, term });
  }
});
