/**
 * Lets the heaps grow further before they are swept while many purchases wait for suppliers.
 *
 * By itself the process keeps its heaps tight (`bin/purser.cjs`): what orders leave behind is no reason to hold
 * memory. But what a waiting purchase holds outlives the young generation, dies seconds later, and so brings on a
 * sweep of the old one, which marks everything on threads that want the processors too. With 2,000 waiting on two
 * cores, the p99 of purchases from own stock was twice as long for that (docs/benchmarks.md). Rejected: letting
 * heaps grow always, which an order in history must not cost.
 */
import { setFlagsFromString } from 'node:v8';

/** In per cent of what is alive: as `bin/purser.cjs` has it, and while many wait. V8 looks at every sweep. */
const TIGHT_PERCENT = 50;
const WIDE_PERCENT = 200;
const MANY_WAITING = 500;
const FEW_WAITING = MANY_WAITING / 2;
const LOOK_MS = 1_000;

export interface HeapGrowthOptions {
  /** How many purchases wait for suppliers at this moment. */
  readonly waiting: () => number;
  readonly setFlag?: (flag: string) => void;
}

export class HeapGrowth {
  readonly #options: HeapGrowthOptions;
  #percent = TIGHT_PERCENT;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HeapGrowthOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#let(TIGHT_PERCENT);
  }

  look(): void {
    const waiting = this.#options.waiting();
    if (waiting >= MANY_WAITING) this.#let(WIDE_PERCENT);
    else if (waiting < FEW_WAITING) this.#let(TIGHT_PERCENT);
  }

  #let(percent: number): void {
    if (percent === this.#percent) return;
    this.#percent = percent;
    (this.#options.setFlag ?? setFlagsFromString)(`--heap-growing-percent=${percent}`);
  }
}
