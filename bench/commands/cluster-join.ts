/**
 * `npm run bench -- cluster-join`: a shop with many orders becomes a cluster, its log is trimmed, and nodes join it: how
 * long each takes, and what memory the nodes need. Once nobody buys, then while buyers buy at a fixed rate; there a node
 * that was away catches up, too.
 *
 * All of it shares this machine: three servers of PostgreSQL, the nodes, and the load. Every acknowledged purchase is
 * compared with what the leader says at the end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { ClusterShop } from '../../test/support/nodes/cluster-shop.ts';
import { PostgresRig, whyNoRig } from '../../test/support/servers/postgres-rig.ts';
import { fill } from '../history/fill.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { anonymousBytes } from '../measure/process-memory.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { catalog } from '../shop/world.ts';
import { BadFlagError, mostOrders, wholeNumber } from './contention-options.ts';

export interface ClusterJoinFlags {
  readonly orders?: string;
}

export interface ClusterJoinEnvironment {
  readonly folder: string;
  readonly print: (text: string) => void;
  readonly progress: (line: string) => void;
}

const CONNECTIONS = 64;
const LOAD_PER_SECOND = 1_000;
/** Stock for the load; it ends earlier. */
const LOAD_SECONDS = 900;
const TRIM_MS = 600_000;
/** The time in which the joining node gets past what was bought during the join. */
const CATCH_UP_MS = 600_000;
const AWAY_MS = 30_000;
/** Older than what a trim keeps. */
const LONG_AGO = `now() - interval '8 days'`;

/** Resolves true when every acknowledged purchase held. Throws `BadFlagError` with a sentence for the user. */
export async function runClusterJoin(
  { orders: given = '1000000' }: ClusterJoinFlags,
  { folder, print, progress }: ClusterJoinEnvironment,
): Promise<boolean> {
  const orders = wholeNumber('--orders', given, 1, mostOrders);
  const missing = await whyNoRig();
  if (missing !== undefined) throw new BadFlagError(missing);
  const violations = new Violations();
  const generator = LoadGenerator.start(1);
  const buyers = LoadGenerator.start(1);
  const rig = await PostgresRig.start();
  const shop = new ClusterShop({ folder, url: rig.url });
  const memory = async (what: string, node: string) => {
    const bytes = await anonymousBytes(shop.running.get(node)?.pid ?? 0);
    print(
      `${what}: ${bytes === undefined ? 'not known' : Math.round(bytes / 1024 ** 2)} MiB of its own (RssAnon)`,
    );
  };
  const timed = async (what: string, act: () => Promise<unknown>) => {
    const fromMs = performance.now();
    await act();
    print(`${what}: ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`);
  };
  const catchUp = async (node: string) => {
    await timed(`  node ${node}, from its start until it has all facts`, async () => {
      await shop.start(node);
      await shop.level(CATCH_UP_MS);
    });
  };
  const grow = async (node: string) => {
    await timed(`  purser cluster join of node ${node}`, () => shop.join(node));
    await catchUp(node);
  };
  try {
    const stage = await Stage.open(await shop.start('a', true), generator, { seed: 1, violations });
    await fill(stage, { progress }, { orders, connections: CONNECTIONS });
    await shop.stop('a');
    print(`${stage.audit.orders} orders; nobody buys`);
    await timed('  purser cluster init', () => shop.init('a'));
    await timed('  node a, from its start until it leads', async () => {
      stage.moveTo(await shop.start('a'));
      await shop.leader();
    });
    await grow('b');
    await memory('  the leader', 'a');
    await memory('  its follower', 'b');

    await stage.stockUp(catalog, LOAD_PER_SECOND * LOAD_SECONDS);
    const plan = {
      name: 'buyers',
      connections: CONNECTIONS,
      products: catalog,
      choice: 'random',
      copies: 1,
    } as const;
    const lane = { ...plan, accounts: stage.world.customers, perSecond: LOAD_PER_SECOND };
    const span = { kind: 'timed', warmupMs: 1_000, measureMs: LOAD_SECONDS * 1_000 } as const;
    const load = await stage.begin('open-loop', { lanes: [{ plan: lane, refusals: [] }], span }, buyers);
    print(`${LOAD_PER_SECOND} purchases a second`);
    await rig.ask(await rig.primary(), `UPDATE purser_log SET at = ${LONG_AGO}`);
    await timed('  purser cluster trim', () => trimmed(shop, print));
    await grow('c');
    await shop.stop('b');
    await delay(AWAY_MS);
    print(`  node b was away for ${AWAY_MS / 1_000} s`);
    await catchUp('b');
    const [buying] = (await load.end()).load.lanes;
    const [p50 = 0, p99 = 0] = [50, 99].map((share) => buying?.latency.getValueAtPercentile(share));
    print(`  purchases meanwhile: p50 ${(p50 / 1_000).toFixed(1)} ms, p99 ${(p99 / 1_000).toFixed(1)} ms`);
    await memory('  the leader', 'a');
    await memory('  a follower', 'b');
    await stage.compare();
  } finally {
    await shop.close();
    await Promise.all([generator.stop(), buyers.stop(), rig.close()]);
  }
  print(`check: ${violations.count} violations\n${violations.lines().join('\n')}`);
  return violations.count === 0;
}

/** The call answers before a trim that takes long has ended: then it is asked again. */
async function trimmed(shop: ClusterShop, print: (text: string) => void): Promise<void> {
  const isDone = async () => {
    const { body } = await shop.operator('b').json('POST', '/cluster/trim', {});
    const { removed } = { ...body } as { readonly removed?: number };
    if (removed === undefined) return false;
    print(`  ${removed} entries removed`);
    return true;
  };
  await eventually('the log is trimmed', isDone, TRIM_MS);
}
