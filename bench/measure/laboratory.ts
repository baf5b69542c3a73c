/**
 * All systems of a run at once: started, measured in turns, checked and stopped.
 *
 * Invariant: every system that sells is checked, whatever was measured of it. Whoever makes a laboratory closes it:
 * then nothing of it is left but the results.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BadFlagError, type ContentionOptions } from '../commands/contention-options.ts';
import { type FloodResult, measureFlood } from '../commands/flood.ts';
import { tryProcesses } from '../commands/processes.ts';
import { type HistoryResult, measureHistory } from '../history/history.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import type { Results, SystemResult } from '../report/results.ts';
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
import { BareStage } from '../shop/stage.ts';
import {
  BareContender,
  type ContenderOptions,
  SellingContender,
  STOCK_MARGIN,
} from '../systems/contender.ts';
import { replyShapeOf, startFloor } from '../systems/floor-process.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { type System, type SystemName, systemNames } from '../systems/system.ts';
import type { Conditions } from './conditions.ts';
import { type Programme, Rounds, type Scene } from './rounds.ts';

export interface BenchEnvironment {
  /** Purser first, then its peers, also those that can't run here. */
  readonly systems: readonly System[];
  /** An empty folder on the filesystem to measure. */
  readonly folder: string;
  /** The report, a block at a time. */
  readonly print: (text: string) => void;
  /** Prints the progress, a line at a time. */
  readonly progress: (line: string) => void;
}

