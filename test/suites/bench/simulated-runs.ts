/**
 * Reports of runs that never took place, so that it is known what is true of them: the host changes from run to run,
 * each start of a process has its own speed, windows scatter, and now and then one stands still for a while.
 */
import type { ReportWindow } from '../../../bench/compare/report-windows.ts';
import type { Random } from '../../support/random.ts';

export interface SimulatedPair {
  /** Of each run, for each row. */
  readonly windows: number;
  readonly rows: number;
  /** Windows measured on one start of the process; as many as `windows`: one start for all. */
  readonly windowsPerStart: number;
  /** Both builds in one run, in turn; else two runs one after the other, each with a floor. */
  readonly isInTurn: boolean;
  /** B's throughput by A's, and how many of the rows have it. */
  readonly effect: number;
  readonly changedRows: number;
}

/** All of them shares; those of two numbers are drawn evenly between them, anew for each run. */
const hostDrift = 0.1;
/** Two starts then differ by 1 to 2 %, as a standard deviation. */
const startDeviation = [0.007, 0.014] as const;
const windowDeviation = [0.03, 0.06] as const;
const stallChance = 0.02;
const stall = 0.3;
const basePerSecond = 40_000;

/** The two runs' windows. */
export function simulatedPair(pair: SimulatedPair, random: Random): [ReportWindow[], ReportWindow[]] {
  const [first, second] = [between(random, -hostDrift, hostDrift), between(random, -hostDrift, hostDrift)];
  const scatter = Array.from({ length: pair.rows + 1 }, () => between(random, ...windowDeviation));
  const a = simulatedRun({ ...pair, effect: 1 }, first, scatter, random);
  const b = simulatedRun(pair, pair.isInTurn ? first : second, scatter, random);
  return [a, b];
}

function simulatedRun(
  { windows, rows, windowsPerStart, isInTurn, effect, changedRows }: SimulatedPair,
  host: number,
  scatter: readonly number[],
  random: Random,
): ReportWindow[] {
  const deviation = between(random, ...startDeviation);
  const run: ReportWindow[] = [];
  let [start, ofStart, floorOfStart] = [0, 0, 0];
  for (let round = 1; round <= windows; round += 1) {
    if ((round - 1) % windowsPerStart === 0) {
      start += 1;
      [ofStart, floorOfStart] = [deviation * normal(random), deviation * normal(random)];
    }
    for (let row = isInTurn ? 1 : 0; row <= rows; row += 1) {
      const isFloor = row === 0;
      const own = !isFloor && row <= changedRows ? Math.log(effect) : 0;
      const noise = (scatter[row] ?? 0) * normal(random) - (random.chance(stallChance) ? stall : 0);
      const log = host + own + noise + (isFloor ? floorOfStart : ofStart);
      const perSecond = basePerSecond * Math.exp(log);
      run.push({
        system: isFloor ? 'floor' : 'purser',
        scenario: isFloor ? 'floor' : `scenario-${row}`,
        connections: 256,
        round,
        start,
        ...(isInTurn ? { fromMs: round * 10_000 } : {}),
        purchasesPerSecond: isFloor ? 0 : perSecond,
        answersPerSecond: perSecond,
        p50Ms: 1,
        p99Ms: 2,
        p999Ms: 3,
        disturbed: false,
      });
    }
  }
  return run;
}

function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.next();
}

/** Mean 0, standard deviation 1: Box and Muller's. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
