/**
 * Do purchases that wait for a slow supplier hold up those that need none? Own-stock purchases come at a fixed
 * rate, in an open loop; in every round they are measured without any supplier purchase in flight, and then
 * with so many in flight all the time, which other processes send for accounts and products of their own.
 *
 * The target is for the lowest rate, which leaves the machine room: p99 with 2,000 in flight at most 1.5 times
 * what it is without. Beyond that the machine's limits are measured: supplier purchases cost processor time,
 * and so do the processes that play the buyers and the supplier.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient, ok } from '../../test/support/operator-client.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import type { IndexRange } from '../load/plan.ts';
import { ASIDE_TEXT, type Aside, findAside } from '../measure/aside.ts';
import { conditionLines, readConditions } from '../measure/conditions.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import { LateSupplierProcess } from '../shop/late-supplier-process.ts';
import { SAMPLED_ORDERS, Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { catalog } from '../shop/world.ts';
import type { StartNode } from '../systems/running-node.ts';
import type { SuppliersOptions } from './suppliers-options.ts';
import { type OwnStockResult, printSuppliers, type SuppliedResult } from './suppliers-report.ts';

const suppliedProducts = 20;
/** More than one supplier sells in any run. */
const serials = 2_000_000;
const ownConnections = 64;
/** Ends a window that nobody has ended. */
const longestMs = 10 * 60_000;
const supplierSecret = 'secret of the bench supplier';
const callsAtOnce = 16;
const warmUpRound = -1;

export interface SuppliersEnvironment {
  readonly startNode: StartNode;
  /** An empty folder on the filesystem to measure. */
  readonly folder: string;
  /** The report, a block at a time. */
  readonly print: (text: string) => void;
  /** Prints the progress, a line at a time. */
  readonly progress: (line: string) => void;
}

/** Resolves true when the check found nothing wrong. */
export async function runSuppliers(
  options: SuppliersOptions,
  environment: SuppliersEnvironment,
): Promise<boolean> {
  const aside = findAside();
  environment.print(printConditions(options, environment.folder, aside));
  const dataDir = join(environment.folder, 'suppliers');
  await mkdir(dataDir);
  const violations = new Violations();
  const own = LoadGenerator.start(1);
  const supplied = LoadGenerator.start(1, aside);
  const node = await environment.startNode(dataDir);
  try {
    const stage = await Stage.open(node, own, {
      seed: options.seed,
      violations,
      customers: options.customers,
    });
    const run = await SuppliersRun.open(stage, supplied, options, environment, aside);
    try {
      await run.warmUp();
      for (let round = 0; round < options.rounds; round += 1) await run.round(round);
      environment.progress(`checking ${stage.audit.orders.toLocaleString('en')} acknowledged orders`);
      await run.check(violations);
    } finally {
      run.close();
    }
    environment.print(printSuppliers(run.ownStock, run.supplied));
    environment.print(printCheck(violations, options));
    await node.stop();
    return violations.count === 0;
  } finally {
    await Promise.all([own.stop(), supplied.stop()]);
    await node.kill();
  }
}

class SuppliersRun {
  readonly ownStock: OwnStockResult[] = [];
  readonly supplied: SuppliedResult[] = [];
  readonly #stage: Stage;
  readonly #generator: LoadGenerator;
  readonly #options: SuppliersOptions;
  readonly #progress: (line: string) => void;
  readonly #supplier: LateSupplierProcess;
  readonly #accounts: IndexRange;
  readonly #products: IndexRange;
  #bought = 0;

  private constructor(
    stage: Stage,
    generator: LoadGenerator,
    options: SuppliersOptions,
    progress: (line: string) => void,
    supplier: LateSupplierProcess,
    ranges: { readonly accounts: IndexRange; readonly products: IndexRange },
  ) {
    this.#stage = stage;
    this.#generator = generator;
    this.#options = options;
    this.#progress = progress;
    this.#supplier = supplier;
    this.#accounts = ranges.accounts;
    this.#products = ranges.products;
  }

  /** `generator` sends the supplier purchases. */
  static async open(
    stage: Stage,
    generator: LoadGenerator,
    options: SuppliersOptions,
    { progress }: SuppliersEnvironment,
    aside: Aside,
  ): Promise<SuppliersRun> {
    const firstSerial = stage.world.items.reserve(serials);
    const supplier = await LateSupplierProcess.start(options.answerMs, firstSerial, aside);
    const source = { url: supplier.url, secret: supplierSecret };
    const ranges = await stage.world.createSupplied(options.suppliedAccounts, suppliedProducts, source);
    stage.audit.keepAllOf(ranges.accounts);
    return new SuppliersRun(stage, generator, options, progress, supplier, ranges);
  }

  /**
   * Makes a round that doesn't count: code is compiled, connections are made. Its purchases are checked like all
   * others.
   */
  async warmUp(): Promise<void> {
    const { rates, inFlight } = this.#options;
    const first = rates.slice(0, 1);
    for (const perSecond of first) await this.#measure(warmUpRound, 0, perSecond);
    for (const count of inFlight.slice(0, 1)) await this.#beside(warmUpRound, count, first);
    this.ownStock.length = 0;
    this.supplied.length = 0;
  }

  async round(round: number): Promise<void> {
    const { rates, inFlight } = this.#options;
    for (const perSecond of rates) await this.#measure(round, 0, perSecond);
    for (const count of inFlight) await this.#beside(round, count, rates);
  }

