/**
 * `npm run bench -- alternate`: the same windows of purchases on several nodes in turn, so that each figure has one of
 * the same seconds beside it: two transports, a build and the one before it, or a node with and without a flag.
 *
 * All nodes run at once and rest while it isn't their turn; the order turns with each round, so that nobody always has
 * the machine first. The figure that counts is the median of the rounds' ratios to the first node. Every acknowledged
 * purchase is checked at the end, as in `contention`.
 *
 * One build differs from start to start by a per cent or more, so `--starts` starts all nodes again, on their data, and
 * runs all rounds once more. `--rate` sends at that pace whatever the answers do, for scenario `open-loop`; the figure
 * that counts there is p99. `--report` writes each node's windows for `compare`, which then pairs them by round.
 */
import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StartPurserOptions } from '../../test/support/nodes/purser-process.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { type Spread, spread } from '../measure/statistics.ts';
import { makeReportFolder } from '../report/report-file.ts';
import type { ResultWindow } from '../report/results.ts';
import { laneFigures, only } from '../scenarios/figures.ts';
import { type WindowScenario, windowShape } from '../scenarios/scenarios.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { openReaders } from '../shop/waiting-readers.ts';
import { catalog, hotProduct } from '../shop/world.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { BadFlagError, list, mostConnections, mostPerSecond, wholeNumber } from './contention-options.ts';

export interface AlternateFlags {
  readonly nodes?: string;
  readonly scenario?: string;
  readonly connections?: string;
  /** The rate of `open-loop`, requests a second. */
  readonly rate?: string;
  readonly seconds?: string;
  readonly rounds?: string;
  readonly starts?: string;
  /** A folder for `1.json`, `2.json` and so on, in the order of the nodes. */
  readonly report?: string;
}

export interface AlternateEnvironment {
  readonly start: (options: StartPurserOptions) => Promise<RunningNode>;
  readonly folder: string;
  readonly print: (text: string) => void;
}

interface Entrant {
  readonly name: string;
  readonly options: StartPurserOptions;
  readonly stage: Stage;
  bestPerSecond: number;
}

interface Turn {
  readonly window: ResultWindow;
  /** Processor time a purchase of all the node's threads. */
  readonly micros: number;
}

/** A scenario's, one list for each entrant. */
type Turns = readonly (readonly Turn[])[];

const alternating: readonly WindowScenario[] = ['uniform', 'hot-product', 'hot-wallet', 'open-loop'];
/** The words behind a node's name, and what they set there. */
const SETTINGS: ReadonlyMap<string, (stage: Stage) => Promise<void>> = new Map([
  ['listed', ({ world }) => world.listEverybody()],
  ['networks', ({ world }) => world.allowEverywhere()],
  ['readers', (stage) => openReaders(stage, 'own')],
  ['all-readers', (stage) => openReaders(stage, 'all')],
]);
const WARMUP_MS = 700;
/** Stock for a window is made for so many purchases a second: half as many again as this machine has reached. */
const STOCK_MARGIN = 2;
const AT_FIRST_PER_SECOND = 80_000;

/** Resolves true when every acknowledged purchase held. Throws `BadFlagError` with a sentence for the user. */
export async function runAlternate(
  flags: AlternateFlags,
  environment: AlternateEnvironment,
): Promise<boolean> {
  const connections = wholeNumber('--connections', flags.connections ?? '256', 1, mostConnections);
  const measureMs = wholeNumber('--seconds', flags.seconds ?? '2', 1, 60) * 1000;
  const rounds = wholeNumber('--rounds', flags.rounds ?? '7', 1, 100);
  const starts = wholeNumber('--starts', flags.starts ?? '1', 1, 100);
  const scenarios = scenariosOf(flags.scenario ?? 'uniform,hot-product');
  const perSecond =
    flags.rate === undefined ? undefined : wholeNumber('--rate', flags.rate, 1, mostPerSecond);
  if (scenarios.includes('open-loop') !== (perSecond !== undefined)) {
    throw new BadFlagError('open-loop needs --rate, and --rate is for open-loop');
  }
  const nodes = list(flags.nodes ?? 'uws,node').map((name, at) => ({
    name,
    options: startOptions(name, join(environment.folder, String(at))),
  }));
  if (flags.report !== undefined) await makeReportFolder(flags.report);
  const violations = new Violations();
  const generator = LoadGenerator.start(1);
  const entrants: Entrant[] = [];
  const results = new Map<WindowScenario, Turns>();
  try {
    for (const { name, options } of nodes) {
      const node = await environment.start(options);
      const stage = await Stage.open(node, generator, { seed: 1, violations });
      for (const word of name.split(/ +/)) await SETTINGS.get(word)?.(stage);
      entrants.push({ name, options, stage, bestPerSecond: 0 });
    }
    for (let start = 1; start <= starts; start += 1) {
      if (start > 1) await startAgain(entrants, environment);
      for (const scenario of scenarios) {
        const one = (entrant: Entrant, round: number) =>
          measure(entrant, {
            scenario,
            connections,
            measureMs,
            start,
            round: (start - 1) * rounds + round,
            ...(scenario === 'open-loop' && perSecond !== undefined ? { perSecond } : {}),
          });
        const turns = await alternate(entrants, rounds, one);
        results.set(
          scenario,
          turns.map((own, at) => [...(results.get(scenario)?.[at] ?? []), ...own]),
        );
      }
    }
    for (const [scenario, turns] of results) {
      const often = starts === 1 ? '' : ` after each of ${starts} starts`;
      const title = `${scenario}, ${connections} connections, ${rounds} rounds${often}`;
      environment.print(`${title}\n${table(entrants, turns)}`);
    }
    if (flags.report !== undefined) await writeReports(flags.report, entrants, [...results.values()]);
    for (const { stage } of entrants) await stage.compare();
  } finally {
    await Promise.all(entrants.map(({ stage }) => stage.node.kill()));
    await generator.stop();
  }
  environment.print(`check: ${violations.count} violations\n${violations.lines().join('\n')}`);
  return violations.count === 0;
}

