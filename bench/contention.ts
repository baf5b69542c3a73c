/**
 * The contention benchmark from start to verdict: conditions, servers, rounds, report, check.
 *
 * The verdict is the check's, not the speed's: it returns true when every acknowledged purchase held, however
 * fast or slow the machine was. Everything it starts is stopped and every file it wrote is removed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuyerClient } from '../test/support/buyer-client.ts';
import { Comparison } from './comparison.ts';
import { type Conditions, conditionLines, readConditions } from './conditions.ts';
import type { ContentionOptions } from './contention-options.ts';
import { type FloodResult, measureFlood, printFlood } from './flood.ts';
import { type ReplyShape, startFloor } from './floor-process.ts';
import { type HistoryResult, measureHistory, printHistory } from './history.ts';
import { LoadGenerator } from './load/load-generator.ts';
import { clientBoundShare, printRows, type ReportRow, type RoundResult, reportRows } from './report.ts';
import type { RunningNode, StartNode } from './running-node.ts';
import type { Contender } from './scenarios.ts';
import { BareStage, SAMPLED_ORDERS, Stage } from './stage.ts';
import { Violations } from './violations.ts';

export interface BenchEnvironment {
  readonly startNode: StartNode;
  /** An empty folder on the filesystem to measure. */
  readonly folder: string;
  /** The report, a block at a time. */
  readonly print: (text: string) => void;
  /** What is going on meanwhile, a line at a time. */
  readonly progress: (line: string) => void;
}

export interface ContentionReport {
  readonly conditions: Conditions;
  readonly options: ContentionOptions;
  readonly rows: readonly ReportRow[];
  readonly rounds: readonly RoundResult[];
  readonly flood: FloodResult | undefined;
  readonly history: HistoryResult | undefined;
  readonly check: { readonly violations: number; readonly found: readonly string[] };
}

/** Purchases per second to prepare stock for when no floor has been measured. */
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
    const { rounds, flood } = await run.compare();
    const history = await run.history();
    const rows = reportRows(rounds);
    const check = { violations: run.violations.count, found: run.violations.lines() };
    const report: ContentionReport = { conditions, options, rows, rounds, flood, history, check };
    environment.print(printReport(report));
    if (options.json !== undefined)
      await writeFile(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return check.violations === 0;
  } finally {
    await run.close();
  }
}

/** Owns what was started. */
class ContentionRun {
  readonly violations = new Violations();
  readonly #options: ContentionOptions;
  readonly #environment: BenchEnvironment;
  readonly #generator: LoadGenerator;
  readonly #nodes: RunningNode[] = [];

  constructor(options: ContentionOptions, environment: BenchEnvironment) {
    this.#options = options;
    this.#environment = environment;
    this.#generator = LoadGenerator.start(options.loadProcesses);
  }

  async compare(): Promise<{ rounds: RoundResult[]; flood: FloodResult | undefined }> {
    const { timing, seed, customers, sampledOrders, scenarios } = this.#options;
    const contenders = scenarios.filter((name): name is Contender => name !== 'flood' && name !== 'history');
    const withFlood = scenarios.includes('flood');
    if (contenders.length === 0 && !withFlood) return { rounds: [], flood: undefined };

    const { violations } = this;
    const stage = await Stage.open(await this.#startPurser('compared'), this.#generator, {
      seed,
      violations,
      customers,
      sampledOrders,
    });
    const rounds = await this.#rounds(stage, contenders);
    const { progress } = this.#environment;
    const flood = withFlood
      ? await measureFlood(stage, timing, this.#options.rounds, fastestFloor(rounds), progress)
      : undefined;
    progress(`checking ${stage.audit.orders.toLocaleString('en')} acknowledged orders`);
    await stage.compare();
    await stage.node.stop();
    return { rounds, flood };
  }

  async history(): Promise<HistoryResult | undefined> {
    const { scenarios, orders, rounds, timing, seed, customers, sampledOrders, connections } = this.#options;
    if (!scenarios.includes('history')) return undefined;
    return measureHistory(
      {
        generator: this.#generator,
        violations: this.violations,
        seed,
        customers,
        sampledOrders,
        progress: this.#environment.progress,
        startNode: (name) => this.#startPurser(name),
      },
      { orders, rounds, timing, connections: connections.includes(256) ? 256 : (connections[0] ?? 64) },
    );
  }

  async close(): Promise<void> {
    await this.#generator.stop();
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  async #rounds(stage: Stage, contenders: readonly Contender[]): Promise<RoundResult[]> {
    if (contenders.length === 0) return [];
    const { timing, seed, connections, rounds } = this.#options;
    const shape = await replyShapeOf(stage);
    const floor = await this.#start(startFloor(await this.#folder('floor'), shape));
    const ceiling = await this.#start(startFloor(undefined, shape));
    const comparison = new Comparison({
      stage,
      floor: new BareStage(floor, this.#generator, stage.world, seed),
      ceiling: new BareStage(ceiling, this.#generator, stage.world, seed),
      violations: this.violations,
      timing,
      progress: this.#environment.progress,
    });
    const results: RoundResult[] = [];
    for (const count of connections) {
      for (let round = 0; round < rounds; round += 1) {
        results.push(...(await comparison.round(contenders, count, round)));
      }
    }
    await Promise.all([floor.stop(), ceiling.stop()]);
    return results;
  }

  async #startPurser(name: string): Promise<RunningNode> {
    return this.#start(this.#environment.startNode(await this.#folder(name)));
  }

  async #start(starting: Promise<RunningNode>): Promise<RunningNode> {
    const node = await starting;
    this.#nodes.push(node);
    return node;
  }

  async #folder(name: string): Promise<string> {
    const folder = join(this.#environment.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }
}

/** Purser won't sell more than the floor answers, give or take a machine's moods. */
function fastestFloor(rounds: readonly RoundResult[]): number {
  const floors = rounds.filter((result) => result.contender === 'floor');
  if (floors.length === 0) return assumedPerSecond;
  return 1.3 * Math.max(...floors.map((result) => result.answersPerSecond));
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
    `durability  fsync on: every answer leaves after its group is on disk`,
    `windows     ${timing.warmupMs} ms warm-up, ${timing.measureMs} ms measured, ${options.rounds} rounds; medians over rounds`,
    `load        ${options.loadProcesses} client process(es) on the same machine, closed loop; seed ${options.seed}`,
    'excluded    TLS, the network, warm-up, process start, stocking up, the check afterwards',
  ].join('\n');
}

function printReport(report: ContentionReport): string {
  const blocks: string[] = [];
  if (report.rows.length > 0) blocks.push(printRows(report.rows));
  if (report.rows.some((row) => (row.clientCpuShare?.median ?? 0) > clientBoundShare)) {
    blocks.push('* the load generator was busy itself: what it measured is a lower bound');
  }
  if (report.flood !== undefined) blocks.push(printFlood(report.flood));
  if (report.history !== undefined) blocks.push(printHistory(report.history));
  const { violations, found } = report.check;
  const { seed, sampledOrders = SAMPLED_ORDERS } = report.options;
  blocks.push(
    violations === 0
      ? `check: every answer read; items, orders and wallets add up; up to ${sampledOrders.toLocaleString('en')} orders fetched again (seed ${seed})`
      : [`check: ${violations} violations`, ...found].join('\n'),
  );
  return blocks.join('\n\n');
}
