/**
 * What became of the purchases at suppliers that were unresolved and have ended lately, for operators to see.
 *
 * A bounded memory in the order of the facts; the journal has all of them.
 */
import type { Supply } from './supplies.ts';

/** Most ends that are remembered; the oldest goes first. */
export const MAX_SETTLED_SUPPLIES = 200;

/**
 * What the supplier said in the end: `unknown` when it never heard of the purchase. `given-up`: it said nothing, and
 * an operator ended the wait.
 */
export type SettledResult = 'delivered' | 'failed' | 'unknown' | 'given-up';

export interface SettledSupply {
  /** The sequence number of the fact. */
  readonly position: number;
  readonly supply: Supply;
  readonly result: SettledResult;
  /** How many items the supplier delivered. */
  readonly delivered: number;
  /** The items that entered own stock are `count` from there. */
  readonly firstItem: number;
  readonly count: number;
  readonly settledAtMs: number;
}

export class SettledSupplies {
  #latest: SettledSupply[] = [];

  get size(): number {
    return this.#latest.length;
  }

  /** The latest last. */
  values(): readonly SettledSupply[] {
    return this.#latest;
  }

  ofReference(reference: string): SettledSupply | undefined {
    return this.#latest.find(({ supply }) => supply.reference === reference);
  }

  add(settled: SettledSupply): void {
    this.#latest.push(settled);
    if (this.#latest.length > MAX_SETTLED_SUPPLIES) this.#latest.shift();
  }
}
