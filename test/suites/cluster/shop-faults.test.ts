/**
 * Faults of nodes, of PostgreSQL, and of the network between them, over three real servers, while a shop of three nodes
 * sells: leaders are killed, or stand still and go on; servers are lost, cut off, promoted. Everything that was
 * acknowledged is there, once; receivers hear of every order, under one id; and all folders say the same. Faults of
 * single commits are shared-table-contract.ts's.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { stopProcess } from '../../support/nodes/stopped-process.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { type PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { NODES, ShopUnderFire } from './shop-under-fire.ts';
import { TcpProxy } from './tcp-proxy.ts';

const KILLS = roundsOr(3);
const OLDER = 100;
/** Longer than it takes until a leader without a quorum ends, and another one would lead. */
const WITHOUT_LEASE_MS = 5_000;

describe('a shop of three nodes survives', { skip: (await whyNoRig()) ?? false }, () => {
  const random = randomFromEnvironment();
  /** The proxies of each node, one to each server. */
  const wires = new Map<string, readonly TcpProxy[]>();
  let shop: ShopUnderFire;
  let rig: PostgresRig;
  before(async () => {
    const layWires = async ({ servers }: PostgresRig) => {
      for (const node of NODES)
        wires.set(node, await Promise.all(servers.map(({ port }) => TcpProxy.start(port))));
    };
    const urlOf = (started: PostgresRig, node: string) =>
      started.urlOf(wires.get(node)?.map(({ port }) => port));
    shop = await ShopUnderFire.open(random, layWires, urlOf);
    rig = shop.rig;
  });
  after(async () => {
    await shop?.close();
    await Promise.all([...wires.values()].flat().map((wire) => wire.close()));
  });

  /** Hurts the servers under load until the leader ends by itself, mends them, and has the leader start again. */
  async function underLoad(
    hurt: (leader: string) => Promise<void>,
    mend: () => Promise<unknown>,
  ): Promise<void> {
    const young = await shop.underLoad(async (leader) => {
      const { exited, output } = await shop.nodes.letEnd(leader);
      await hurt(leader);
      assert.equal((await exited).code, 1, output());
      await mend();
      await shop.nodes.start(leader);
    });
    await shop.audit(young);
    await shop.auditEvents();
  }

  test(`${KILLS} leaders are killed under load`, async (t) => {
    t.diagnostic(`seed ${random.seed}`);
    const tookMs: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      let killed = '';
      const known = shop.ledger.attempts.length;
      const young = await shop.underLoad(async (leader) => {
        killed = leader;
        await shop.nodes.kill(leader);
      });
      tookMs.push(await shop.untilSold());
      await shop.audit([...young, ...random.sample(shop.ledger.attempts.slice(0, known), OLDER)]);
      await shop.nodes.start(killed);
    }
    await shop.auditEvents();
    const seconds = tookMs.map((ms) => (ms / 1_000).toFixed(1)).sort();
    t.diagnostic(`until somebody sold again, in seconds: ${seconds.join(', ')}`);
  });

  test('a leader that stands still until another one sells answers nothing afterwards', async () => {
    let still = '';
    const young = await shop.underLoad(async (leader) => {
      still = leader;
      const { pid, exited } = await shop.nodes.letEnd(leader);
      await stopProcess(pid);
      await shop.untilSold();
      process.kill(pid, 'SIGCONT');
      const { code } = await exited;
      assert.ok(code !== 0 && code !== null, `it ended by itself with ${code}`);
    });
    await shop.audit(young);
    await shop.nodes.start(still);
    await shop.auditEvents();
  });

  test('the loss of the primary: a standby takes its place', async () => {
    const primary = await rig.primary();
    await underLoad(
      () => rig.kill(primary),
      async () => {
        const promoted = await rig.promote();
        await shop.untilSold();
        await rig.rejoin(primary, promoted);
      },
    );
  });

  test('the loss of one replica, which nobody notices, and of the other: nobody answers, until one is back', async () => {
    const { one, other } = await servers();
    await rig.kill(one);
    await shop.untilSold();
    await underLoad(
      () => rig.kill(other),
      async () => {
        let hasSold = false;
        const selling = shop.untilSold().then(() => {
          hasSold = true;
        });
        await delay(WITHOUT_LEASE_MS);
        assert.ok(!hasSold);
        await rig.startServer(one);
        await selling;
        await rig.startServer(other);
      },
    );
  });

  test('a primary that starts again with what no other server has, and is lost with it: nobody has taken it', async () => {
    const { primary, one, other } = await servers();
    // One has more than the other from here on, and is to take the primary's place.
    await rig.kill(other);
    await shop.untilSold();
    await underLoad(
      async () => {
        await rig.kill(one);
        await eventually('somebody waits for the quorum', async () => {
          const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
          return Number((await rig.ask(primary, text))[0]?.waiting) > 0;
        });
        await rig.kill(primary);
        await rig.startServer(primary);
      },
      async () => {
        await delay(WITHOUT_LEASE_MS);
        await rig.kill(primary);
        await Promise.all([rig.startServer(one), rig.startServer(other)]);
        assert.equal(await rig.promote(), one);
        await shop.untilSold();
        await rig.rejoin(primary, one);
      },
    );
  });

  test('a primary that is cut off together with the leader', async () => {
    const { primary } = await servers();
    let held: { release(): void } | undefined;
    await underLoad(
      async (leader) => {
        held = await rig.hold(primary);
        for (const [node, all] of wires) {
          for (const [index, wire] of all.entries()) wire.isDark = (node === leader) !== (index === primary);
        }
      },
      async () => {
        const promoted = await rig.promote();
        await shop.untilSold();
        held?.release();
        for (const wire of [...wires.values()].flat()) wire.isDark = false;
        await shop.untilSold();
        await rig.rejoin(primary, promoted);
      },
    );
  });

  test('all that, and all folders have the same state, and are what the log says', async (t) => {
    await shop.audit();
    t.diagnostic(await shop.nodes.verify());
    for (const node of NODES) await shop.nodes.start(node);
  });

  // The last one: nothing is left to go on with.
  test('not a stale standby in the place of the primary: whoever has more goes no further', async () => {
    const { primary, one: stale, other } = await servers();
    await rig.kill(stale);
    await shop.untilSold();
    await shop.nodes.level();
    const leader = await shop.nodes.leader();
    const nodes = await Promise.all(NODES.map((node) => shop.nodes.letEnd(node)));
    await Promise.all([rig.kill(primary), rig.kill(other)]);
    await rig.startServer(stale);
    assert.equal(await rig.promote(), stale);
    // What the leader has written is in its folder, too, but it may end before it finds that out.
    for (const [index, { output }] of nodes.entries()) {
      if (NODES[index] === leader) continue;
      await eventually('it refuses', () => /PostgreSQL has lost entries of the log/.test(output()));
    }
  });

  async function servers(): Promise<{ primary: number; one: number; other: number }> {
    const primary = await rig.primary();
    const [one = 0, other = 0] = [...rig.servers.keys()].filter((index) => index !== primary);
    return { primary, one, other };
  }
});
