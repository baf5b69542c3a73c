/**
 * The contention benchmark from start to verdict: conditions, systems, rounds, report, check.
 *
 * The verdict is the check's, not the speed's: it is true when every acknowledged purchase of every durable system
 * held, however fast or slow the machine was. Everything it starts is stopped and every file it wrote is removed.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BuyerClient } from '../test/support/buyer-client.ts';
import { type Conditions, conditionLines, readConditions } from './conditions.ts';
import { BareContender, type ContenderOptions, SellingContender, STOCK_MARGIN } from './contender.ts';
import type { ContentionOptions } from './contention-options.ts';
import { type FloodResult, measureFlood, printFlood } from './flood.ts';
import { type ReplyShape, startFloor } from './floor-process.ts';
import { type HistoryResult, measureHistory, printHistory } from './history.ts';
import { LoadGenerator } from './load/load-generator.ts';
import { tryProcesses } from './processes.ts';
import type { Results, SystemResult } from './report/results.ts';
import { rowsOf } from './report/rows.ts';
import { printRows } from './report/table.ts';
import { writeReport } from './report/write-report.ts';
import { type Programme, Rounds, type Scene } from './rounds.ts';
import type { RunningNode } from './running-node.ts';
import { measureCrash } from './scenarios/crash.ts';
import { measureFlashSale } from './scenarios/flash-sale.ts';
import { measureRestock } from './scenarios/restock.ts';
import { type ScenarioName, type SceneScenario, sceneScenarios, windowScenarios } from './scenarios.ts';
import { BareStage, SAMPLED_ORDERS, type Stage } from './stage.ts';
import { type System, type SystemName, systemNames } from './system.ts';

export interface BenchEnvironment {
  /** Purser first, then its peers, also those that can't run here. */
  readonly systems: readonly System[];
  /** An empty folder on the filesystem to measure. */
  readonly folder: string;
  /** The report, a block at a time. */
  readonly print: (text: string) => void;
  /** What is going on meanwhile, a line at a time. */
  readonly progress: (line: string) => void;
}

/** What `report.json` holds. */
export interface ContentionReport extends Results {
  readonly options: ContentionOptions;
  readonly flood: FloodResult | undefined;
  readonly history: HistoryResult | undefined;
}

/** Purchases per second to prepare stock for when nothing has been measured. */
const assumedPerSecond = 80_000;

/** Resolves true when the check found nothing wrong. */
export async function runContention(
  options: ContentionOptions,
  environment: BenchEnvironment,
): Promise<boolean> {
  const conditions = readConditions(environment.folder);
  environment.print(printConditions(conditions, options));
  const run = new ContentionRun(options, environment);
  try {
    const report = await run.report(conditions);
    environment.print(printReport(report));
    if (options.report !== undefined) {
      for (const file of await writeReport(options.report, report, { svg: true }))
        environment.print(`written: ${file}`);
    }
    return report.systems.every(({ audit }) => audit.passed);
  } finally {
    await run.close();
  }
}

/** Owns what was started. */
class ContentionRun {
  readonly #options: ContentionOptions;
  readonly #environment: BenchEnvironment;
  readonly #generator: LoadGenerator;
  readonly #nodes: RunningNode[] = [];
  readonly #selling: SellingContender[] = [];
  readonly #bare: BareContender[] = [];
  readonly #configurations = new Map<SystemName, Readonly<Record<string, string>>>();

  constructor(options: ContentionOptions, environment: BenchEnvironment) {
    this.#options = options;
    this.#environment = environment;
    this.#generator = LoadGenerator.start(options.loadProcesses);
  }

