/**
 * Runs systems in turns, round by round, so that whatever a ratio compares is a few seconds apart in one run.
 *
 * A window that others disturbed is kept, marked, and run again, up to a number. The order of the systems moves on
 * by one with every round: nobody always follows the same one.
 */
import type { Contender, WindowTask } from './contender.ts';
import type { MeasuredWindow } from './measured-window.ts';
import type { ResultWindow } from './report/results.ts';
import { copiesOfKey, type Timing, type WindowScenario } from './scenarios.ts';
import { median } from './statistics.ts';

export interface RoundsOptions {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly timing: Timing;
  /** Of `open-loop`, requests a second. */
  readonly rates: readonly number[];
  /** How often a window is run again because it was disturbed. */
  readonly repeats: number;
  readonly progress: (line: string) => void;
}

/** Who takes part in which scenario, in the order of the table. */
export type Programme = readonly {
  readonly scenario: WindowScenario;
  readonly contenders: readonly Contender[];
}[];

/** Open loops are run at one number of connections: this one, or the first when it isn't asked for. */
const OPEN_LOOP_CONNECTIONS = 256;
/** A rate that a system hardly reaches says nothing about its latency but that the queue grows. */
const REACHED_SHARE = 0.9;
const PERCENTILES = [50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100];

export class Rounds {
  readonly windows: ResultWindow[] = [];
  readonly #options: RoundsOptions;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  async run(programme: Programme): Promise<void> {
    const { connections, rounds } = this.#options;
    for (const count of connections) {
      for (let round = 1; round <= rounds; round += 1) {
        for (const { scenario, contenders } of programme) {
          for (const contender of rotated(contenders, round)) {
            for (const task of this.#tasksOf(contender, scenario, count)) {
              await this.#measure(contender, task, round);
            }
          }
        }
      }
    }
  }

  /** Purchases a second of hot-product, the median of undisturbed windows, or of all when there are none. */
  maximumOf(system: string, connections: number): number | undefined {
    const all = this.windows.filter(
      (window) =>
        window.system === system &&
        window.connections === connections &&
        window.scenario === 'hot-product',
    );
    const calm = all.filter(({ disturbed }) => !disturbed);
    const rates = (calm.length > 0 ? calm : all).map(({ purchasesPerSecond }) => purchasesPerSecond);
    return rates.length === 0 ? undefined : median(rates);
  }

  #tasksOf(contender: Contender, scenario: WindowScenario, connections: number): WindowTask[] {
    const { timing } = this.#options;
    const task = { scenario, connections, timing };
    if (scenario !== 'half-load' && scenario !== 'open-loop') return [task];
    const all = this.#options.connections;
    const only = all.includes(OPEN_LOOP_CONNECTIONS) ? OPEN_LOOP_CONNECTIONS : all[0];
    const maximum = this.maximumOf(contender.name, connections);
    if (connections !== only || maximum === undefined) return [];
    if (scenario === 'half-load') return [{ ...task, perSecond: Math.max(1, Math.round(maximum / 2)) }];
    return this.#options.rates
      .filter((perSecond) => perSecond <= maximum * REACHED_SHARE)
      .map((perSecond) => ({ ...task, perSecond }));
  }

  async #measure(contender: Contender, task: WindowTask, round: number): Promise<void> {
    const { repeats, progress, rounds } = this.#options;
    for (let repeat = 0; repeat <= repeats; repeat += 1) {
      const window = resultOf(contender, task, round, await contender.measure(task));
      this.windows.push(window);
      const rate = task.perSecond === undefined ? '' : ` at ${task.perSecond}/s`;
      progress(
        `round ${round}/${rounds}, ${task.connections} connections, ${task.scenario}${rate}, ${contender.name}: ${Math.round(window.purchasesPerSecond).toLocaleString('en')} purchases/s, p99 ${window.p99Ms.toFixed(1)} ms${window.disturbed ? ', disturbed' : ''}`,
      );
      if (!window.disturbed) return;
    }
  }
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const from = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

export function resultOf(
  { name }: Pick<Contender, 'name'>,
  { scenario, connections, perSecond }: Omit<WindowTask, 'timing'>,
  round: number,
  window: MeasuredWindow,
): ResultWindow {
  const [lane] = window.lanes;
  if (lane === undefined) throw new Error('a window without a measurement');
  const delivered = (lane.statuses.get(201) ?? 0) / (scenario === 'same-key' ? copiesOfKey : 1);
  const percentileMs = (percentile: number) => lane.latency.getValueAtPercentile(percentile) / 1000;
  return {
    system: name,
    scenario,
    connections,
    round,
    ...(perSecond === undefined ? {} : { perSecond }),
    disturbed: window.disturbed,
    purchasesPerSecond: (delivered / Math.max(lane.answers, 1)) * lane.answersPerSecond,
    answersPerSecond: lane.answersPerSecond,
    p50Ms: percentileMs(50),
    p99Ms: percentileMs(99),
    p999Ms: percentileMs(99.9),
    ...known({
      groupSize: window.groupSize,
      serverCpuShare: window.serverCpuShare,
      clientCpuShare: window.clientCpuShare,
      otherCpuShare: window.otherCpuShare,
      stolenShare: window.stolenShare,
    }),
    latency: PERCENTILES.map((percentile) => ({ percentile, ms: percentileMs(percentile) })),
    series: seriesOf(lane.series, window),
  };
}

function seriesOf(
  series: MeasuredWindow['lanes'][number]['series'],
  { fromMs, disturbances }: MeasuredWindow,
): NonNullable<ResultWindow['series']> {
  return series.map((point) => {
    const sample = disturbances.find(({ unixMs }) => unixMs >= fromMs + point.atMs) ?? disturbances.at(-1);
    return { ...point, disturbance: sample?.share ?? 0 };
  });
}

/** Without what wasn't measured. */
function known<Values extends Readonly<Record<string, number | undefined>>>(
  values: Values,
): { [Name in keyof Values]?: number } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Values]?: number };
}
