/**
 * A run's measurements: all systems are measured in turns, checked, and reported on.
 *
 * Invariant: every system that sells is checked, whatever was measured of it. Whoever makes a laboratory closes it:
 * then nothing of it is left but the results.
 */
import { join } from 'node:path';
import type { ContentionOptions } from '../commands/contention-options.ts';
import { type FloodResult, measureFlood } from '../commands/flood.ts';
import { type HistoryResult, measureHistory } from '../history/history.ts';
import type { Results } from '../report/results.ts';
import { rowsOf } from '../report/rows.ts';
import { measureCrash } from '../scenarios/crash.ts';
import { measureFlashSale } from '../scenarios/flash-sale.ts';
import { measureRestock } from '../scenarios/restock.ts';
import {
  type ScenarioName,
  type SceneScenario,
  sceneScenarios,
  type WindowScenario,
  windowScenarios,
} from '../scenarios/scenarios.ts';
import { type SellingContender, STOCK_MARGIN } from '../systems/contender.ts';
import type { Conditions } from './conditions.ts';
import { type Programme, Rounds, type Scene } from './rounds.ts';
import { type BenchEnvironment, RunningSystems } from './running-systems.ts';

/** The content of `report.json`. */
export interface ContentionReport extends Results {
  readonly options: ContentionOptions;
  readonly flood: FloodResult | undefined;
  readonly history: HistoryResult | undefined;
}

/** Purchases per second to prepare stock for when nothing has been measured. */
const assumedPerSecond = 80_000;

export class Laboratory {
  readonly #options: ContentionOptions;
  readonly #environment: BenchEnvironment;
  readonly #systems: RunningSystems;

  private constructor(options: ContentionOptions, environment: BenchEnvironment, systems: RunningSystems) {
    this.#options = options;
    this.#environment = environment;
    this.#systems = systems;
  }

  /** Starts the systems, and throws, as `RunningSystems.open` does. */
  static async open(options: ContentionOptions, environment: BenchEnvironment): Promise<Laboratory> {
    return new Laboratory(options, environment, await RunningSystems.open(options, environment));
  }

  close(): Promise<void> {
    return this.#systems.close();
  }

  async run(conditions: Conditions): Promise<ContentionReport> {
    const options = this.#options;
    const rounds = new Rounds({ ...options, progress: this.#environment.progress });
    const { flood, breakOff } = await this.#measure(rounds);
    for (const contender of this.#systems.selling) await this.#check(contender, breakOff);
    const history = breakOff === undefined ? await this.#history(rounds.openLoopConnections) : undefined;
    return {
      conditions,
      systems: await this.#systems.results(),
      missing: this.#systems.missing,
      windows: rounds.windows,
      rows: rowsOf(rounds.windows),
      options,
      flood,
      history,
    };
  }

  /**
   * Measures. Figures from before a server died, or answered no more, are still reported: nobody passes the check then.
   */
  async #measure(rounds: Rounds): Promise<Pick<ContentionReport, 'flood'> & { readonly breakOff?: string }> {
    try {
      await rounds.run(this.#programme());
      await this.#scenes(rounds);
      return { flood: await this.#flood(rounds) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { flood: undefined, breakOff: `the run broke off: ${reason}` };
    }
  }

  /** The floor runs beside what is compared with it, the ceiling once a round; peers run what they are asked for. */
  #programme(): Programme {
    const { scenarios } = this.#options;
    const asked = windowScenarios.filter((scenario) => scenarios.includes(scenario));
    const floor = this.#systems.bare.filter(({ name }) => name === 'floor');
    const ceiling = this.#systems.bare.filter(({ name }) => name === 'ceiling');
    return asked.map((scenario, at) => ({
      scenario,
      contenders: [
        ...(at === 0 ? ceiling : []),
        ...(isForFloor(scenario) ? floor : []),
        ...this.#contendersOf(scenario),
      ],
    }));
  }

  async #scenes(rounds: Rounds): Promise<void> {
    const scenes = this.#sceneList(rounds);
    for (const scenario of sceneScenarios) {
      if (!this.#options.scenarios.includes(scenario)) continue;
      await rounds.runScene(scenario, this.#contendersOf(scenario), scenes[scenario]);
    }
  }

  #sceneList(rounds: Rounds): Readonly<Record<SceneScenario, Scene>> {
    const { buyers, seed, customers } = this.#options;
    const connections = rounds.openLoopConnections;
    return {
      'flash-sale': ({ stage, violations }) => measureFlashSale(stage, violations, { buyers }),
      restock: ({ stage, violations }) =>
        measureRestock(stage, this.#systems.generator, violations, { connections }),
      crash: async ({ name, system, processes, violations, bestPerSecond }, round) => {
        const { durable, afterPowerCut } = system;
        const start = (folder: string) =>
          system.start({ folder, processes, broken: false, watchSyncs: true });
        const crashable = { durable, start, ...(afterPowerCut === undefined ? {} : { afterPowerCut }) };
        return measureCrash(crashable, this.#systems.generator, violations, {
          folder: await this.#systems.freshFolder(`crash-${name}`),
          seed: seed + round,
          mostPerSecond: bestPerSecond * STOCK_MARGIN,
          ...(customers === undefined ? {} : { customers }),
        });
      },
    };
  }

  /** Peers run what they are asked for, Purser runs all. */
  #contendersOf(scenario: ScenarioName): SellingContender[] {
    const { peerScenarios } = this.#options;
    return this.#systems.selling.filter(({ name }) => name === 'purser' || peerScenarios.includes(scenario));
  }

  async #flood(rounds: Rounds): Promise<FloodResult | undefined> {
    const { scenarios, timing } = this.#options;
    const { progress } = this.#environment;
    if (!scenarios.includes('flood') || this.#systems.purser === undefined) return undefined;
    const floors = rounds.windows.filter(({ system }) => system === 'floor');
    // Purser won't sell more than the floor answers, give or take a machine's moods.
    const expectedPerSecond =
      floors.length === 0
        ? assumedPerSecond
        : 1.3 * Math.max(...floors.map(({ answersPerSecond }) => answersPerSecond));
    return measureFlood(
      this.#systems.purser.stage,
      timing,
      this.#options.rounds,
      expectedPerSecond,
      progress,
    );
  }

  async #check(contender: SellingContender, breakOff: string | undefined): Promise<void> {
    if (breakOff !== undefined) return contender.violations.add(breakOff);
    const { orders } = contender.stage.audit;
    this.#environment.progress(
      `${contender.name}: checking ${orders.toLocaleString('en')} acknowledged orders`,
    );
    await contender.stage.compare();
    await contender.node.stop();
  }

  async #history(openLoopConnections: number): Promise<HistoryResult | undefined> {
    const { scenarios, orders, rounds, timing, seed, customers, sampledOrders } = this.#options;
    const purser = this.#systems.purser;
    if (!scenarios.includes('history') || purser === undefined) return undefined;
    return measureHistory(
      {
        generator: this.#systems.generator,
        violations: purser.violations,
        seed,
        customers,
        sampledOrders,
        progress: this.#environment.progress,
        folderOf: (name) => join(this.#environment.folder, name),
        startNode: (name) => this.#systems.startMore(purser.system, name),
      },
      { orders, rounds, timing, connections: openLoopConnections },
    );
  }
}

/** Where every buyer asks again at once. Elsewhere the rate is given, or contests differ in length. */
function isForFloor(scenario: WindowScenario): boolean {
  return scenario !== 'last-item';
}
