/** The command line of the contention benchmark, checked once. */
import { availableParallelism } from 'node:os';
import { type ScenarioName, scenarioNames, type Timing } from '../scenarios/scenarios.ts';
import { isReference, type SystemName, systemNames } from '../systems/system.ts';

export interface ContentionOptions {
  /** In the order of the table. */
  readonly scenarios: readonly ScenarioName[];
  /** Which scenarios the peers run; Purser runs all. */
  readonly peerScenarios: readonly ScenarioName[];
  readonly systems: readonly SystemName[];
  /** The peer that runs without its lock or its unique key. */
  readonly broken: SystemName | undefined;
  readonly connections: readonly number[];
  /** The rates of `open-loop`, requests a second. */
  readonly rates: readonly number[];
  readonly rounds: number;
  /** How often a disturbed window is run again. */
  readonly repeats: number;
  readonly timing: Timing;
  readonly transport: 'uws' | 'node';
  /** HTTP processes of a peer; undefined: as many as serve it best are looked for. */
  readonly processes: number | undefined;
  /** Orders of `history`. */
  readonly orders: number;
  /** Buyers of `flash-sale`. */
  readonly buyers: number;
  readonly loadProcesses: number;
  readonly seed: number;
  /** By default as many as `World` makes. */
  readonly customers?: number;
  /** Acknowledged orders of each system that are fetched again at the end, at most; default: `SAMPLED_ORDERS`. */
  readonly sampledOrders?: number;
  /** A folder for the report. */
  readonly report: string | undefined;
}

/** As they come from the command line. */
export interface ContentionFlags {
  readonly scenario?: string;
  readonly systems?: string;
  readonly break?: string;
  readonly connections?: string;
  readonly rates?: string;
  readonly seconds?: string;
  readonly rounds?: string;
  readonly repeats?: string;
  readonly transport?: string;
  readonly processes?: string;
  readonly orders?: string;
  readonly buyers?: string;
  readonly loadProcesses?: string;
  readonly seed?: string;
  readonly report?: string;
  readonly quick?: boolean;
}

export class BadFlagError extends Error {
  override name = 'BadFlagError';
}

const inQuick: readonly ScenarioName[] = ['hot-product', 'half-load', 'flash-sale'];
/** Double sales show under contention for a product, a missing unique key under copies of a key. */
const whenBroken: readonly ScenarioName[] = ['hot-product', 'same-key'];
const byDefault: readonly ScenarioName[] = scenarioNames.filter((name) => name !== 'history');
/** Peers don't run them. */
const ofPurser: readonly ScenarioName[] = ['flood', 'history'];
export const mostConnections = 16_384;
export const mostOrders = 100_000_000;
export const mostPerSecond = 1_000_000;

