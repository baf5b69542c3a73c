/**
 * How the continuous backup is, as the node tells it: how far, how late, and what is wrong.
 *
 * How late it is follows from what is known here: all facts behind the last one that is there are later than that one, and
 * than the moment at which something was missing first.
 */
import type { PositionJson } from './target-layout.ts';

export interface ShippingEnd {
  /** `fenced`: somebody else ships there; `failed`: the data folder can't be read. */
  readonly why: 'fenced' | 'failed';
  readonly message: string;
}

export class ShippingState {
  readonly target: string;
  readonly #clock: () => number;
  #durable: number;
  #position: PositionJson | null = null;
  #lastAtMs = 0;
  /** Since when something is missing, Unix milliseconds; undefined when all is there. */
  #behindSinceMs: number | undefined;
  readonly #troubles: Record<'base' | 'log', string | null> = { base: null, log: null };
  #end: ShippingEnd | undefined;

  constructor(target: string, durable: number, clock: () => number) {
    this.target = target;
    this.#durable = durable;
    this.#clock = clock;
    this.#behindSinceMs = clock();
  }

  /** What is there; null while that isn't known. */
  get position(): PositionJson | null {
    return this.#position;
  }

  /** For how long the oldest fact that isn't there has been missing, about, in milliseconds; 0 when none is. */
  get lagMs(): number {
    if (this.#behindSinceMs === undefined) return 0;
    return Math.max(0, this.#clock() - Math.max(this.#lastAtMs, this.#behindSinceMs));
  }

  /** Why nothing is shipped any more. */
  get end(): ShippingEnd | undefined {
    return this.#end;
  }

  /** What is wrong, in one sentence. */
  get error(): string | null {
    return this.#end?.message ?? this.#troubles.log ?? this.#troubles.base;
  }

  advance(durable: number): void {
    this.#durable = durable;
    this.#behindSinceMs ??= this.#clock();
  }

  shipped(position: PositionJson, lastAtMs: number): void {
    this.#position = position;
    this.#lastAtMs = lastAtMs;
    if (position.seq >= this.#durable) this.#behindSinceMs = undefined;
  }

  /** True when it is news. */
  trouble(series: 'base' | 'log', message: string | null): boolean {
    const isNew = this.#troubles[series] !== message;
    this.#troubles[series] = message;
    return isNew;
  }

  ended(why: ShippingEnd['why'], message: string): void {
    this.#end = { why, message };
  }
}