/** On the data they have. */
async function startAgain(entrants: readonly Entrant[], { start }: AlternateEnvironment): Promise<void> {
  for (const { stage, options } of entrants) {
    await stage.node.stop();
    stage.moveTo(await start(options));
  }
}

async function writeReports(
  folder: string,
  entrants: readonly Entrant[],
  results: readonly Turns[],
): Promise<void> {
  await makeReportFolder(folder);
  for (const [at, { name }] of entrants.entries()) {
    const windows = results.flatMap((turns) => (turns[at] ?? []).map(({ window }) => window));
    await writeFile(
      join(folder, `${at + 1}.json`),
      `${JSON.stringify({ node: name, windows }, undefined, 1)}\n`,
    );
  }
}

/** `uws`, `node`, or another checkout that is built: `../before:uws`; each with further flags of the node behind it. */
function startOptions(name: string, dataDir: string): StartPurserOptions {
  const [kind = '', ...flags] = name.split(/ +/).filter((word) => !SETTINGS.has(word));
  const [, checkout = '.', transport = ''] = /^(?:(.+):)?(uws|node)$/.exec(kind) ?? [];
  if (transport === '')
    throw new BadFlagError('--nodes are uws, node, or FOLDER:uws, FOLDER:node, or FILE:uws of a single file');
  const node = { dataDir, flags: ['--transport', transport, ...flags] };
  if (checkout === '.') return node;
  if (statSync(checkout, { throwIfNoEntry: false })?.isFile()) return { ...node, binary: resolve(checkout) };
  const entry = resolve(checkout, 'bin', 'purser.cjs');
  if (!existsSync(entry)) throw new BadFlagError(`--nodes ${name}: there is no ${entry}`);
  return { ...node, entry };
}

async function alternate(
  entrants: readonly Entrant[],
  rounds: number,
  one: (entrant: Entrant, round: number) => Promise<Turn>,
): Promise<Turn[][]> {
  // Code that is cold, and heaps that have not grown to their size, don't count.
  for (const entrant of [...entrants, ...entrants]) await one(entrant, 0);
  const results: Turn[][] = entrants.map(() => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const at = (turn + round) % entrants.length;
      const entrant = entrants[at];
      if (entrant !== undefined) results[at]?.push(await one(entrant, round));
    }
  }
  return results;
}

interface WindowToRun extends Pick<ResultWindow, 'connections' | 'round' | 'perSecond'> {
  readonly scenario: WindowScenario;
  readonly measureMs: number;
  readonly start: number;
}

async function measure(entrant: Entrant, { measureMs, ...about }: WindowToRun): Promise<Turn> {
  const { scenario, connections, perSecond } = about;
  const products = scenario === 'hot-product' || scenario === 'open-loop' ? hotProduct : catalog;
  const { stage, bestPerSecond } = entrant;
  const mostPerSecond = bestPerSecond === 0 ? AT_FIRST_PER_SECOND : bestPerSecond * STOCK_MARGIN;
  await stage.stockUp(products, ((perSecond ?? mostPerSecond) * (WARMUP_MS + measureMs)) / 1000);
  const timing = { warmupMs: WARMUP_MS, measureMs, contests: 0 };
  const shape = windowShape({ scenario, connections, timing, perSecond }, stage.world, products);
  const { window } = await stage.run(scenario, shape);
  const figures = laneFigures(only(window.lanes));
  if (perSecond === undefined) entrant.bestPerSecond = Math.max(bestPerSecond, figures.answersPerSecond);
  return {
    window: { ...about, system: 'purser', ...figures, disturbed: window.disturbed },
    micros: ((window.serverCpuShare ?? Number.NaN) * 1e6) / figures.answersPerSecond,
  };
}

function table(entrants: readonly Entrant[], turns: Turns): string {
  const [first = []] = turns;
  const rateOf = (turn: Turn | undefined) => turn?.window.purchasesPerSecond ?? Number.NaN;
  return entrants
    .map(({ name }, at) => {
      const own = turns[at] ?? [];
      const perSecond = Math.round(spread(own.map(rateOf))?.median ?? Number.NaN);
      const micros = spread(own.map((turn) => turn.micros))?.median.toFixed(1);
      const speed = spread(own.map((turn, round) => rateOf(turn) / rateOf(first[round])));
      const effort = spread(own.map((turn, round) => (first[round]?.micros ?? Number.NaN) / turn.micros));
      const p99 = text(spread(own.map(({ window }) => window.p99Ms)), 1);
      return `${name}: ${perSecond} purchases/s, ${text(speed)} of the first; ${micros} µs of processor each, ${text(effort)} of the first's by processor time; p99 ${p99} ms`;
    })
    .join('\n');
}

function text(value: Spread | undefined, digits = 3): string {
  if (value === undefined) return '–';
  return `${value.median.toFixed(digits)} (${value.min.toFixed(2)}–${value.max.toFixed(2)})`;
}

function scenariosOf(names: string): WindowScenario[] {
  const known = list(names).map((name) => {
    const scenario = alternating.find((one) => one === name);
    if (scenario === undefined)
      throw new BadFlagError(`--scenario has ${alternating.join(', ')}, not "${name}"`);
    return scenario;
  });
  return [...new Set(known)];
}