  async report(conditions: Conditions): Promise<ContentionReport> {
    const options = this.#options;
    const { able, missing } = await this.#able();
    for (const { name, reason } of missing) this.#environment.print(`left out: ${name}: ${reason}`);
    for (const system of able) await this.#open(system);
    await this.#openBare();
    const rounds = new Rounds({ ...options, progress: this.#environment.progress });
    await rounds.run(this.#programme());
    await this.#scenes(rounds);
    const flood = await this.#flood(rounds);
    for (const contender of this.#selling) await this.#check(contender);
    const history = await this.#history();
    const systems = await Promise.all([
      ...this.#selling.map((contender) => this.#resultOf(contender)),
      ...this.#bare.map(resultOfBare),
    ]);
    systems.sort((one, other) => systemNames.indexOf(one.name) - systemNames.indexOf(other.name));
    return {
      conditions,
      systems,
      missing,
      windows: rounds.windows,
      rows: rowsOf(rounds.windows),
      options,
      flood,
      history,
    };
  }

  async close(): Promise<void> {
    await this.#generator.stop();
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  async #able(): Promise<{ able: System[]; missing: { name: SystemName; reason: string }[] }> {
    const able: System[] = [];
    const missing: { name: SystemName; reason: string }[] = [];
    for (const system of this.#environment.systems) {
      if (!this.#options.systems.includes(system.name)) continue;
      const reason = await system.missing();
      if (reason === undefined) able.push(system);
      else missing.push({ name: system.name, reason });
    }
    return { able, missing };
  }

  async #open(system: System): Promise<void> {
    const { seed, customers, sampledOrders, broken, timing } = this.#options;
    const { folder, progress } = this.#environment;
    const options: ContenderOptions = {
      generator: this.#generator,
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
      const stage = new BareStage(node, this.#generator, first.stage.world, this.#options.seed);
      this.#bare.push(new BareContender(name, node, stage, first.stage));
    }
  }

  /** The floor and the ceiling run once a round; peers run what they are asked for. */
  #programme(): Programme {
    const { scenarios } = this.#options;
    const asked = windowScenarios.filter((scenario) => scenarios.includes(scenario));
    if (asked.length === 0) return [];
    return [
      { scenario: 'uniform', contenders: this.#bare },
      ...asked.map((scenario) => ({ scenario, contenders: this.#contendersOf(scenario) })),
    ];
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
      restock: ({ stage, violations, bestPerSecond }) =>
        measureRestock(stage, this.#generator, violations, {
          connections,
          perSecond: Math.round(bestPerSecond / 2),
        }),
      crash: async ({ name, system, processes, violations, bestPerSecond }, round) => {
        const { durable, afterPowerCut } = system;
        const start = (folder: string) => system.start({ folder, processes, broken: false });
        const crashable = { name, durable, start, ...(afterPowerCut === undefined ? {} : { afterPowerCut }) };
        return measureCrash(crashable, this.#generator, violations, {
          folder: await this.#folder(`crash-${name}-${round}`),
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

  async #check(contender: SellingContender): Promise<void> {
    const { orders } = contender.stage.audit;
    this.#environment.progress(
      `${contender.name}: checking ${orders.toLocaleString('en')} acknowledged orders`,
    );
    await contender.stage.compare();
    await contender.node.stop();
  }

  async #history(): Promise<HistoryResult | undefined> {
    const { scenarios, orders, rounds, timing, seed, customers, sampledOrders, connections } = this.#options;
    const purser = this.#purser;
    if (!scenarios.includes('history') || purser === undefined) return undefined;
    return measureHistory(
      {
        generator: this.#generator,
        violations: purser.violations,
        seed,
        customers,
        sampledOrders,
        progress: this.#environment.progress,
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
      { orders, rounds, timing, connections: connections.includes(256) ? 256 : (connections[0] ?? 64) },
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

  async #folder(name: string): Promise<string> {
    const folder = join(this.#environment.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }
}

/** Its answers say nothing, so there is nothing to check. */
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

/** Buys once, to see how long an answer is. The books know of the purchase. */
async function replyShapeOf(stage: Stage): Promise<ReplyShape> {
  await stage.world.stockUp({ first: 0, count: 1 }, 10);
  const buyer = new BuyerClient(stage.node.buyerUrl);
  try {
    const { apiKeys, products } = stage.world;
    const body = { productId: products[0]?.productId ?? 0, expectedPriceUsdt: products[0]?.priceUsdt ?? 0 };
    const reply = await buyer.purchase(apiKeys[0] ?? '', 'bench-probe', body);
    if (reply.status !== 201)
      throw new Error(`the first purchase was answered ${reply.status}: ${reply.text}`);
    stage.audit.readOrder('probe', { account: 0, product: 0, text: reply.text });
    const requestId = reply.headers['x-request-id'];
    return {
      bodyBytes: Buffer.byteLength(reply.text),
      requestIdBytes: typeof requestId === 'string' ? requestId.length : 20,
    };
  } finally {
    buyer.close();
  }
}

function printConditions(conditions: Conditions, options: ContentionOptions): string {
  const { timing } = options;
  return [
    ...conditionLines(conditions, options.transport),
    `durability  fsync on: every answer leaves after its group is on disk; what differs is said at each system`,
    `windows     ${timing.warmupMs} ms warm-up, ${timing.measureMs} ms measured, ${options.rounds} rounds; medians over rounds`,
    `load        ${options.loadProcesses} client process(es) on the same machine, closed loop; seed ${options.seed}`,
    'excluded    TLS, the network, warm-up, process start, stocking up, the check afterwards',
  ].join('\n');
}

function printReport(report: ContentionReport): string {
  const blocks: string[] = [];
  if (report.rows.length > 0) blocks.push(printRows(report.rows));
  if (report.flood !== undefined) blocks.push(printFlood(report.flood));
  if (report.history !== undefined) blocks.push(printHistory(report.history));
  const { seed, sampledOrders = SAMPLED_ORDERS } = report.options;
  for (const { name, version, processes, configuration, durable } of report.systems) {
    const lines = Object.entries(configuration).map(([key, value]) => `  ${key}: ${value}`);
    blocks.push(
      [`${name}: ${version}, ${processes} HTTP process(es)${durable ? '' : ', not durable'}`, ...lines].join(
        '\n',
      ),
    );
  }
  const checked = report.systems.filter(({ audit }) => audit.answers > 0);
  blocks.push(
    checked
      .map(({ name, audit: { passed, violations, answers, found } }) =>
        passed
          ? `check of ${name}: every one of ${answers.toLocaleString('en')} answers read; items, orders and wallets add up; up to ${sampledOrders.toLocaleString('en')} orders fetched again (seed ${seed})`
          : [`check of ${name}: ${violations} violations`, ...found].join('\n'),
      )
      .join('\n'),
  );
  return blocks.join('\n\n');
}
