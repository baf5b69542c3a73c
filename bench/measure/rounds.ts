/**
 * Runs systems in turns, round by round, so that whatever a ratio compares is a few seconds apart in one run.
 *
 * A window that others disturbed is kept, marked, and run again, up to a number. The order of the systems moves on
 * by one with every round: nobody always follows the same one.
 */

import type { ResultWindow } from '../report/results.ts';
import { laneFigures, only, type ScenarioFigures, usageOf } from '../scenarios/figures.ts';
import { copiesOf, type SceneScenario, type Timing, type WindowScenario } from '../scenarios/scenarios.ts';
import type { Contender, SellingContender, WindowTask } from '../systems/contender.ts';
import { isReference } from '../systems/system.ts';
import { isDisturbed, readMachineTime, sharesBetween, untilQuiet } from './machine-time.ts';
import { median } from './statistics.ts';

export interface RoundsOptions {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly timing: Timing;
  /** The rates of `open-loop`, requests a second. */
  readonly rates: readonly number[];
  /** How often a window is run again because it was disturbed. */
  readonly repeats: number;
  readonly progress: (line: string) => void;
}

/** The scenarios and their contenders, in the order of the table. */
export type Programme = readonly {
  readonly scenario: WindowScenario;
  readonly contenders: readonly Contender[];
}[];

export type Scene = (contender: SellingContender, round: number) => Promise<ScenarioFigures>;

/** Open loops are run at one number of connections: this one, or the first when it isn't asked for. */
const OPEN_LOOP_CONNECTIONS = 256;
/** A rate that a system hardly reaches says nothing about its latency but that the queue grows. */
const REACHED_SHARE = 0.9;

export class Rounds {
  readonly windows: ResultWindow[] = [];
  readonly #options: RoundsOptions;
  readonly #reachedRates = new Map<string, readonly number[]>();

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Every scenario of every number of connections, in all rounds. */
  async run(programme: Programme): Promise<void> {
    for (const connections of this.#options.connections) {
      await this.#rounds(programme, async (scenario, contender, round) => {
        for (const task of this.#tasksOf(contender, scenario, connections)) {
          await this.#keep(contender, scenario, round, async () => {
            const window = await contender.measure(task);
            return {
              ...laneFigures(only(window.lanes), copiesOf(scenario)),
              ...usageOf(window),
              connections,
              ...(task.perSecond === undefined ? {} : { perSecond: task.perSecond }),
            };
          });
        }
      });
    }
  }

  /** Scenes choose their own connections. */
  async runScene(
    scenario: SceneScenario,
    contenders: readonly SellingContender[],
    scene: Scene,
  ): Promise<void> {
    await this.#rounds([{ scenario, contenders }], (_, contender, round) =>
      this.#keep(contender, scenario, round, async () => {
        await untilQuiet();
        const before = readMachineTime(process.pid);
        const figures = await scene(contender, round);
        // A scene that has read this itself, for the time that counts, knows better.
        return { disturbed: isDisturbed(sharesBetween(before, readMachineTime(process.pid))), ...figures };
      }),
    );
  }

  /** Purchases a second of hot-product, the median of undisturbed windows, or of all when there are none. */
  maximumOf(system: string, connections: number): number | undefined {
    const all = this.windows.filter(
      (window) =>
        window.system === system && window.connections === connections && window.scenario === 'hot-product',
    );
    const calm = all.filter(({ disturbed }) => !disturbed);
    const rates = (calm.length > 0 ? calm : all).map(({ purchasesPerSecond }) => purchasesPerSecond);
    return rates.length === 0 ? undefined : median(rates);
  }

  /** Where open loops are run. */
  get openLoopConnections(): number {
    const { connections } = this.#options;
    return connections.includes(OPEN_LOOP_CONNECTIONS) ? OPEN_LOOP_CONNECTIONS : (connections[0] ?? 64);
  }

  async #rounds<Scenario, Taker extends Contender>(
    programme: readonly { readonly scenario: Scenario; readonly contenders: readonly Taker[] }[],
    one: (scenario: Scenario, contender: Taker, round: number) => Promise<void>,
  ): Promise<void> {
    for (let round = 1; round <= this.#options.rounds; round += 1) {
      for (const { scenario, contenders } of programme) {
        for (const contender of rotated(contenders, round)) await one(scenario, contender, round);
      }
    }
  }

  #tasksOf(contender: Contender, scenario: WindowScenario, connections: number): WindowTask[] {
    const { timing, rates } = this.#options;
    const task = { scenario, connections, timing };
    if (scenario !== 'half-load' && scenario !== 'open-loop') return [task];
    const maximum = this.maximumOf(contender.name, connections);
    if (connections !== this.openLoopConnections || maximum === undefined) return [];
    if (scenario === 'half-load') return [{ ...task, perSecond: Math.max(1, Math.round(maximum / 2)) }];
    // Decided once, so that all rounds of a row are there, not only those in which the system was fast.
    const reached =
      this.#reachedRates.get(contender.name) ??
      rates.filter((perSecond) => perSecond <= maximum * REACHED_SHARE);
    this.#reachedRates.set(contender.name, reached);
    return reached.map((perSecond) => ({ ...task, perSecond }));
  }

  async #keep(
    { name }: Contender,
    scenario: string,
    round: number,
    measure: () => Promise<ScenarioFigures>,
  ): Promise<void> {
    const { repeats, progress, rounds } = this.#options;
    for (let repeat = 0; repeat <= repeats; repeat += 1) {
      const window: ResultWindow = { disturbed: false, ...(await measure()), system: name, scenario, round };
      this.windows.push(window);
      const { connections, perSecond, p99Ms, disturbed } = window;
      // Floor and ceiling sell nothing.
      const [figure, unit] = isReference(name)
        ? [window.answersPerSecond, 'answers/s']
        : [window.purchasesPerSecond, 'purchases/s'];
      const rate = perSecond === undefined ? '' : ` at ${perSecond}/s`;
      progress(
        `round ${round}/${rounds}, ${connections} connections, ${scenario}${rate}, ${name}: ${Math.round(figure).toLocaleString('en')} ${unit}, p99 ${p99Ms.toFixed(1)} ms${disturbed ? ', disturbed' : ''}`,
      );
      if (!disturbed) return;
    }
  }
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const from = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
