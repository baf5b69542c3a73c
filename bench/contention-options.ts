/** The command line of the contention benchmark, checked once. */
import { availableParallelism } from 'node:os';
import { type ScenarioName, scenarioNames, type Timing } from './scenarios.ts';

export interface ContentionOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly timing: Timing;
  readonly transport: 'uws' | 'node';
  /** Orders of `history`. */
  readonly orders: number;
  readonly loadProcesses: number;
  readonly seed: number;
  /** By default as many as `World` makes. */
  readonly customers?: number;
  /** Acknowledged orders that are fetched again at the end, at most; by default `SAMPLED_ORDERS`. */
  readonly sampledOrders?: number;
  /** A file for the whole report. */
  readonly json: string | undefined;
}

/** As they come from the command line. */
export interface ContentionFlags {
  readonly scenario?: string;
  readonly connections?: string;
  readonly seconds?: string;
  readonly rounds?: string;
  readonly transport?: string;
  readonly orders?: string;
  readonly loadProcesses?: string;
  readonly seed?: string;
  readonly json?: string;
  readonly quick?: boolean;
}

export class BadFlagError extends Error {
  override name = 'BadFlagError';
}

/** Scenarios that are compared with others: the peers run beside them even when they aren't named. */
const needFloor: readonly ScenarioName[] = ['uniform', 'hot-product', 'hot-wallet', 'last-item', 'same-key'];
const byDefault: readonly ScenarioName[] = ['ceiling', 'floor', ...needFloor, 'flood'];
const mostConnections = 16_384;
const mostOrders = 100_000_000;

/** Throws `BadFlagError` with a sentence for the user. */
export function contentionOptions(flags: ContentionFlags): ContentionOptions {
  const quick = flags.quick === true;
  const measureMs = wholeNumber('--seconds', flags.seconds ?? (quick ? '1' : '5'), 1, 60) * 1000;
  const transport = flags.transport ?? 'uws';
  if (transport !== 'uws' && transport !== 'node') throw new BadFlagError('--transport is uws or node');
  const spareCores = Math.max(1, Math.min(4, availableParallelism() - 1));
  return {
    scenarios: scenariosOf(flags.scenario),
    connections: list(flags.connections ?? (quick ? '64' : '64,256,1024')).map((text) =>
      wholeNumber('--connections', text, 1, mostConnections),
    ),
    rounds: wholeNumber('--rounds', flags.rounds ?? (quick ? '1' : '5'), 1, 100),
    timing: { warmupMs: quick ? 500 : 1_500, measureMs, contests: quick ? 3 : 10 },
    transport,
    orders: wholeNumber('--orders', flags.orders ?? (quick ? '20000' : '1000000'), 1, mostOrders),
    loadProcesses: wholeNumber('--load-processes', flags.loadProcesses ?? String(spareCores), 1, 32),
    seed: wholeNumber('--seed', flags.seed ?? '1', 0, 2 ** 31 - 1),
    json: flags.json,
  };
}

/** In the order of the table, whatever order they were named in. */
function scenariosOf(text: string | undefined): ScenarioName[] {
  const named = text === undefined ? byDefault : list(text);
  const unknown = named.find((name) => !scenarioNames.includes(name as ScenarioName));
  if (unknown !== undefined) {
    throw new BadFlagError(`there is no scenario "${unknown}"; there are ${scenarioNames.join(', ')}`);
  }
  const wanted = new Set(named as ScenarioName[]);
  if (needFloor.some((name) => wanted.has(name))) wanted.add('floor');
  return scenarioNames.filter((name) => wanted.has(name));
}

export function list(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

export function wholeNumber(flag: string, text: string, atLeast: number, atMost: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= atLeast && value <= atMost) return value;
  throw new BadFlagError(`${flag} takes whole numbers from ${atLeast} to ${atMost}, not "${text}"`);
}