/** Throws `BadFlagError` with a sentence for the user. */
export function contentionOptions(flags: ContentionFlags): ContentionOptions {
  const quick = flags.quick === true;
  const broken = flags.break === undefined ? undefined : peerNamed(flags.break);
  /** Not for figures. */
  const isShort = quick || broken !== undefined;
  const measureMs = wholeNumber('--seconds', flags.seconds ?? (isShort ? '1' : '5'), 1, 60) * 1000;
  const transport = flags.transport ?? 'uws';
  if (transport !== 'uws' && transport !== 'node') throw new BadFlagError('--transport is uws or node');
  const cores = availableParallelism();
  const spareCores = Math.max(1, Math.min(4, cores - 1));
  const scenarios = scenariosOf(
    flags.scenario,
    broken === undefined ? (quick ? inQuick : byDefault) : whenBroken,
  );
  const systems = systemsOf(flags.systems ?? broken, scenarios);
  if (broken !== undefined && !systems.includes(broken)) {
    throw new BadFlagError(`--break ${broken} needs ${broken} among the --systems`);
  }
  const processes = flags.processes ?? (isShort ? String(cores) : 'auto');
  return {
    scenarios,
    peerScenarios: quick && flags.scenario === undefined ? ['hot-product'] : scenarios,
    systems,
    broken,
    connections: wholeNumbers(
      '--connections',
      flags.connections ?? (isShort ? '64' : '64,256,1024'),
      mostConnections,
    ),
    rates: wholeNumbers('--rates', flags.rates ?? '2000,6000,12000,20000', mostPerSecond),
    rounds: wholeNumber('--rounds', flags.rounds ?? (isShort ? '1' : '5'), 1, 100),
    repeats: wholeNumber('--repeats', flags.repeats ?? (isShort ? '0' : '2'), 0, 20),
    timing: { warmupMs: isShort ? 300 : 1_000, measureMs, contests: quick ? 3 : 10 },
    transport,
    processes: processes === 'auto' ? undefined : wholeNumber('--processes', processes, 1, 64),
    orders: wholeNumber('--orders', flags.orders ?? (quick ? '20000' : '1000000'), 1, mostOrders),
    buyers: wholeNumber('--buyers', flags.buyers ?? '10000', 200, mostConnections),
    loadProcesses: wholeNumber('--load-processes', flags.loadProcesses ?? String(spareCores), 1, 32),
    seed: wholeNumber('--seed', flags.seed ?? '1', 0, 2 ** 31 - 1),
    ...(quick ? { customers: 200, sampledOrders: 1_000 } : {}),
    report: flags.report,
  };
}

/** In the order of the table, whatever order they were named in. */
function scenariosOf(text: string | undefined, otherwise: readonly ScenarioName[]): ScenarioName[] {
  const named: readonly string[] = text === undefined ? otherwise : list(text);
  const unknown = named.find((name) => !scenarioNames.includes(name as ScenarioName));
  if (unknown !== undefined) {
    throw new BadFlagError(`there is no scenario "${unknown}"; there are ${scenarioNames.join(', ')}`);
  }
  const wanted = new Set(named as ScenarioName[]);
  // Its maximum says what half load is, and which rates a system reaches.
  if (wanted.has('half-load') || wanted.has('open-loop')) wanted.add('hot-product');
  return scenarioNames.filter((name) => wanted.has(name));
}

/** Nobody is started who has nothing to do. */
function systemsOf(text: string | undefined, scenarios: readonly ScenarioName[]): SystemName[] {
  const isPurserAlone = scenarios.every((name) => ofPurser.includes(name));
  if (text === undefined) return isPurserAlone ? ['purser'] : [...systemNames];
  const named = list(text);
  const unknown = named.find((name) => !systemNames.includes(name as SystemName));
  if (unknown !== undefined) {
    throw new BadFlagError(`there is no system "${unknown}"; there are ${systemNames.join(', ')}`);
  }
  if (named.every(isReference)) {
    throw new BadFlagError(`--systems ${text} names nobody that sells: floor and ceiling run beside one`);
  }
  if (isPurserAlone && !named.includes('purser')) {
    throw new BadFlagError(`--scenario ${scenarios.join(',')} needs purser among the --systems`);
  }
  return systemNames.filter((name) => named.includes(name));
}

function peerNamed(name: string): SystemName {
  const peers = systemNames.filter((system) => system !== 'purser' && !isReference(system));
  const peer = peers.find((system) => system === name);
  if (peer === undefined) throw new BadFlagError(`--break takes one of ${peers.join(', ')}, not "${name}"`);
  return peer;
}

export function list(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** The numbers of a list, at least 1 each. A number that is named twice is measured once. */
export function wholeNumbers(flag: string, text: string, atMost: number): number[] {
  return [...new Set(list(text).map((part) => wholeNumber(flag, part, 1, atMost)))];
}

export function wholeNumber(flag: string, text: string, atLeast: number, atMost: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= atLeast && value <= atMost) return value;
  throw new BadFlagError(`${flag} takes whole numbers from ${atLeast} to ${atMost}, not "${text}"`);
}
