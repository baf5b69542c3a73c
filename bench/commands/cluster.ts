/**
 * `npm run bench -- cluster`: what a log in PostgreSQL costs on this machine. Embedded and replicated take turns, window
 * by window (`alternate.ts`), at each number of connections, and then at half of what the replicated one reached. Beside
 * it: what a commit costs alone, and how far the follower lies behind under load.
 *
 * All of it shares this machine: three servers of PostgreSQL, the leader, its follower, and the load.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresTable } from '../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../src/cluster/postgres/postgres-url.ts';
import { ClusterShop } from '../../test/support/nodes/cluster-shop.ts';
import { PostgresRig, whyNoRig } from '../../test/support/servers/postgres-rig.ts';
import { median } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import { type AlternateEnvironment, type AlternateFlags, runAlternate } from './alternate.ts';
import { BadFlagError, list, mostConnections, wholeNumber } from './contention-options.ts';

export interface ClusterFlags {
  readonly connections?: string;
  readonly seconds?: string;
  readonly rounds?: string;
}

const SIZES = [100, 8 * 1024, 32 * 1024];
const COMMIT_MS = 2_000;
const LAG_EVERY_MS = 500;
const LEADER = 'a';
const FOLLOWER = 'b';

/** Resolves true when every acknowledged purchase held. Throws `BadFlagError` with a sentence for the user. */
export async function runCluster(flags: ClusterFlags, environment: AlternateEnvironment): Promise<boolean> {
  const connections = list(flags.connections ?? '1,64,256').map((text) =>
    wholeNumber('--connections', text, 1, mostConnections),
  );
  const missing = await whyNoRig();
  if (missing !== undefined) throw new BadFlagError(missing);
  const rig = await PostgresRig.start();
  try {
    const results: Result[] = [];
    for (const count of connections) {
      environment.print(`${count} connections: the first is embedded, the second replicated`);
      const windows = { scenario: 'uniform', connections: String(count), ...flags };
      results.push(await compare(`full-${count}`, windows, environment, rig));
    }
    const rate = String(Math.max(1, Math.round((results.at(-1)?.perSecond ?? 0) / 2)));
    environment.print('half of what the replicated one has just reached');
    const half = { scenario: 'open-loop', connections: String(connections.at(-1)), rate, ...flags };
    results.push(await compare('half', half, environment, rig));
    // Its log, which all windows have filled, is not of interest any more.
    environment.print(`an insert alone, one at a time\n${await commitsAlone(rig)}`);
    return results.every(({ isSound }) => isSound);
  } finally {
    await rig.close();
  }
}

interface Result {
  readonly isSound: boolean;
  /** Purchases a second of the replicated node. */
  readonly perSecond: number;
}

/** With a cluster of its own: a log begins with one folder. */
async function compare(
  name: string,
  { seconds = '2', rounds = '5', ...windows }: AlternateFlags,
  { start, folder, print }: AlternateEnvironment,
  rig: PostgresRig,
): Promise<Result> {
  const place = join(folder, name);
  mkdirSync(place);
  await rig.ask(
    await rig.primary(),
    'DROP TABLE IF EXISTS purser_log, purser_beat, purser_node, purser_file, purser_base, purser_cluster CASCADE',
  );
  const shop = new ClusterShop({ folder: place, url: rig.url });
  const lags: number[] = [];
  const stopping = new AbortController();
  try {
    await shop.start(LEADER, true);
    await shop.stop(LEADER);
    await shop.init(LEADER);
    const leader = await shop.start(LEADER);
    await shop.join(FOLLOWER);
    await shop.start(FOLLOWER);
    await shop.leader();
    const watching = watchLag(shop, lags, stopping.signal);
    let started = 0;
    const own = {
      folder: place,
      print,
      start: async (options: Parameters<typeof start>[0]) => {
        started += 1;
        return started % 2 === 1 ? await start(options) : leader;
      },
    };
    const report = join(place, 'report');
    const isSound = await runAlternate({ ...windows, nodes: 'uws,uws', seconds, rounds, report }, own);
    stopping.abort();
    await watching;
    print(`the follower lies behind by ${spreadOf(lags)} ms`);
    return { isSound, perSecond: medianRate(join(report, '2.json')) };
  } finally {
    stopping.abort();
    await shop.close();
  }
}

/** How long it takes until the follower has what the leader has. */
async function watchLag(shop: ClusterShop, lags: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(LAG_EVERY_MS);
    try {
      const { position } = await shop.statusOf(LEADER);
      const fromMs = performance.now();
      while ((await shop.statusOf(FOLLOWER)).position < position && !signal.aborted) await delay(5);
      if (!signal.aborted) lags.push(performance.now() - fromMs);
    } catch {
      // A node has ended with its last window.
    }
  }
}

async function commitsAlone(rig: PostgresRig): Promise<string> {
  const table = new PostgresTable({ url: parseLogUrl(rig.url), password: undefined, node: 'bench' });
  const rows: string[][] = [];
  try {
    const ends = await table.read(0, 1_000_000);
    let { number, term } = ends.at(-1) ?? { number: 0, term: 1 };
    for (const size of SIZES) {
      const bytes = randomBytes(size);
      const tookMs: number[] = [];
      const untilMs = performance.now() + COMMIT_MS;
      while (performance.now() < untilMs) {
        const fromMs = performance.now();
        const entry = { number: number + 1, term, kind: 'facts', confirmed: number, bytes } as const;
        const inserted = await table.insert([entry], term);
        if (inserted !== 'confirmed') throw new Error(`an insert was ${inserted}`);
        tookMs.push(performance.now() - fromMs);
        number += 1;
      }
      rows.push([
        `${size} bytes`,
        median(tookMs).toFixed(2),
        String(Math.round((tookMs.length * 1_000) / COMMIT_MS)),
      ]);
    }
  } finally {
    await table.close();
  }
  return textTable(['', 'p50 ms', 'per second'], rows);
}

function medianRate(file: string): number {
  const { windows } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly windows: readonly { readonly purchasesPerSecond: number }[];
  };
  return Math.round(median(windows.map(({ purchasesPerSecond }) => purchasesPerSecond)));
}

function spreadOf(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
  return `${at(0.5)} (p95 ${at(0.95)}, worst ${at(1)}; ${sorted.length} looks)`;
}
