/**
 * The systems of a run: started together, and stopped together.
 *
 * Invariant: whoever opens them closes them; then nothing of them is left but their results. A peer that can't run here,
 * or doesn't start, is left out and named.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BadFlagError, type ContentionOptions } from '../commands/contention-options.ts';
import { tryProcesses } from '../commands/processes.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import type { Results, SystemResult } from '../report/results.ts';
import { BareStage } from '../shop/stage.ts';
import { BareContender, type ContenderOptions, SellingContender } from '../systems/contender.ts';
import { replyShapeOf, startFloor } from '../systems/floor-process.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { type System, type SystemName, systemNames } from '../systems/system.ts';

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

export class RunningSystems {
  readonly #options: ContentionOptions;
  readonly #environment: BenchEnvironment;
  #generator: LoadGenerator | undefined;
  #folders = 0;
  readonly #nodes: RunningNode[] = [];
  readonly selling: SellingContender[] = [];
  readonly bare: BareContender[] = [];
  readonly #configurations = new Map<SystemName, Readonly<Record<string, string>>>();

  readonly missing: MissingSystem[] = [];

  private constructor(options: ContentionOptions, environment: BenchEnvironment) {
    this.#options = options;
    this.#environment = environment;
  }

  /**
   * Starts the systems that were asked for. A peer that can't run here, or doesn't start, is left out and named. Throws
   * a `BadFlagError` when nobody is left.
   */
  static async open(options: ContentionOptions, environment: BenchEnvironment): Promise<RunningSystems> {
    const systems = new RunningSystems(options, environment);
    try {
      for (const system of environment.systems) {
        if (options.systems.includes(system.name)) await systems.#openOrLeaveOut(system);
      }
      if (systems.selling.length === 0)
        throw new BadFlagError('there is nobody to measure: no system that was asked for can run here');
      if (options.broken !== undefined && !systems.selling.some(({ name }) => name === options.broken))
        throw new BadFlagError(`${options.broken} was to run broken, and is not among the systems that run`);
      await systems.#openBare();
      return systems;
    } catch (error) {
      await systems.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#generator?.stop();
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  /** Started with the first system: when none can run here, nothing is. */
  get generator(): LoadGenerator {
    this.#generator ??= LoadGenerator.start(this.#options.loadProcesses);
    return this.#generator;
  }

  get purser(): SellingContender | undefined {
    return this.selling.find(({ name }) => name === 'purser');
  }

  /** The results of all, in the order of their names' list. */
  async results(): Promise<SystemResult[]> {
    const results = await Promise.all([
      ...this.selling.map((contender) => this.#resultOf(contender)),
      ...this.bare.map(resultOfBare),
    ]);
    return results.sort((one, other) => systemNames.indexOf(one.name) - systemNames.indexOf(other.name));
  }

  /** Starts another node of a system, in a folder of its own. */
  async startMore(system: System, name: string): Promise<RunningNode> {
    const node = await system.start({ folder: await this.#folder(name), processes: 1, broken: false });
    this.#nodes.push(node);
    return node;
  }

  /** Makes a folder that nobody had before. */
  async freshFolder(name: string): Promise<string> {
    this.#folders += 1;
    return this.#folder(`${name}-${this.#folders}`);
  }

  async #folder(name: string): Promise<string> {
    const folder = join(this.#environment.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
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
    this.missing.push({ name: system.name, reason });
    this.#environment.print(`left out: ${system.name}: ${reason}`);
  }

  async #open(system: System): Promise<void> {
    const { seed, customers, sampledOrders, broken, timing } = this.#options;
    const { folder, progress } = this.#environment;
    const options: ContenderOptions = {
      generator: this.generator,
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
    this.selling.push(contender);
    this.#nodes.push(contender.node);
    this.#configurations.set(system.name, {
      ...system.configuration,
      ...(tried === undefined ? {} : { 'HTTP processes tried': tried }),
    });
  }

  /** The floor and the ceiling answer as many bytes as the first system that sells. */
  async #openBare(): Promise<void> {
    const [first] = this.selling;
    if (first === undefined) return;
    const shape = await replyShapeOf(first.stage);
    for (const name of ['ceiling', 'floor'] as const) {
      if (!this.#options.systems.includes(name)) continue;
      const node = await startFloor(name === 'floor' ? await this.#folder('floor') : undefined, shape);
      this.#nodes.push(node);
      const stage = new BareStage(node, this.generator, first.stage.world, this.#options.seed);
      this.bare.push(new BareContender(name, node, stage, first.stage));
    }
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
