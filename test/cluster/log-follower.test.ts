/**
 * How a node follows the log and begins to lead it, and how a leader's hand lets go of it, over the simulated log. Faults at
 * random are cluster-model.test.ts's.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ClusterError } from '../../src/cluster/cluster-error.ts';
import { beginningOf, LogFollower, type LogFollowerOptions } from '../../src/cluster/log-follower.ts';
import { LogWriter } from '../../src/cluster/log-writer.ts';
import type { Entry } from '../../src/cluster/shared-table.ts';
import { Lease } from '../../src/threads/lease.ts';
import { SimulatedTime } from './simulated-node.ts';
import { SimulatedDatabase } from './simulated-table.ts';

const A = { node: 'a', url: 'http://a.test' };
const B = { node: 'b', url: 'http://b.test' };
/** Longer than the silence in which somebody else may lead. */
const SILENCE_MS = 10_000;

const entry = (
  number: number,
  kind: Entry['kind'],
  bytes: Buffer = Buffer.from(`entry ${number}`),
): Entry => {
  return { number, term: 1, kind, confirmed: number - 1, bytes };
};

describe('a node that follows', () => {
  let database: SimulatedDatabase;
  let nowMs: number;
  /** How many entries were taken together. */
  let taken: number[];

  beforeEach(() => {
    database = new SimulatedDatabase();
    [nowMs, taken] = [0, []];
  });

  const follow = (options: Partial<LogFollowerOptions> = {}) =>
    new LogFollower({
      table: database.open(),
      from: { entry: 0, term: 0 },
      take: (entries) => void taken.push(entries.length),
      clock: { nowMs: () => nowMs, later: () => () => {} },
      ...options,
    });

  /** Node a begins to lead an empty log, and writes facts. */
  async function write(facts: number): Promise<void> {
    const table = database.open();
    const { beats } = await table.look(0, 1);
    await table.insert([entry(1, 'term', beginningOf(A))], 0, beats);
    for (let number = 2; number < 2 + facts; number += 1) await table.insert([entry(number, 'facts')], 1);
    await table.beat(1, 1 + facts, 1 + facts);
  }

  test('reads on while there is more, and no further than what is confirmed', async () => {
    await write(100);
    const follower = follow();
    while (await follower.step());
    assert.deepEqual(taken, [64, 37]);
    assert.deepEqual(follower.place, { entry: 101, term: 1 });
    database.isHolding = true;
    const open = Array.from({ length: 64 }, (_, at) => ({ ...entry(102 + at, 'facts'), confirmed: 101 }));
    const inserting = database.open().insert(open, 1);
    assert.equal(
      await follower.step(),
      false,
      'a full look of which nothing is confirmed is no reason to hurry',
    );
    assert.deepEqual(taken, [64, 37]);
    database.confirmAll();
    await inserting;
  });

  test('asks for less when so much cannot be read in time', async () => {
    await write(100);
    const table = database.open();
    const asked: number[] = [];
    const look = table.look.bind(table);
    table.look = (after, limit) => {
      asked.push(limit);
      return limit > 16
        ? Promise.reject(new ClusterError('no answer within 2 s', 'unreachable'))
        : look(after, limit);
    };
    const signal = new AbortController();
    const later = (run: () => void) => {
      setImmediate(run);
      return () => {};
    };
    const clock = { nowMs: () => nowMs, later };
    await follow({ table, take: () => signal.abort(), clock }).follow(signal.signal);
    assert.deepEqual(asked, [64, 32, 16]);
  });

  test('does not lead a log that ends before its folder does', async () => {
    await write(2);
    const seen: (string | undefined)[] = [];
    const compare = (newest: Buffer | undefined) => {
      seen.push(newest?.toString());
      throw new ClusterError('the folder has more', 'lost');
    };
    const follower = follow({ compare, from: { entry: 3, term: 1 } });
    await follower.step();
    nowMs = SILENCE_MS;
    await assert.rejects(follower.lead(B), { name: 'ClusterError', reason: 'lost' });
    assert.deepEqual(seen, ['entry 3']);
    assert.equal(database.entries.length, 3, 'nothing was written');
  });
});

test('a writer that is closed gives up what can be neither confirmed nor refused, and asks no more', async () => {
  const database = new SimulatedDatabase();
  const time = new SimulatedTime(() => {});
  const clock = { nowMs: () => time.nowMs, later: time.later.bind(time) };
  const table = database.open();
  await table.insert([entry(1, 'term')], 0);
  const onFenced = () => assert.fail('whoever has closed it knows');
  const writer = new LogWriter({ table, term: 1, begin: 1, lease: new Lease(), clock, onFenced });
  let asked = 0;
  const reach = database.reach.bind(database);
  database.reach = (node) => {
    asked += 1;
    reach(node);
  };
  database.cut(table.node, true);
  const ends = Promise.allSettled(
    ['under way', 'waiting'].map((text) => writer.append('facts', Buffer.from(text))),
  );
  await time.pass(500);
  assert.ok(asked > 1, 'it tries again and again');
  writer.close();
  await time.pass(500);
  const before = asked;
  await time.pass(10_000);
  assert.equal(asked, before);
  for (const end of await ends) assert.ok(end.status === 'rejected' && ClusterError.is(end.reason, 'fenced'));
  await assert.rejects(writer.append('facts', Buffer.from('late')), {
    name: 'ClusterError',
    reason: 'fenced',
  });
});
