/**
 * The outcome of a run, as `report.json` has it: others read it by program, so names and units stay.
 *
 * `windows` is what was measured; `rows` and everything printed is made of it.
 */
import type { Conditions } from '../measure/conditions.ts';
import type { Spread } from '../measure/statistics.ts';
import type { SystemName } from '../systems/system.ts';

export interface Results {
  readonly conditions: Conditions;
  readonly systems: readonly SystemResult[];
  readonly missing: readonly { readonly name: SystemName; readonly reason: string }[];
  readonly windows: readonly ResultWindow[];
  readonly rows: readonly ResultRow[];
}

export interface SystemResult {
  readonly name: SystemName;
  readonly version: string;
  /** Every acknowledged purchase survives a power cut, by this configuration. */
  readonly durable: boolean;
  /** The number of HTTP processes. */
  readonly processes: number;
  readonly configuration: Readonly<Record<string, string>>;
  readonly audit: {
    readonly passed: boolean;
    readonly violations: number;
    /** Answers that were read and checked. */
    readonly answers: number;
    /** The first violations, a sentence each. */
    readonly found: readonly string[];
  };
}

/** The measures of a window, as numbers that a row sums up. */
export interface Measures {
  readonly purchasesPerSecond: number;
  readonly answersPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Facts per group commit. */
  readonly groupSize?: number;
  /** Processor time of the system's processes, of one core. */
  readonly serverCpuShare?: number;
  readonly clientCpuShare?: number;
  /** Used by neither the system nor the load generator nor the kernel's threads, of one core. */
  readonly otherCpuShare?: number;
  /** Taken by the host of this virtual machine, of one core. */
  readonly stolenShare?: number;
  /** flash-sale. */
  readonly winners?: number;
  readonly losers?: number;
  /** flash-sale: from the first request until the last buyer knows that nothing is left. */
  readonly lastLoserMs?: number;
  /** restock: from the upload's request until the first and the last item of it is sold. */
  readonly firstWinnerMs?: number;
  readonly soldOutMs?: number;
  /** crash: from the kill until the first purchase is answered again. */
  readonly firstPurchaseMs?: number;
  /** crash: acknowledged, and gone after the start. */
  readonly lostOrders?: number;
}

export interface ResultWindow extends Measures {
  readonly system: SystemName;
  readonly scenario: string;
  readonly connections: number;
  /** Counts from 1. A window that was repeated has the round of the first. */
  readonly round: number;
  /** Requests a second of an open loop. */
  readonly perSecond?: number;
  /** When its measured time began, Unix milliseconds. */
  readonly fromMs?: number;
  /** As many as came in its measured time. */
  readonly answers?: number;
  /** Which start of the system's process it was measured on, from 1; absent: one start for all. */
  readonly start?: number;
  /** Others used the machine meanwhile: not part of a row that has undisturbed windows. */
  readonly disturbed: boolean;
}

export type RowFigures = {
  readonly [Name in keyof Measures]: Spread;
};

/** The undisturbed windows of one system, scenario and number of connections; all of them when all were disturbed. */
export interface ResultRow extends RowFigures {
  readonly system: SystemName;
  readonly scenario: string;
  readonly connections: number;
  readonly perSecond?: number;
  readonly windows: number;
  readonly disturbed: boolean;
  /** Answers a second by those of the floor in the same round. */
  readonly ofFloor?: Spread;
}
