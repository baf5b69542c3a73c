/**
 * `npm run bench -- alternate`: the same windows of purchases on several nodes in turn, so that each figure has one of
 * the same seconds beside it: two transports, or a build and the one before it.
 *
 * All nodes run at once and rest while it isn't their turn; the order turns with each round, so that nobody always has
 * the machine first. What counts is the median of the rounds' ratios to the first node. Every acknowledged purchase is
 * checked at the end, as in `contention`.
 */
import { join, resolve } from 'node:path';
import type { StartPurserOptions } from '../test/support/purser-process.ts';
import { BadFlagError } from './contention-options.ts';
import { LoadGenerator } from './load/load-generator.ts';
import type { RunningNode } from './running-node.ts';
import { type WindowScenario, windowScenarios, windowShape } from './scenarios.ts';
import { Stage } from './stage.ts';
import { type Spread, spread } from './statistics.ts';
import { Violations } from './violations.ts';
import { catalog, hotProduct } from './world.ts';

export interface AlternateFlags {
  readonly nodes?: string;
  readonly scenario?: string;
  readonly connections?: string;
  readonly seconds?: string;
  readonly rounds?: string;
}

export interface AlternateEnvironment {
  readonly start: (options: StartPurserOptions) => Promise<RunningNode>;
  readonly folder: string;
  readonly print: (text: string) => void;
}

interface Entrant {
  readonly name: string;
  readonly stage: Stage;
  bestPerSecond: number;
}

/** Purchases a second, and processor time a purchase of all the node's threads. */
interface Figures {
  readonly perSecond: number;
  readonly micros: number;
}

const WARMUP_MS = 700;
/** Stock for a window is made for so many purchases a second: half as many again as this machine has reached. */
const STOCK_MARGIN = 1.5;
const AT_FIRST_PER_SECOND = 50_000;

/** Resolves true when every acknowledged purchase held. Throws `BadFlagError` with a sentence for the user. */
export async function runAlternate(
  flags: AlternateFlags,
  environment: AlternateEnvironment,
): Promise<boolean> {
  const connections = positive('--connections', flags.connections ?? '256');
  const measureMs = positive('--seconds', flags.seconds ?? '2') * 1000;
  const rounds = positive('--rounds', flags.rounds ?? '7');
  const violations = new Violations();
  const generator = LoadGenerator.start(1);
  const entrants: Entrant[] = [];
  try {
    for (const [at, name] of (flags.nodes ?? 'uws,node').split(',').entries()) {
      const node = await environment.start(startOptions(name, join(environment.folder, String(at))));
      entrants.push({
        name,
        stage: await Stage.open(node, generator, { seed: 1, violations }),
        bestPerSecond: 0,
      });
    }
    for (const scenario of scenariosOf(flags.scenario ?? 'uniform,hot-product')) {
      const one = (entrant: Entrant) => measure(entrant, scenario, connections, measureMs);
      const results = await alternate(entrants, rounds, one);
      environment.print(
        `${scenario}, ${connections} connections, ${rounds} rounds\n${table(entrants, results)}`,
      );
    }
    for (const { stage } of entrants) await stage.compare();
  } finally {
    await Promise.all(entrants.map(({ stage }) => stage.node.kill()));
    await generator.stop();
  }
  environment.print(`check: ${violations.count} violations\n${violations.lines().join('\n')}`);
  return violations.count === 0;
}

/** `uws`, `node`, or another checkout that is built: `../before:uws`. */
function startOptions(name: string, dataDir: string): StartPurserOptions {
  const [, checkout = '.', transport = ''] = /^(?:(.+):)?(uws|node)$/.exec(name) ?? [];
  if (transport === '') throw new BadFlagError('--nodes are uws, node, or FOLDER:uws, FOLDER:node');
  const entry = checkout === '.' ? {} : { entry: resolve(checkout, 'bin', 'purser.cjs') };
  return { dataDir, flags: ['--transport', transport], ...entry };
}

async function alternate(
  entrants: readonly Entrant[],
  rounds: number,
  one: (entrant: Entrant) => Promise<Figures>,
): Promise<Figures[][]> {
  // Code that is cold, and heaps that have not grown to their size, don't count.
  for (const entrant of [...entrants, ...entrants]) await one(entrant);
  const results: Figures[][] = entrants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const at = (turn + round) % entrants.length;
      const entrant = entrants[at];
      if (entrant !== undefined) results[at]?.push(await one(entrant));
    }
  }
  return results;
}

async function measure(
  entrant: Entrant,
  scenario: WindowScenario,
  connections: number,
  measureMs: number,
): Promise<Figures> {
  const products = scenario === 'hot-product' ? hotProduct : catalog;
  const { stage, bestPerSecond } = entrant;
  const perSecondAtMost = bestPerSecond === 0 ? AT_FIRST_PER_SECOND : bestPerSecond * STOCK_MARGIN;
  await stage.stockUp(products, (perSecondAtMost * (WARMUP_MS + measureMs)) / 1000);
  const timing = { warmupMs: WARMUP_MS, measureMs, contests: 0 };
  const { window } = await stage.run(
    scenario,
    windowShape({ scenario, connections, timing }, stage.world, products),
  );
  const perSecond = window.lanes[0]?.answersPerSecond ?? Number.NaN;
  entrant.bestPerSecond = Math.max(bestPerSecond, perSecond);
  return { perSecond, micros: ((window.serverCpuShare ?? Number.NaN) * 1e6) / perSecond };
}

function table(entrants: readonly Entrant[], results: readonly (readonly Figures[])[]): string {
  const [first = []] = results;
  return entrants
    .map(({ name }, at) => {
      const own = results[at] ?? [];
      const perSecond = Math.round(spread(own.map((figures) => figures.perSecond))?.median ?? Number.NaN);
      const micros = spread(own.map((figures) => figures.micros))?.median.toFixed(1);
      const speed = spread(
        own.map((figures, round) => figures.perSecond / (first[round]?.perSecond ?? Number.NaN)),
      );
      const effort = spread(
        own.map((figures, round) => (first[round]?.micros ?? Number.NaN) / figures.micros),
      );
      return `${name}: ${perSecond} purchases/s, ${text(speed)} of the first; ${micros} µs of processor each, ${text(effort)} of the first's by processor time`;
    })
    .join('\n');
}

function text(value: Spread | undefined): string {
  if (value === undefined) return '–';
  return `${value.median.toFixed(3)} (${value.min.toFixed(2)}–${value.max.toFixed(2)})`;
}

function scenariosOf(names: string): WindowScenario[] {
  return names.split(',').map((name) => {
    const known = windowScenarios.find((scenario) => scenario === name);
    if (known !== 'uniform' && known !== 'hot-product' && known !== 'hot-wallet') {
      throw new BadFlagError('--scenario has uniform, hot-product, hot-wallet');
    }
    return known;
  });
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isInteger(value))) throw new BadFlagError(`${flag} is a whole number above 0`);
  return value;
}
