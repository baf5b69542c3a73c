/**
 * `npm run bench -- cluster-memory`: what memory the nodes of a cluster take while buyers buy at a fixed, low rate for a
 * long time. Two shops at once, each with a database of its own on the same three servers of PostgreSQL: in one a node
 * follows all the time, in the other the follower is stopped, and comes back at the end.
 *
 * Memory of its own (RssAnon) is looked at every few seconds. Every acknowledged purchase is compared with what the leader
 * says at the end.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterShop } from '../../test/support/nodes/cluster-shop.ts';
import { PostgresRig, whyNoRig } from '../../test/support/servers/postgres-rig.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { anonymousBytes } from '../measure/process-memory.ts';
import { textTable } from '../measure/text-table.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { catalog } from '../shop/world.ts';
import { BadFlagError, wholeNumber } from './contention-options.ts';

export interface ClusterMemoryFlags {
  readonly minutes?: string;
  readonly rate?: string;
}

export interface ClusterMemoryEnvironment {
  readonly folder: string;
  readonly print: (text: string) => void;
  readonly progress: (line: string) => void;
}

const CONNECTIONS = 16;
const LOOK_MS = 5_000;
const ROWS = 12;
const CATCH_UP_MS = 600_000;
const MOST_MINUTES = 24 * 60;
const MOST_PER_SECOND = 10_000;

/** Resolves true when every acknowledged purchase held. Throws `BadFlagError` with a sentence for the user. */
export async function runClusterMemory(
  { minutes: givenMinutes = '60', rate: givenRate = '100' }: ClusterMemoryFlags,
  { folder, print, progress }: ClusterMemoryEnvironment,
): Promise<boolean> {
  const minutes = wholeNumber('--minutes', givenMinutes, 1, MOST_MINUTES);
  const rate = wholeNumber('--rate', givenRate, 1, MOST_PER_SECOND);
  const missing = await whyNoRig();
  if (missing !== undefined) throw new BadFlagError(missing);
  const rig = await PostgresRig.start();
  const shops: LoadedShop[] = [];
  try {
    for (const name of ['followed', 'alone']) {
      await rig.ask(await rig.primary(), `CREATE DATABASE ${name}`);
      shops.push(await LoadedShop.open(join(folder, name), rig.urlOf(undefined, name), rate, minutes));
    }
    const [followed, alone] = shops;
    if (followed === undefined || alone === undefined) throw new Error('two shops');
    await alone.nodes.stop('b');
    const looks = {
      'leader with a follower': () => followed.memoryOf('a'),
      'its follower': () => followed.memoryOf('b'),
      'leader whose follower is gone': () => alone.memoryOf('a'),
    };
    print(`${rate} purchases a second in each shop; MiB of its own (RssAnon)`);
    print(await overTime(minutes, looks, progress));
    const fromMs = performance.now();
    await alone.nodes.start('b');
    await alone.nodes.level(CATCH_UP_MS);
    const tookSeconds = (performance.now() - fromMs) / 1_000;
    print(
      `the follower that was gone has all facts ${tookSeconds.toFixed(1)} s after its start; it takes ${await alone.memoryOf('b')}, the leader ${await alone.memoryOf('a')}`,
    );
    const counts: number[] = [];
    for (const shop of shops) counts.push(await shop.violations());
    const sum = counts.reduce((one, other) => one + other, 0);
    print(`check: ${sum} violations`);
    return sum === 0;
  } finally {
    for (const shop of shops) await shop.close();
    await rig.close();
  }
}

/** A shop of two nodes; buyers buy of `a` from `open` on. */
class LoadedShop {
  readonly nodes: ClusterShop;
  readonly #setUp = LoadGenerator.start(1);
  readonly #buyers = LoadGenerator.start(1);
  readonly #violations = new Violations();
  #finish: () => Promise<unknown> = async () => undefined;

  private constructor(nodes: ClusterShop) {
    this.nodes = nodes;
  }

  static async open(folder: string, url: string, perSecond: number, minutes: number): Promise<LoadedShop> {
    mkdirSync(folder);
    const shop = new LoadedShop(new ClusterShop({ folder, url }));
    try {
      await shop.#open(perSecond, minutes);
    } catch (error) {
      await shop.close();
      throw error;
    }
    return shop;
  }

  async memoryOf(node: string): Promise<string> {
    const bytes = await anonymousBytes(this.nodes.running.get(node)?.pid ?? 0);
    return bytes === undefined ? '' : String(Math.round(bytes / 1024 ** 2));
  }

  /** Ends the load, and compares. */
  async violations(): Promise<number> {
    await this.#finish();
    return this.#violations.count;
  }

  async close(): Promise<void> {
    await this.nodes.close();
    await Promise.all([this.#setUp.stop(), this.#buyers.stop()]);
  }

  async #open(perSecond: number, minutes: number): Promise<void> {
    const { nodes } = this;
    const options = { seed: 1, violations: this.#violations };
    const stage = await Stage.open(await nodes.start('a', true), this.#setUp, options);
    await nodes.stop('a');
    await nodes.init('a');
    stage.moveTo(await nodes.start('a'));
    await nodes.leader();
    await nodes.join('b');
    await nodes.start('b');
    // Longer than it is looked at: what comes before and after is bought, too.
    const seconds = (minutes + 15) * 60;
    await stage.stockUp(catalog, perSecond * seconds);
    const range = {
      accounts: stage.world.customers,
      products: catalog,
      choice: 'random',
      copies: 1,
    } as const;
    const plan = { name: 'buyers', connections: CONNECTIONS, perSecond, ...range };
    const span = { kind: 'timed', warmupMs: 1_000, measureMs: seconds * 1_000 } as const;
    const load = await stage.begin('open-loop', { lanes: [{ plan, refusals: [] }], span }, this.#buyers);
    this.#finish = async () => {
      await load.end();
      await stage.compare();
    };
  }
}

/** A row now and then, and one with the most that was seen. */
async function overTime(
  minutes: number,
  looks: Readonly<Record<string, () => Promise<string>>>,
  progress: (line: string) => void,
): Promise<string> {
  const most = Object.keys(looks).map(() => 0);
  const rows: string[][] = [];
  const fromMs = performance.now();
  for (let row = 0; row <= ROWS; row += 1) {
    const untilMs = fromMs + (row * minutes * 60_000) / ROWS;
    let seen: string[] = [];
    do {
      seen = await Promise.all(Object.values(looks).map((look) => look()));
      for (const [index, text] of seen.entries()) most[index] = Math.max(most[index] ?? 0, Number(text));
      if (performance.now() < untilMs) await delay(Math.min(LOOK_MS, untilMs - performance.now()));
    } while (performance.now() < untilMs);
    const minute = ((row * minutes) / ROWS).toFixed(0);
    rows.push([minute, ...seen]);
    progress(`minute ${minute}: ${seen.join(', ')}`);
  }
  return textTable(['minute', ...Object.keys(looks)], [...rows, ['most', ...most.map(String)]]);
}
