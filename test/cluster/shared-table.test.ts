/** The contract of the shared log's table (`shared-table.ts`), held by PostgreSQL and by the simulated one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresTable, SCHEMA } from '../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../src/cluster/postgres/postgres-url.ts';
import {
  EndedHereError,
  type Entry,
  type SharedTable,
  UnknownOutcomeError,
} from '../../src/cluster/shared-table.ts';
import { PostgresRig, whyNoRig } from '../support/postgres-rig.ts';
import { SimulatedDatabase } from './simulated-table.ts';

interface DatabaseUnderTest {
  open(): SharedTable;
  /** Commits wait for the quorum from now on, until they need not. */
  hold(isHeld: boolean): Promise<void>;
  /** Somebody has PostgreSQL replicate asynchronously. */
  replicateAsynchronously(isSo: boolean): Promise<void>;
  /** Ends the wait of whoever waits for the quorum; `how` as an administrator does it. */
  endWaits(how: 'cancel' | 'terminate'): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

class Simulated implements DatabaseUnderTest {
  #database = new SimulatedDatabase();

  open(): SharedTable {
    return this.#database.open();
  }

  async hold(isHeld: boolean): Promise<void> {
    this.#database.isHolding = isHeld;
    if (!isHeld) this.#database.confirmAll();
  }

  async replicateAsynchronously(isSo: boolean): Promise<void> {
    this.#database.isAsynchronous = isSo;
  }

  async endWaits(): Promise<void> {
    this.#database.breakConnections();
  }

  async clear(): Promise<void> {
    this.#database = new SimulatedDatabase();
  }

  async close(): Promise<void> {}
}

class Postgres implements DatabaseUnderTest {
  readonly #rig: PostgresRig;

  private constructor(rig: PostgresRig) {
    this.#rig = rig;
  }

  static async start(): Promise<Postgres> {
    const rig = await PostgresRig.start();
    await rig.ask(0, SCHEMA);
    return new Postgres(rig);
  }

