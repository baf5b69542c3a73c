/**
 * PostgreSQL as the shared log: it keeps the contract of the table, whoever asks a server that stands still hears so in
 * time, and files of products are whole, whatever happens to a connection.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ClusterReason } from '../../../src/cluster/cluster-error.ts';
import { PostgresCluster } from '../../../src/cluster/postgres/postgres-cluster.ts';
import { PostgresConnection } from '../../../src/cluster/postgres/postgres-connection.ts';
import { PostgresFiles } from '../../../src/cluster/postgres/postgres-files.ts';
import { PostgresTable, SCHEMA } from '../../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../../src/cluster/postgres/postgres-url.ts';
import type { Entry, SharedTable } from '../../../src/cluster/shared-table.ts';
import { type DatabaseUnderTest, entry, proveContract } from '../../cluster/shared-table-contract.ts';
import { eventually } from '../../support/eventually.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { TcpProxy } from './tcp-proxy.ts';

const missing = await whyNoRig();
const LOOK = { name: 'look', text: 'SELECT 1' };
const STATEMENT_MS = 500;
const PART_BYTES = 256 * 1024;

let rig: PostgresRig;

async function started(): Promise<PostgresRig> {
  rig ??= await PostgresRig.start();
  await rig.ask(0, SCHEMA);
  return rig;
}
const settingsOf = (url = rig.url) => ({ url: parseLogUrl(url), password: undefined, node: 'a' });

class Postgres implements DatabaseUnderTest {
  #held: { release(): void } | undefined;

  static async start(): Promise<Postgres> {
    await started();
    return new Postgres();
  }

  open(): SharedTable {
    return new PostgresTable(settingsOf());
  }

  async hold(isHeld: boolean): Promise<void> {
    if (isHeld) this.#held = await rig.hold(0);
    else this.#held?.release();
  }

  async waiting(): Promise<number> {
    const [row] = await rig.ask(
      0,
      `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep' OR wait_event_type = 'Lock'`,
    );
    return Number(row?.waiting);
  }

  async replicateAsynchronously(isSo: boolean): Promise<void> {
    const names = isSo ? '' : 'ANY 1 (s1, s2, s3)';
    await rig.ask(0, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await rig.ask(0, 'SELECT pg_reload_conf()');
    await eventually('the server has read it', async () => {
      const [row] = await rig.ask(0, 'SHOW synchronous_standby_names');
      return row?.synchronous_standby_names === names;
    });
  }

  async endWaits(how: 'cancel' | 'terminate'): Promise<void> {
    await rig.ask(0, `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  }

  async clear(): Promise<void> {
    await rig.ask(
      0,
      'TRUNCATE purser_log; UPDATE purser_beat SET term = 0, confirmed = 0, beat = 0, begin = NULL',
    );
  }

  async close(): Promise<void> {}
}

proveContract('PostgreSQL', () => Postgres.start(), missing);

describe('PostgreSQL', { skip: missing ?? false }, () => {
  let folder: TemporaryFolder;
  let files: PostgresFiles;

  before(async () => {
    await started();
    folder = await createTemporaryFolder('postgres-files');
    files = new PostgresFiles(settingsOf());
  });
  after(async () => {
    await files?.close();
    await rig?.close();
    await folder?.remove();
  });

  test('a kind of entry that this version does not know is no reason to try again', async () => {
    const table = new PostgresTable(settingsOf());
    await rig.ask(0, 'TRUNCATE purser_log');
    await table.insert([entry(1, 1, 'of a later version' as Entry['kind'])], 0);
    await assert.rejects(table.look(0, 1), { name: 'ClusterError', reason: 'ended' });
    await table.close();
  });

  const moments: readonly [when: string, quiet: (server: TcpProxy) => void, reason: ClusterReason][] = [
    ['before it greets', (server) => (server.isDark = true), 'unreachable'],
    ['before it says who it is', (server) => server.swallow('pg_is_in_recovery'), 'unreachable'],
    ['before the session has its settings', (server) => server.swallow('lock_timeout'), 'unreachable'],
    ['amid a statement', (server) => server.swallow(LOOK.text), 'unknown'],
  ];
  for (const [when, quiet, reason] of moments) {
    test(`a server that stands still ${when} is given up, and asked again`, async () => {
      const server = await TcpProxy.start(rig.servers[0]?.port ?? 0);
      const connection = new PostgresConnection(settingsOf(rig.urlOf([server.port])));
      try {
        quiet(server);
        await assert.rejects(connection.run(LOOK, [], STATEMENT_MS), { name: 'ClusterError', reason });
        server.isDark = false;
        assert.deepEqual((await connection.run(LOOK, [], STATEMENT_MS)).rows, [['1']]);
      } finally {
        await connection.close();
        await server.close();
      }
    });
  }

  test('what is written waits for a second server in a session that was set to wait for none', async () => {
    const server = await TcpProxy.start(rig.servers[0]?.port ?? 0);
    const settings = settingsOf(rig.urlOf([server.port]));
    // As a pooler does that sends the settings to one session and what follows to another.
    server.edit = (piece) =>
      Buffer.from(
        piece
          .toString('latin1')
          .replace('synchronous_commit = on;', 'synchronous_commit =off;')
          .replace('bytea_output = hex', 'bytea_output =hex '),
        'latin1',
      );
    await rig.ask(0, 'TRUNCATE purser_log');
    const table = new PostgresTable(settings);
    const others = new PostgresCluster(settings);
    const ownFiles = new PostgresFiles(settings);
    const held = await rig.hold(0);
    try {
      const done: string[] = [];
      const writes = {
        insert: table.insert([entry(1, 1, 'term')], 0),
        node: others.setNode({ node: 'a', url: '', version: '', applied: 0 }, 1),
        file: ownFiles.put('held', written(patternBytes(1, 1))),
      };
      const all = Object.entries(writes).map(([name, write]) => write.then(() => done.push(name)));
      await eventually('all wait', async () => {
        const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
        return (await rig.ask(0, text))[0]?.waiting === all.length;
      });
      assert.deepEqual(done, []);
      held.release();
      await Promise.all(all);
      assert.equal(await table.beat(1, 1, 1), true);
    } finally {
      held.release();
      await Promise.all([table.close(), others.close(), ownFiles.close()]);
      await server.close();
    }
  });

  test('nothing is written where the server keeps less than it says, though it kept all at the start', async () => {
    await rig.ask(0, 'TRUNCATE purser_log');
    const [table, cluster] = [new PostgresTable(settingsOf()), new PostgresCluster(settingsOf())];
    const set = async (line: string) => {
      await rig.ask(0, `ALTER SYSTEM ${line}`);
      await rig.ask(0, 'SELECT pg_reload_conf()');
    };
    await cluster.requireDurable();
    for (const name of ['fsync', 'full_page_writes']) {
      await set(`SET ${name} = off`);
      await eventually('no insert', async () => {
        await rig.ask(0, 'TRUNCATE purser_log');
        return (await table.insert([entry(1, 1, 'term')], 0)) === 'asynchronous';
      });
      assert.equal(await table.beat(1, 0, 0), false);
      await assert.rejects(cluster.setNode({ node: 'a', url: '', version: '', applied: 0 }, 1), {
        name: 'ClusterError',
        reason: 'refused',
      });
      await assert.rejects(cluster.putPart('b', 0, Buffer.alloc(1)), {
        name: 'ClusterError',
        reason: 'refused',
      });
      await assert.rejects(cluster.createTables(), /may lose what it confirms/);
      await set(`RESET ${name}`);
      await eventually(
        'an insert',
        async () => (await table.insert([entry(1, 1, 'term')], 0)) === 'confirmed',
      );
    }
    await Promise.all([table.close(), cluster.close()]);
  });

  test('a pooler before PostgreSQL is refused, and named', async () => {
    const server = await TcpProxy.start(rig.servers[0]?.port ?? 0);
    const connection = new PostgresConnection(settingsOf(rig.urlOf([server.port])));
    // It greets with a number of its own, and so does every pooler.
    server.edit = (piece, from) => {
      const greeting = piece.indexOf('K\0\0\0\x0c');
      if (from === 'server' && greeting >= 0) piece.writeInt32BE(7, greeting + 5);
      return piece;
    };
    try {
      const pooler = new RegExp(
        `127.0.0.1:${server.port} is a connection pooler, .*name the hosts and ports`,
      );
      await assert.rejects(connection.run(LOOK, [], STATEMENT_MS), pooler);
    } finally {
      await connection.close();
      await server.close();
    }
  });

  const written = (bytes: Uint8Array) => {
    const path = join(folder.path, 'put');
    writeFileSync(path, bytes);
    return path;
  };
  const fetched = async (fileId: string) => {
    const path = join(folder.path, 'fetched');
    await files.fetch(fileId, path);
    return readFileSync(path);
  };

  for (const sizeBytes of [1, PART_BYTES - 1, PART_BYTES, 3 * PART_BYTES + 7]) {
    test(`a file of ${sizeBytes} bytes is fetched as it was put, also twice`, async () => {
      const bytes = patternBytes(sizeBytes, 1);
      for (let time = 0; time < 2; time += 1) {
        await files.put(`size-${sizeBytes}`, written(bytes));
        assert.ok((await fetched(`size-${sizeBytes}`)).equals(bytes));
      }
    });
  }

  test('files have names, in pages; one that was removed has no bytes and no name', async () => {
    for (const name of ['z3', 'z1', 'z2']) await files.put(name, written(patternBytes(PART_BYTES + 1, 1)));
    assert.deepEqual(await files.names('z', 2), ['z1', 'z2']);
    assert.deepEqual(await files.names('z2', 2), ['z3']);
    await files.remove('z3');
    assert.equal((await fetched('z3')).length, 0);
    assert.deepEqual(await files.names('z2', 2), []);
  });

  test('a server that is away may come back, and a refusal stays one', async () => {
    const away = new PostgresFiles(settingsOf(rig.urlOf([1])));
    const mayPass = async (asked: PostgresFiles) => {
      const error = await asked.names('', 1).then(
        () => undefined,
        (why: unknown) => why,
      );
      return error && asked.mayPass(error);
    };
    assert.equal(await mayPass(away), true);
    await rig.ask(0, 'ALTER TABLE purser_file RENAME TO other_file');
    assert.equal(await mayPass(files), false);
    await rig.ask(0, 'ALTER TABLE other_file RENAME TO purser_file');
    await away.close();
  });

  test('a file is put though connections are ended meanwhile', async () => {
    const bytes = patternBytes(12 * PART_BYTES, 1);
    const put = files.put('interrupted', written(bytes));
    for (let time = 0; time < 3; time += 1)
      await rig.ask(
        0,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'purser%'",
      );
    await put;
    assert.ok((await fetched('interrupted')).equals(bytes));
  });
});