type MissingSystem = Results['missing'][number];

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
  #generator: LoadGenerator | undefined;
  #folders = 0;
  readonly #nodes: RunningNode[] = [];
  readonly #selling: SellingContender[] = [];
  readonly #bare: BareContender[] = [];
  readonly #configurations = new Map<SystemName, Readonly<Record<string, string>>>();

  readonly #missing: MissingSystem[] = [];

  private constructor(options: ContentionOptions, environment: BenchEnvironment) {
    this.#options = options;
    this.#environment = environment;
  }

  /**
   * Starts the systems that were asked for. A peer that can't run here, or doesn't start, is left out and named. Throws
   * a `BadFlagError` when nobody is left.
   */
  static async open(options: ContentionOptions, environment: BenchEnvironment): Promise<Laboratory> {
    const laboratory = new Laboratory(options, environment);
    try {
      for (const system of environment.systems) {
        if (options.systems.includes(system.name)) await laboratory.#openOrLeaveOut(system);
      }
      if (laboratory.#selling.length === 0)
        throw new BadFlagError('there is nobody to measure: no system that was asked for can run here');
      if (options.broken !== undefined && !laboratory.#selling.some(({ name }) => name === options.broken))
        throw new BadFlagError(`${options.broken} was to run broken, and is not among the systems that run`);
      await laboratory.#openBare();
      return laboratory;
    } catch (error) {
      await laboratory.close();
      throw error;
    }
  }

  async run(conditions: Conditions): Promise<ContentionReport> {
    const options = this.#options;
    const rounds = new Rounds({ ...options, progress: this.#environment.progress });
    const { flood, breakOff } = await this.#measure(rounds);
    for (const contender of this.#selling) await this.#check(contender, breakOff);
    const history = breakOff === undefined ? await this.#history(rounds.openLoopConnections) : undefined;
    const systems = await Promise.all([
      ...this.#selling.map((contender) => this.#resultOf(contender)),
      ...this.#bare.map(resultOfBare),
    ]);
    systems.sort((one, other) => systemNames.indexOf(one.name) - systemNames.indexOf(other.name));
    return {
      conditions,
      systems,
      missing: this.#missing,
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

  async close(): Promise<void> {
    await this.#generator?.stop();
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  async #openOrLeaveOut(system: System): Promise<void> {
    let reason = await system.missing();
    if (reason === undefined) {
      try {
        return await this.#open(system);
      } catch (error) {
        if (system.name === 'purser') throw error;
        reason = `it did not start: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    this.#missing.push({ name: system.name, reason });
    this.#environment.print(`left out: ${system.name}: ${reason}`);
  }

  async #open(system: System): Promise<void> {
    const { seed, customers, sampledOrders, broken, timing } = this.#options;
    const { folder, progress } = this.#environment;
    const options: ContenderOptions = {
      generator: this.#load,
      folder: join(folder, 'compared'),
      seed,
      customers,
      sampledOrders,
      broken: broken === system.name,
      timing,
    };
    const most = system.maxProcesses ?? Number.POSITIVE_INFINITY;
    let processes = Math.min(this.#options.processes ?? 1, most);
    let tried: string | undefined;
    if (most > 1 && this.#options.processes === undefined) {
      progress(`${system.name}: trying how many HTTP processes serve it best`);
      const outcome = await tryProcesses(system, { ...options, folder: join(folder, 'tried') });
      processes = outcome.best;
      tried = outcome.tried;
    }
    progress(`${system.name}: starting`);
    const contender = await SellingContender.open(system, processes, options);
    this.#selling.push(contender);
    this.#nodes.push(contender.node);
    this.#configurations.set(system.name, {
      ...system.configuration,
      ...(tried === undefined ? {} : { 'HTTP processes tried': tried }),
    });
  }

  /** The floor and the ceiling answer as many bytes as the first system that sells. */
  async #openBare(): Promise<void> {
    const [first] = this.#selling;
    if (first === undefined) return;
    const shape = await replyShapeOf(first.stage);
    for (const name of ['ceiling', 'floor'] as const) {
      if (!this.#options.systems.includes(name)) continue;
      const node = await startFloor(name === 'floor' ? await this.#folder('floor') : undefined, shape);
      this.#nodes.push(node);
      const stage = new BareStage(node, this.#load, first.stage.world, this.#options.seed);
      this.#bare.push(new BareContender(name, node, stage, first.stage));
    }
  }

  /** The floor runs beside what is compared with it, the ceiling once a round; peers run what they are asked for. */
  #programme(): Programme {
    const { scenarios } = this.#options;
    const asked = windowScenarios.filter((scenario) => scenarios.includes(scenario));
    const floor = this.#bare.filter(({ name }) => name === 'floor');
    const ceiling = this.#bare.filter(({ name }) => name === 'ceiling');
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
      restock: ({ stage, violations }) => measureRestock(stage, this.#load, violations, { connections }),
      crash: async ({ name, system, processes, violations, bestPerSecond }, round) => {
        const { durable, afterPowerCut } = system;
        const start = (folder: string) =>
          system.start({ folder, processes, broken: false, watchSyncs: true });
        const crashable = { durable, start, ...(afterPowerCut === undefined ? {} : { afterPowerCut }) };
        return measureCrash(crashable, this.#load, violations, {
          folder: await this.#freshFolder(`crash-${name}`),
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
    return this.#selling.filter(({ name }) => name === 'purser' || peerScenarios.includes(scenario));
  }

  /** Started with the first system: when none can run here, nothing is. */
  get #load(): LoadGenerator {
    this.#generator ??= LoadGenerator.start(this.#options.loadProcesses);
    return this.#generator;
  }

  get #purser(): SellingContender | undefined {
    return this.#selling.find(({ name }) => name === 'purser');
  }

  async #flood(rounds: Rounds): Promise<FloodResult | undefined> {
    const { scenarios, timing } = this.#options;
    const { progress } = this.#environment;
    if (!scenarios.includes('flood') || this.#purser === undefined) return undefined;
    const floors = rounds.windows.filter(({ system }) => system === 'floor');
    // Purser won't sell more than the floor answers, give or take a machine's moods.
    const expectedPerSecond =
      floors.length === 0
        ? assumedPerSecond
        : 1.3 * Math.max(...floors.map(({ answersPerSecond }) => answersPerSecond));
    return measureFlood(this.#purser.stage, timing, this.#options.rounds, expectedPerSecond, progress);
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
    const purser = this.#purser;
    if (!scenarios.includes('history') || purser === undefined) return undefined;
    return measureHistory(
      {
        generator: this.#load,
        violations: purser.violations,
        seed,
        customers,
        sampledOrders,
        progress: this.#environment.progress,
        folderOf: (name) => join(this.#environment.folder, name),
        startNode: async (name) => {
          const node = await purser.system.start({
            folder: await this.#folder(name),
            processes: 1,
            broken: false,
          });
          this.#nodes.push(node);
          return node;
        },
      },
      { orders, rounds, timing, connections: openLoopConnections },
    );
  }

  async #resultOf(contender: SellingContender): Promise<SystemResult> {
    const { system, violations, stage, processes } = contender;
    return {
      name: system.name,
      version: await system.version(),
      durable: system.durable,
      processes,
      configuration: this.#configurations.get(system.name) ?? system.configuration,
      audit: {
        passed: violations.count === 0,
        violations: violations.count,
        answers: stage.audit.answers,
        found: violations.lines(),
      },
    };
  }

  async #freshFolder(name: string): Promise<string> {
    this.#folders += 1;
    return this.#folder(`${name}-${this.#folders}`);
  }

  async #folder(name: string): Promise<string> {
    const folder = join(this.#environment.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }
}

/** The result of a bare reply. The answers say nothing, so there is nothing to check. */
function resultOfBare({ name }: BareContender): SystemResult {
  return {
    name,
    version: 'of this benchmark',
    durable: name === 'floor',
    processes: 1,
    configuration: {
      'what it does':
        name === 'floor'
          ? "reads the request, writes a record of a purchase's size to LMDB, answers after the sync"
          : 'answers at once: shows how far the load generator reaches',
    },
    audit: { passed: true, violations: 0, answers: 0, found: [] },
  };
}

/** Where every buyer asks again at once. Elsewhere the rate is given, or contests differ in length. */
function isForFloor(scenario: WindowScenario): boolean {
  return scenario !== 'last-item';
}