  open(): SharedTable {
    return new PostgresTable({ url: parseLogUrl(this.#rig.url), password: undefined, node: 'a' });
  }

  /** Standbys that stand still get nothing. */
  async hold(isHeld: boolean): Promise<void> {
    for (const { process } of this.#rig.servers.slice(1)) process?.kill(isHeld ? 'SIGSTOP' : 'SIGCONT');
    for (const { pid } of await this.#walReceivers())
      process.kill(Number(pid), isHeld ? 'SIGSTOP' : 'SIGCONT');
  }

  async replicateAsynchronously(isSo: boolean): Promise<void> {
    const names = isSo ? `''` : `'ANY 1 (s1, s2, s3)'`;
    await this.#rig.ask(0, `ALTER SYSTEM SET synchronous_standby_names = ${names}`);
    await this.#rig.ask(0, 'SELECT pg_reload_conf()');
    await delay(50);
  }

  async endWaits(how: 'cancel' | 'terminate'): Promise<void> {
    await this.#rig.ask(
      0,
      `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
    );
  }

  async clear(): Promise<void> {
    await this.#rig.ask(
      0,
      'TRUNCATE purser_log; UPDATE purser_beat SET term = 0, confirmed = 0, beat = 0, begin = NULL',
    );
  }

  close(): Promise<void> {
    return this.#rig.close();
  }

  /** On the primary: a sender that stands still sends nothing to its standby. */
  async #walReceivers(): Promise<Record<string, unknown>[]> {
    return await this.#rig.ask(0, 'SELECT pid FROM pg_stat_replication');
  }
}

const missing = await whyNoRig();
const databases: readonly (readonly [string, () => Promise<DatabaseUnderTest>, string | undefined])[] = [
  ['the simulated one', async () => new Simulated(), undefined],
  ['PostgreSQL', () => Postgres.start(), missing],
];

for (const [name, start, why] of databases) {
  describe(`the shared log's table: ${name}`, { skip: why ?? false }, () => {
    let database: DatabaseUnderTest;
    let table: SharedTable;
    let other: SharedTable;
    before(async () => {
      database = await start();
      table = database.open();
      other = database.open();
    });
    after(async () => {
      await Promise.all([table?.close(), other?.close()]);
      await database?.close();
    });

    async function fresh(): Promise<void> {
      await database.clear();
      if (name === 'PostgreSQL') return;
      table = database.open();
      other = database.open();
    }

    test('entries are read as they were inserted, several at once or one by one', async () => {
      await fresh();
      const together = [entry(2, 1, 'facts', 300_000), entry(3, 1, 'texts', 0), entry(4, 1, 'end')];
      const entries = [entry(1, 1, 'term'), ...together.map((each) => ({ ...each, confirmed: 1 }))];
      assert.deepEqual(await table.read(0, 10), []);
      assert.equal(await table.newestFacts(), undefined);
      assert.equal(await table.insert(entries.slice(0, 1), 0), 'confirmed');
      assert.equal(await table.insert(entries.slice(1), 1), 'confirmed');
      assert.deepEqual(await other.read(0, 10), entries);
      assert.deepEqual(await other.read(1, 2), entries.slice(1, 3));
      assert.deepEqual(await other.newestFacts(), entries[1]?.bytes);
    });

    test('an insert behind an entry of another term, or behind none, inserts nothing', async () => {
      await fresh();
      await table.insert([entry(1, 1, 'term')], 0);
      assert.equal(await table.insert([entry(2, 2, 'facts')], 2), 'fenced');
      assert.equal(await table.insert([entry(3, 1, 'facts')], 1), 'fenced');
      assert.equal((await table.read(0, 10)).length, 1);
    });

    test('a place is taken once: the new term fences the one before', async () => {
      await fresh();
      await table.insert([entry(1, 1, 'term')], 0);
      assert.equal(await other.insert([entry(2, 2, 'term')], 1), 'confirmed');
      assert.equal(await table.insert([entry(2, 1, 'facts')], 1), 'taken');
      assert.equal(await table.insert([entry(3, 1, 'facts')], 1), 'fenced');
      assert.equal(await table.beat(1, 1, 1), false);
      assert.equal(await other.beat(2, 2, 2), true);
    });

    test('two who want the same place: one has it', async () => {
      await fresh();
      await table.insert([entry(1, 1, 'term')], 0);
      const inserted = [table.insert([entry(2, 2, 'term')], 1), other.insert([entry(2, 2, 'term')], 1)];
      assert.deepEqual((await Promise.all(inserted)).sort(), ['confirmed', 'taken']);
    });

    test('a term that begins behind a silent leader does not begin when he beats meanwhile', async () => {
      await fresh();
      await table.insert([entry(1, 1, 'term')], 0);
      assert.equal(await table.beat(1, 1, 1), true);
      const { beats } = await other.look(1, 1);
      assert.equal(await table.beat(1, 1, 1), true);
      assert.equal(await other.insert([entry(2, 2, 'term')], 1, beats), 'fenced');
      assert.equal(await table.beat(1, 1, 1), true, 'he leads on');
      const now = (await other.look(1, 1)).beats;
      const begin = entry(2, 2, 'term');
      assert.equal(await other.insert([begin], 1, now), 'confirmed');
      assert.deepEqual((await table.look(2, 1)).begin, begin.bytes);
      assert.equal(await table.beat(1, 1, 1), false);
      const last = (await other.look(2, 1)).beats;
      assert.equal(await other.insert([entry(3, 3, 'term')], 1, last), 'fenced', 'of another term');
      assert.deepEqual((await table.look(2, 1)).begin, begin.bytes, 'who was refused began nothing');
      assert.ok(beats < now && now < last);
      assert.equal(await other.beat(2, 2, 2), true);
    });

    test('a beat tells that the newest entry is confirmed, and counts', async () => {
      await fresh();
      assert.deepEqual(await other.look(1, 5), {
        entries: [],
        term: 0,
        confirmed: 0,
        beats: 0,
        termAt: undefined,
        begin: undefined,
      });
      const begin = entry(1, 7, 'term');
      await table.insert([begin], 0);
      assert.equal(await table.beat(7, 1, 0), true);
      const first = await other.look(1, 5);
      assert.deepEqual(first, {
        entries: [],
        term: 7,
        beats: first.beats,
        termAt: 7,
        confirmed: 0,
        begin: undefined,
      });
      assert.equal(await table.beat(7, 2, 1), false, 'there is no entry 2');
      assert.equal(await table.beat(7, 1, 1), true);
      const second = await other.look(1, 5);
      assert.deepEqual(second, { ...first, confirmed: 1, beats: second.beats });
      assert.ok(first.beats > 0 && second.beats > first.beats);
      assert.deepEqual((await other.look(0, 5)).entries, [begin]);
      assert.equal((await other.look(0, 5)).termAt, undefined);
    });

    // The simulated one keeps what it is given.
    if (name === 'PostgreSQL') {
      test('a kind that this version does not know is no reason to try again', async () => {
        await fresh();
        await table.insert([entry(1, 1, 'of a later version' as Entry['kind'])], 0);
        await assert.rejects(other.look(0, 1), EndedHereError);
      });
    }

    test('without synchronous replication nothing is inserted', async () => {
      await fresh();
      await table.insert([entry(1, 1, 'term')], 0);
      await database.replicateAsynchronously(true);
      try {
        assert.equal(await table.insert([entry(2, 1, 'facts')], 1), 'asynchronous');
        assert.equal(await table.beat(1, 1, 1), false);
      } finally {
        await database.replicateAsynchronously(false);
      }
      assert.equal(await table.insert([entry(2, 1, 'facts')], 1), 'confirmed');
    });

    test('what waits for the quorum is not confirmed, holds its place, and is there when its wait was ended', async () => {
      for (const how of ['cancel', 'terminate'] as const) {
        await fresh();
        await table.insert([entry(1, 1, 'term')], 0);
        await database.hold(true);
        const mine = entry(2, 1, 'facts');
        let ended = 'waits';
        const inserting = table.insert([mine], 1).then(
          (inserted) => {
            ended = inserted;
          },
          (error) => {
            ended = error.name;
          },
        );
        let rival: unknown = 'waits';
        await delay(300);
        const racing = other.insert([entry(2, 2, 'term')], 1).then(
          (inserted) => {
            rival = inserted;
          },
          (error) => {
            rival = error;
          },
        );
        await delay(300);
        assert.deepEqual([ended, rival], ['waits', 'waits']);
        await database.endWaits(how);
        await inserting;
        assert.equal(ended, UnknownOutcomeError.name, how);
        await database.hold(false);
        await racing;
        assert.ok(rival === 'taken' || rival instanceof UnknownOutcomeError, String(rival));
        assert.equal(await table.insert([mine], 1), 'taken');
        assert.deepEqual(
          (await other.read(1, 10)).map(({ bytes }) => bytes),
          [mine.bytes],
        );
        assert.equal(await table.beat(1, 2, 2), true);
      }
    });
  });
}

function entry(number: number, term: number, kind: Entry['kind'], size = 100): Entry {
  return { number, term, kind, confirmed: number - 1, bytes: randomBytes(size) };
}
