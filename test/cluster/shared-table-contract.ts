/**
 * The contract of the shared log's table (`src/cluster/shared-table.ts`), which the simulated one proves here, and
 * PostgreSQL in `suites/cluster/postgres-table.test.ts`.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { ClusterError } from '../../src/cluster/cluster-error.ts';
import type { Entry, SharedTable } from '../../src/cluster/shared-table.ts';
import { eventually } from '../support/eventually.ts';

export interface DatabaseUnderTest {
  open(): SharedTable;
  /** Commits wait for the quorum from now on, until they need not. */
  hold(isHeld: boolean): Promise<void>;
  /** How many inserts wait, for the quorum or for a place that another one holds. */
  waiting(): Promise<number>;
  /** Somebody has PostgreSQL replicate asynchronously. */
  replicateAsynchronously(isSo: boolean): Promise<void>;
  /** Ends the wait of whoever waits for the quorum; `how` as an administrator does it. */
  endWaits(how: 'cancel' | 'terminate'): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

export function proveContract(name: string, start: () => Promise<DatabaseUnderTest>, missing?: string): void {
  describe(`the shared log's table: ${name}`, { skip: missing ?? false }, () => {
    let database: DatabaseUnderTest;
    let table: SharedTable;
    let other: SharedTable;
    before(async () => {
      database = await start();
    });
    after(() => database?.close());
    beforeEach(async () => {
      await database.clear();
      [table, other] = [database.open(), database.open()];
    });
    afterEach(() => Promise.all([table.close(), other.close()]));

    test('entries are read as they were inserted, several at once or one by one', async () => {
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

    test('a place is taken once, behind an entry of its term: the new term fences the one before', async () => {
      await table.insert([entry(1, 1, 'term')], 0);
      assert.equal(await table.insert([entry(2, 2, 'facts')], 2), 'fenced', 'behind another term');
      assert.equal(await table.insert([entry(3, 1, 'facts')], 1), 'fenced', 'behind none');
      assert.equal((await table.read(0, 10)).length, 1);
      const racing = [table.insert([entry(2, 2, 'term')], 1), other.insert([entry(2, 2, 'term')], 1)];
      assert.deepEqual((await Promise.all(racing)).sort(), ['confirmed', 'taken']);
      assert.equal(await table.insert([entry(2, 1, 'facts')], 1), 'taken');
      assert.equal(await table.insert([entry(3, 1, 'facts')], 1), 'fenced');
      assert.equal(await table.beat(1, 1, 1), false);
      assert.equal(await other.beat(2, 2, 2), true);
    });

    test('a term that begins behind a silent leader does not begin when he beats meanwhile', async () => {
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
    });

    test('a beat tells that the newest entry is confirmed, and counts', async () => {
      const nothing = { entries: [], termAt: undefined, begin: undefined };
      assert.deepEqual(await other.look(1, 5), { ...nothing, term: 0, confirmed: 0, beats: 0 });
      const begin = entry(1, 7, 'term');
      await table.insert([begin], 0);
      assert.equal(await table.beat(7, 1, 0), true);
      const first = await other.look(1, 5);
      assert.deepEqual(first, { ...nothing, term: 7, termAt: 7, confirmed: 0, beats: first.beats });
      assert.equal(await table.beat(7, 2, 1), false, 'there is no entry 2');
      assert.equal(await table.beat(7, 1, 1), true);
      const second = await other.look(1, 5);
      assert.deepEqual(second, { ...first, confirmed: 1, beats: second.beats });
      assert.ok(first.beats > 0 && second.beats > first.beats);
      assert.deepEqual((await other.look(0, 5)).entries, [begin]);
    });

    test('without synchronous replication nothing is inserted', async () => {
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

    for (const how of ['cancel', 'terminate'] as const) {
      test(`what waits for the quorum holds its place, and is there when an administrator ends its wait: ${how}`, async () => {
        await table.insert([entry(1, 1, 'term')], 0);
        await database.hold(true);
        const mine = entry(2, 1, 'facts');
        const ends: unknown[] = [];
        const note = (end: unknown) => void ends.push(end);
        const inserting = table.insert([mine], 1).then(note, note);
        await eventually('it waits', async () => (await database.waiting()) === 1);
        const racing = other.insert([entry(2, 2, 'term')], 1);
        const rival = racing.catch((error: unknown) => error);
        rival.then(note, note);
        await eventually('its rival waits', async () => (await database.waiting()) === 2);
        assert.equal(ends.length, 0);
        await database.endWaits(how);
        await inserting;
        assert.ok(ends.some((end) => ClusterError.is(end, 'unknown')));
        await database.hold(false);
        const end: unknown = await rival;
        assert.ok(end === 'taken' || ClusterError.is(end, 'unknown'), String(end));
        assert.equal(await table.insert([mine], 1), 'taken');
        const [there] = await other.read(1, 10);
        assert.deepEqual(there?.bytes, mine.bytes);
        assert.equal(await table.beat(1, 2, 2), true);
      });
    }
  });
}

export function entry(number: number, term: number, kind: Entry['kind'], size = 100): Entry {
  return { number, term, kind, confirmed: number - 1, bytes: randomBytes(size) };
}
