/**
 * Runs the compared scenarios round by round: floor, uniform, hot-product, hot-wallet, last-item, same-key,
 * floor again, and so on, so that every ratio is made of two windows a few seconds apart in one run.
 */
import type { IndexRange } from './load/plan.ts';
import type { MeasuredWindow } from './measured-window.ts';
import { untilQuiet } from './process-usage.ts';
import type { RoundResult } from './report.ts';
import { type Contender, copiesOfKey, type Timing, type WindowShape, windowShape } from './scenarios.ts';
import type { BareStage, Stage } from './stage.ts';
import type { Violations } from './violations.ts';
import { stockOfContest } from './world.ts';

export interface ComparisonParts {
  readonly stage: Stage;
  readonly floor: BareStage;
  /** The floor without a disk: shows how far the load generator reaches. */
  readonly ceiling: BareStage;
  readonly violations: Violations;
  readonly timing: Timing;
  readonly progress: (line: string) => void;
}

/** Purchases per second to prepare stock for as long as no floor has been measured. */
const assumedPerSecond = 60_000;
/** A floor that measured less stood still for most of its window, and nobody else need do so in theirs. */
const leastPerSecond = 20_000;
/** Purser can't outrun the floor by more than a machine's moods. */
const stockMargin = 1.3;
const noContests: IndexRange = { first: 0, count: 0 };

export class Comparison {
  readonly #parts: ComparisonParts;
  #floorPerSecond = assumedPerSecond;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
  }

  async round(contenders: readonly Contender[], connections: number, round: number): Promise<RoundResult[]> {
    const results: RoundResult[] = [];
    for (const contender of contenders) {
      const result = await this.#window(contender, connections, round);
      results.push(result);
      const rate = Math.round(result.answersPerSecond).toLocaleString('en');
      this.#parts.progress(`round ${round + 1}, ${connections} connections, ${contender}: ${rate} answers/s`);
    }
    return results;
  }

  async #window(contender: Contender, connections: number, round: number): Promise<RoundResult> {
    const { stage, timing } = this.#parts;
    const contests =
      contender === 'last-item' ? await stage.world.createContests(timing.contests + 1) : noContests;
    const shape = windowShape(contender, connections, timing, stage.world, contests);
    const window = await this.#measure(contender, shape, contests);
    const result = resultOf(contender, connections, shape, round, window);
    if (contender === 'floor') this.#floorPerSecond = Math.max(leastPerSecond, result.answersPerSecond);
    return result;
  }

  async #measure(contender: Contender, shape: WindowShape, contests: IndexRange): Promise<MeasuredWindow> {
    const { stage } = this.#parts;
    if (contender === 'floor' || contender === 'ceiling') {
      // What Purser has left to do is not for these to pay.
      await untilQuiet(stage.node.pid);
      return this.#parts[contender].run(shape);
    }
    const [lane] = shape.lanes;
    if (lane !== undefined && shape.span.kind === 'timed') {
      const seconds = (shape.span.warmupMs + shape.span.measureMs) / 1000;
      const requests = this.#floorPerSecond * stockMargin * seconds;
      await stage.stockUp(lane.plan.products, requests / lane.plan.copies);
    }
    const { window } = await stage.run(contender, shape);
    if (contender === 'last-item') this.#checkContests(contests);
    return window;
  }

  /** As many winners as items; that no item went out twice is the audit's to see. */
  #checkContests(contests: IndexRange): void {
    const products = this.#parts.stage.world.products.slice(contests.first, contests.first + contests.count);
    for (const product of products) {
      if (product.sold === stockOfContest) continue;
      this.#parts.violations.add(
        `last-item: product ${product.productId} had ${product.sold} winners for ${stockOfContest} items`,
      );
    }
  }
}

function resultOf(
  contender: Contender,
  connections: number,
  shape: WindowShape,
  round: number,
  window: MeasuredWindow,
): RoundResult {
  const [lane] = window.lanes;
  if (lane === undefined) throw new Error('a window without a measurement');
  const delivered = (lane.statuses.get(201) ?? 0) / (contender === 'same-key' ? copiesOfKey : 1);
  const percentileMs = (percentile: number) => lane.latency.getValueAtPercentile(percentile) / 1000;
  return {
    contender,
    connections,
    usedConnections: shape.lanes[0]?.plan.connections ?? connections,
    round,
    answersPerSecond: lane.answersPerSecond,
    purchasesPerSecond: (delivered / Math.max(lane.answers, 1)) * lane.answersPerSecond,
    p50Ms: percentileMs(50),
    p99Ms: percentileMs(99),
    p999Ms: percentileMs(99.9),
    groupSize: window.groupSize,
    clientCpuShare: window.clientCpuShare,
    clientSystemShare: window.clientSystemShare,
    serverCpuShare: window.serverCpuShare,
    otherCpuShare: window.otherCpuShare,
  };
}
