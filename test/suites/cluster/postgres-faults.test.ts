/**
 * Faults of PostgreSQL and of the network between it and the nodes, over three real servers. Three nodes that do nothing
 * but follow and lead (`log-node.ts`) are under load all the time; after each fault, what was confirmed is there, once, in
 * order, for every follower.
 */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SCHEMA } from '../../../src/cluster/postgres/postgres-table.ts';
import { eventually } from '../../support/eventually.ts';
import { PostgresRig, whyNoRig } from '../../support/postgres-rig.ts';
import { LogCluster } from './log-node.ts';

const NAMES = `'ANY 1 (s1, s2, s3)'`;
/** Longer than it takes until a leader without a quorum ends. */
const WITHOUT_LEASE_MS = 2_500;

describe('the log survives', { skip: (await whyNoRig()) ?? false }, () => {
  let rig: PostgresRig;
  let cluster: LogCluster;
  before(async () => {
    rig = await PostgresRig.start();
    await rig.ask(0, SCHEMA);
    cluster = await LogCluster.start(rig);
    await cluster.more();
  });
  after(async () => {
    await cluster?.close();
    await rig?.close();
  });

  const faults: readonly Fault[] = [
    {
      name: 'a wait for the quorum that an administrator cancels, and one whose connection he ends',
      run: async () => {
        for (const how of ['cancel', 'terminate']) {
          const primary = await rig.primary();
          const held = await rig.hold(primary);
          try {
            await eventually('somebody waits for the quorum', async () => (await waiting(primary)) > 0);
            const told = cluster.told.length;
            await rig.ask(
              primary,
              `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
            );
            await delay(300);
            assert.equal(cluster.told.length, told, 'nobody hears of what no other server has');
          } finally {
            held.release();
          }
          await cluster.more();
          await cluster.expectKept();
        }
      },
    },
    {
      name: 'a reply that gets lost',
      run: async () => {
        const leader = await cluster.leader();
        const ends = leader.ends.length;
        for (const wire of leader.wires) wire.swallow('insert-');
        await eventually('its lease ends', () => leader.ends.length > ends);
        await cluster.more();
      },
    },
    {
      name: 'a leader that dies',
      run: async (t) => {
        const leader = await cluster.leader();
        leader.kill();
        const killedAtMs = performance.now();
        t.diagnostic(`a fact is confirmed again after ${since(killedAtMs, await cluster.more())} s`);
      },
    },
    {
      name: 'a leader that hands over, with two that race for its place',
      run: async (t) => {
        const leader = await cluster.leader();
        await leader.now.writer?.append('end', Buffer.alloc(0));
        const endedAtMs = performance.now();
        leader.kill();
        t.diagnostic(`a fact is confirmed again after ${since(endedAtMs, await cluster.more())} s`);
        const terms = (await cluster.leader()).now.writer;
        await cluster.more();
        assert.equal((await cluster.leader()).now.writer, terms, 'who has lost the race does not try again');
      },
    },
    {
      name: 'the loss of the primary: a standby takes its place',
      run: async (t) => {
        const old = await rig.primary();
        await rig.kill(old);
        await delay(WITHOUT_LEASE_MS);
        const promotedAtMs = performance.now();
        const primary = await rig.promote();
        t.diagnostic(
          `a fact is confirmed ${since(promotedAtMs, await cluster.more())} s after the promotion`,
        );
        await rig.rejoin(old, primary);
      },
    },
    {
      name: 'one replica that stops: nobody notices; then the other one: nobody answers, until one is back',
      run: async () => {
        const [one = 0, other = 0] = await standbys();
        const { now } = await cluster.leader();
        await rig.kill(one);
        await cluster.more(100);
        assert.equal((await cluster.leader()).now, now);
        await rig.kill(other);
        await eventually('nobody leads', () => cluster.nodes.every(({ now }) => !now.leads));
        const told = cluster.told.length;
        await delay(WITHOUT_LEASE_MS);
        assert.equal(cluster.told.length, told);
        await rig.startServer(one);
        await cluster.more();
        await rig.startServer(other);
      },
    },
    {
      name: 'a primary that starts again with a row that no other server has: nobody takes it before another has it',
      run: async () => {
        const primary = await rig.primary();
        const [one = 0, other = 0] = await standbys();
        await Promise.all([rig.kill(one), rig.kill(other)]);
        await eventually('somebody waits for the quorum', async () => (await waiting(primary)) > 0);
        await rig.kill(primary);
        await rig.startServer(primary);
        const [row] = await rig.ask(primary, 'SELECT max(entry)::int AS newest FROM purser_log');
        await delay(WITHOUT_LEASE_MS);
        for (const { name, taken } of cluster.nodes)
          assert.ok(
            (taken.at(-1)?.number ?? 0) < Number(row?.newest),
            `node ${name} has taken what isn't safe`,
          );
        await rig.startServer(one);
        await cluster.more();
        await rig.startServer(other);
      },
    },
    {
      name: 'standby names that somebody empties: nothing is written while they are',
      run: async () => {
        const primary = await rig.primary();
        await setNames(primary, `''`);
        await delay(200);
        const told = cluster.told.length;
        await delay(WITHOUT_LEASE_MS);
        assert.equal(cluster.told.length, told);
        await setNames(primary, NAMES);
        await cluster.more();
      },
    },
    {
      name: 'an insert that arrives when another node leads',
      run: async () => {
        const leader = await cluster.leader();
        const { now } = leader;
        leader.cutOff(true);
        await eventually('another one leads', async () => (await cluster.leader()) !== leader);
        await cluster.more();
        leader.cutOff(false);
        await cluster.more();
        assert.ok(now.end !== undefined);
      },
    },
    {
      name: 'a primary that is cut off together with the leader',
      run: async (t) => {
        const primary = await rig.primary();
        const leader = await cluster.leader();
        const held = await rig.hold(primary);
        for (const node of cluster.nodes) {
          for (const index of rig.servers.keys())
            if ((node === leader) !== (index === primary)) node.cutOff(true, index);
        }
        await eventually('nobody leads', () => cluster.nodes.every(({ now }) => !now.leads));
        const told = cluster.told.length;
        const promotedAtMs = performance.now();
        const promoted = await rig.promote();
        t.diagnostic(
          `a fact is confirmed ${since(promotedAtMs, await cluster.more())} s after the promotion`,
        );
        assert.ok(cluster.told.length > told && (await cluster.leader()) !== leader);
        held.release();
        for (const node of cluster.nodes) node.cutOff(false);
        await cluster.more();
        await rig.rejoin(primary, promoted);
      },
    },
  ];

  for (const { name, run } of faults) {
    test(name, async (t) => {
      await run(t);
      await cluster.expectKept();
    });
  }

  // The last one: nothing is left to go on with.
  test('a stale standby in the place of the primary: whoever has more goes no further', async () => {
    const primary = await rig.primary();
    const [stale = 0, other = 0] = await standbys();
    await rig.kill(stale);
    await cluster.more();
    await cluster.expectKept();
    const { followers } = cluster;
    await Promise.all([rig.kill(primary), rig.kill(other)]);
    await rig.startServer(stale);
    assert.equal(await rig.promote(), stale);
    // What the leader has written is not in its folder here.
    for (const node of followers) {
      await eventually(`node ${node.name} refuses`, () => node.lost !== undefined);
      assert.match(node.lost?.message ?? '', /^PostgreSQL has lost entries of the log/);
    }
  });

  async function standbys(): Promise<number[]> {
    const primary = await rig.primary();
    return [...rig.servers.keys()].filter((index) => index !== primary);
  }

  async function waiting(primary: number): Promise<number> {
    const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    return Number((await rig.ask(primary, text))[0]?.waiting);
  }

  async function setNames(primary: number, names: string): Promise<void> {
    await rig.ask(primary, `ALTER SYSTEM SET synchronous_standby_names = ${names}`);
    await rig.ask(primary, 'SELECT pg_reload_conf()');
  }
});

interface Fault {
  readonly name: string;
  readonly run: (t: TestContext) => Promise<void>;
}

function since(fromMs: number, toMs: number): string {
  return ((toMs - fromMs) / 1_000).toFixed(2);
}
