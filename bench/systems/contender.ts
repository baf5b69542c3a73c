/**
 * A system in a run: started, set up, and measured one window at a time.
 *
 * Invariant: before a window there is stock for twice as many purchases as the system has ever made in such a time, so
 * that nobody is measured at refusing. The first window doesn't count: in it code and heaps get warm, and the system's
 * speed is seen for the first time.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { MeasuredWindow } from '../measure/measured-window.ts';
import { copiesOf, type Timing, type WindowScenario, windowShape } from '../scenarios/scenarios.ts';
import { type BareStage, Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { hotProduct, stockOfContest } from '../shop/world.ts';
import type { RunningNode } from './running-node.ts';
import type { System, SystemName } from './system.ts';

export interface WindowTask {
  readonly scenario: WindowScenario;
  readonly connections: number;
  readonly timing: Timing;
  /** Requests a second of an open loop. */
  readonly perSecond?: number;
}

export interface Contender {
  readonly name: SystemName;
  measure(task: WindowTask): Promise<MeasuredWindow>;
}

export interface ContenderOptions {
  readonly generator: LoadGenerator;
  /** An empty folder for its data. */
  readonly folder: string;
  readonly seed: number;
  readonly customers: number | undefined;
  readonly sampledOrders: number | undefined;
  readonly broken: boolean;
  /** Bounds the first window. */
  readonly timing: Timing;
}

export const STOCK_MARGIN = 2;
/** How much faster a system may be once it is warm and has more connections than the first window. */
const WARM_BY_COLD = 2.5;
/** The first stock: what is sold out in a first window that doesn't count is refused, and that is right. */
const FIRST_STOCK = 20_000;
const FIRST_WINDOW_MS = 1_000;
/** The most contests of one window: each is a product of its own. */
const MOST_CONTESTS = 200;
/** A window in which the machine stood still says nothing about the next one. */
const LEAST_PER_SECOND = 1_000;

/** A system that sells. */
export class SellingContender implements Contender {
  readonly system: System;
  readonly stage: Stage;
  readonly violations: Violations;
  /** The number of HTTP processes. */
  readonly processes: number;
  #bestPerSecond = LEAST_PER_SECOND;

  private constructor(system: System, stage: Stage, violations: Violations, processes: number) {
    this.system = system;
    this.stage = stage;
    this.violations = violations;
    this.processes = processes;
  }

  /** Starts the system, sets up accounts and products in it, and runs the window that doesn't count. */
  static async open(system: System, processes: number, options: ContenderOptions): Promise<SellingContender> {
    const { generator, folder, seed, customers, sampledOrders, broken } = options;
    const violations = new Violations();
    const own = join(folder, system.name);
    await mkdir(own, { recursive: true });
    const node = await system.start({ folder: own, processes, broken });
    try {
      const stage = await Stage.open(node, generator, { seed, violations, customers, sampledOrders });
      const contender = new SellingContender(system, stage, violations, processes);
      await contender.#warmUp(Math.min(FIRST_WINDOW_MS, options.timing.measureMs));
      return contender;
    } catch (error) {
      await node.kill();
      throw error;
    }
  }

  get name(): SystemName {
    return this.system.name;
  }

  get node(): RunningNode {
    return this.stage.node;
  }

  /** Purchases a second, the most that a window has seen so far. */
  get bestPerSecond(): number {
    return this.#bestPerSecond;
  }

  async measure(task: WindowTask): Promise<MeasuredWindow> {
    const { scenario, timing } = task;
    const { stage } = this;
    const contestCount = scenario === 'last-item' ? this.#contestsIn(timing) : 0;
    const contests =
      contestCount > 0 ? await stage.world.createContests(contestCount + 1) : { first: 0, count: 0 };
    const ownTiming = contestCount > 0 ? { ...timing, contests: contestCount } : timing;
    const shape = windowShape({ ...task, timing: ownTiming }, stage.world, contests);
    const [lane] = shape.lanes;
    if (lane !== undefined && shape.span.kind === 'timed') {
      const seconds = (shape.span.warmupMs + shape.span.measureMs) / 1000;
      const perSecond = task.perSecond ?? this.#bestPerSecond * STOCK_MARGIN;
      await stage.stockUp(lane.plan.products, perSecond * seconds);
    }
    const { window } = await stage.run(scenario, shape);
    const sold = window.lanes[0]?.statuses.get(201) ?? 0;
    const soldPerSecond = sold / copiesOf(scenario) / (window.measuredMs / 1000);
    this.#bestPerSecond = Math.max(this.#bestPerSecond, soldPerSecond);
    if (scenario === 'last-item') this.#checkContests(contests);
    return window;
  }

  /** As many as fill the measured time, so that a fast system isn't measured for a moment only. */
  #contestsIn({ contests, measureMs }: Timing): number {
    const buyers = this.stage.world.customers.count;
    const inTime = Math.round((this.#bestPerSecond * measureMs) / 1000 / buyers);
    return Math.max(contests, Math.min(MOST_CONTESTS, inTime));
  }

  /** As many winners as items; that no item went out twice is the audit's to see. */
  #checkContests(contests: { readonly first: number; readonly count: number }): void {
    const products = this.stage.world.products.slice(contests.first, contests.first + contests.count);
    for (const product of products) {
      if (product.sold === stockOfContest) continue;
      this.violations.add(
        `last-item: product ${product.productId} had ${product.sold} winners for ${stockOfContest} items`,
      );
    }
  }

  async #warmUp(measureMs: number): Promise<void> {
    const { stage } = this;
    const timing: Timing = { warmupMs: 0, measureMs, contests: 0 };
    await stage.stockUp(hotProduct, FIRST_STOCK);
    const task: WindowTask = { scenario: 'hot-product', connections: 64, timing };
    const { lanes, span } = windowShape(task, stage.world, { first: 0, count: 0 });
    const refusals = ['OUT_OF_STOCK'];
    const { window } = await stage.run('warm-up', {
      lanes: lanes.map(({ plan }) => ({ plan, refusals })),
      span,
    });
    const coldPerSecond = window.lanes[0]?.answersPerSecond ?? 0;
    this.#bestPerSecond = Math.max(LEAST_PER_SECOND, coldPerSecond * WARM_BY_COLD);
  }
}

/** A server that sells nothing: the floor with a disk, or the ceiling without one. */
export class BareContender implements Contender {
  readonly name: SystemName;
  readonly node: RunningNode;
  readonly #stage: BareStage;
  readonly #world: Stage['world'];

  /** `alike` lends the world whose keys and products are sent. */
  constructor(name: SystemName, node: RunningNode, stage: BareStage, alike: Stage) {
    this.name = name;
    this.node = node;
    this.#stage = stage;
    this.#world = alike.world;
  }

  measure(task: WindowTask): Promise<MeasuredWindow> {
    return this.#stage.run(windowShape(task, this.#world, { first: 0, count: 0 }));
  }
}