  /** Compares the books with what the server says, and what was sold with what was bought. */
  async check(violations: Violations): Promise<void> {
    await this.#stage.compare();
    const { node, world } = this.#stage;
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const { first, count } = this.#accounts;
    await inParallel(world.accounts.slice(first, first + count), callsAtOnce, async ({ accountId }) => {
      const { heldUsdt } = await ok(operator.getAccount(accountId));
      if (heldUsdt !== 0) violations.add(`account ${accountId} still has ${heldUsdt} USDT on hold`);
    });
    const { supplierPurchases = [] } = await ok(operator.listSupplierPurchases());
    if (supplierPurchases.length > 0)
      violations.add(`${supplierPurchases.length} purchases at suppliers are still open`);
    const { sold } = await this.#supplier.report();
    if (sold === this.#bought) return;
    violations.add(`the supplier sold ${sold} items, ${this.#bought} orders were acknowledged`);
  }

  close(): void {
    this.#supplier.stop();
  }

  async #beside(round: number, count: number, rates: readonly number[]): Promise<void> {
    const load = await this.#stage.begin('supplied', this.#suppliedShape(count), this.#generator);
    for (const perSecond of rates) await this.#measure(round, count, perSecond);
    const { load: measured, tallies } = await load.end();
    const [lane] = measured.lanes;
    if (lane === undefined) throw new Error('a window without a measurement');
    this.#bought += tallies[0]?.orders ?? 0;
    this.supplied.push({
      inFlight: count,
      answersPerSecond: lane.answersPerSecond,
      p50Ms: lane.latency.getValueAtPercentile(50) / 1000,
      p99Ms: lane.latency.getValueAtPercentile(99) / 1000,
      maxMs: lane.latency.maxValue / 1000,
    });
  }

  async #measure(round: number, inFlight: number, perSecond: number): Promise<void> {
    const { warmupMs, measureMs } = this.#options;
    await this.#stage.stockUp(catalog, (perSecond * (warmupMs + measureMs)) / 1000);
    const before = await this.#supplier.report();
    const { window } = await this.#stage.run('own stock', this.#ownShape(perSecond), inFlight > 0);
    const after = await this.#supplier.report();
    const [lane] = window.lanes;
    if (lane === undefined) throw new Error('a window without a measurement');
    const p99Ms = lane.latency.getValueAtPercentile(99) / 1000;
    this.ownStock.push({
      round,
      inFlight,
      perSecond,
      answersPerSecond: lane.answersPerSecond,
      p50Ms: lane.latency.getValueAtPercentile(50) / 1000,
      p99Ms,
      p999Ms: lane.latency.getValueAtPercentile(99.9) / 1000,
      atSupplier: (before.underWay + after.underWay) / 2,
      serverCpuShare: window.serverCpuShare,
      clientCpuShare: window.clientCpuShare,
      otherCpuShare: window.otherCpuShare,
    });
    this.#progress(
      `${round === warmUpRound ? 'warm-up' : `round ${round + 1}`}, ${inFlight} in flight, ${perSecond}/s: p99 ${p99Ms.toFixed(2)} ms; at the supplier ${before.underWay}, then ${after.underWay}, over ${after.accepted} connections so far`,
    );
  }

  #ownShape(perSecond: number): WindowShape {
    const { warmupMs, measureMs } = this.#options;
    const { customers } = this.#stage.world;
    const lane = { name: 'own stock', choice: 'random', copies: 1, connections: ownConnections } as const;
    return {
      lanes: [{ plan: { ...lane, accounts: customers, products: catalog, perSecond }, refusals: [] }],
      span: { kind: 'timed', warmupMs, measureMs },
    };
  }

  #suppliedShape(count: number): WindowShape {
    const { answerMs, settleMs, together } = this.#options;
    const lane = { name: 'supplied', choice: 'random', copies: 1, connections: count } as const;
    const spreadMs = together ? 0 : answerMs;
    const plan = { ...lane, accounts: this.#accounts, products: this.#products, spreadMs };
    const warmupMs = answerMs + settleMs;
    return { lanes: [{ plan, refusals: [] }], span: { kind: 'timed', warmupMs, measureMs: longestMs } };
  }
}

function printConditions(options: SuppliersOptions, folder: string, aside: Aside): string {
  const { answerMs, inFlight, rates, together, rounds } = options;
  const begin = together ? 'begin and end together' : `spread over ${answerMs} ms`;
  return [
    ...conditionLines(readConditions(folder), options.transport),
    'durability  fsync on: every answer leaves after its group is on disk; no supplier is asked before either',
    `windows     ${options.warmupMs} ms warm-up, ${options.measureMs} ms measured, ${rounds} rounds; medians over rounds`,
    `own stock   ${rates.join(', ')} purchases/s, open loop, ${ownConnections} connections; seed ${options.seed}`,
    `supplied    ${inFlight.join(', ')} in flight, closed loop, ${begin}; a connection each`,
    `supplier    answers each after ${answerMs} ms; a process on the same machine, as are both clients`,
    `scheduling  the supplier and the client of supplied ${ASIDE_TEXT[aside]}: elsewhere they have machines of their own`,
    'excluded    TLS, the network, warm-up, process start, stocking up, the check afterwards',
  ].join('\n');
}

function printCheck(violations: Violations, { seed }: SuppliersOptions): string {
  if (violations.count > 0)
    return [`check: ${violations.count} violations`, ...violations.lines()].join('\n');
  return `check: every answer read; items, orders and wallets add up; nothing is on hold, nothing open; the supplier sold what was bought; every supplied order and up to ${SAMPLED_ORDERS.toLocaleString('en')} others fetched again (seed ${seed})`;
}
