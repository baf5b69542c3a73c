/**
 * How the continuous backup is, as the node tells it: how far, how late, and what is wrong.
 *
 * How late it is follows from what is known here: all facts behind the last one that is there are later than that one, and
 * than the moment at which something was missing first.
 */
import type { PositionJson } from '../target-layout.ts';

const MAX_ALTERED = 10;

export interface ShippingEnd {
  /** `fenced`: somebody else ships there; `failed`: the data folder can't be read, and is tried again. */
  readonly why: 'fenced' | 'failed';
  readonly message: string;
}

export class ShippingState {
  readonly target: string;
  readonly #clock: () => number;
  #durable: number;
  #position: PositionJson | null = null;
  #lastAtMs = 0;
  /** The time since which something is missing, Unix milliseconds; undefined when all is there. */
  #behindSinceMs: number | undefined;
  readonly #troubles: Record<'base' | 'log', string | null> = { base: null, log: null };
  #end: ShippingEnd | undefined;
  readonly #altered = new Set<string>();

  constructor(target: string, durable: number, clock: () => number) {
    this.target = target;
    this.#durable = durable;
    this.#clock = clock;
    this.#behindSinceMs = clock();
  }

  /** The position that the target has; null while that isn't known. */
  get position(): PositionJson | null {
    return this.#position;
  }

  /** For how long the oldest fact that isn't there has been missing, about, in milliseconds; 0 when none is. */
  get lagMs(): number {
    if (this.#behindSinceMs === undefined) return 0;
    const nowMs = this.#clock();
    // Times of facts, and this one, may be of a clock that was ahead.
    this.#behindSinceMs = Math.min(this.#behindSinceMs, nowMs);
    const lastAtMs = this.#lastAtMs > nowMs ? 0 : this.#lastAtMs;
    return nowMs - Math.max(lastAtMs, this.#behindSinceMs);
  }

  /** Why nothing is shipped any more. */
  get end(): ShippingEnd | undefined {
    return this.#end;
  }

  /** Names of objects at the target that are not what a node of this shop wrote, `MAX_ALTERED` at most. */
  get altered(): readonly string[] {
    return [...this.#altered];
  }

  /** The trouble, in one sentence; null when there is none. */
  get error(): string | null {
    return this.#end?.message ?? this.#troubles.log ?? this.#troubles.base;
  }

  advance(durable: number): void {
    this.#durable = durable;
    this.#behindSinceMs ??= this.#clock();
  }

  shipped(position: PositionJson, lastAtMs: number): void {
    if (this.#end?.why === 'failed') this.#end = undefined;
    this.#position = position;
    this.#lastAtMs = lastAtMs;
    if (position.seq >= this.#durable) this.#behindSinceMs = undefined;
    else this.#behindSinceMs ??= this.#clock();
  }

  /** Nothing is known to be there any more. */
  lost(): void {
    this.#position = null;
    this.#lastAtMs = 0;
    this.#behindSinceMs ??= this.#clock();
    this.#altered.clear();
  }

  /** True when it is news. */
  foundAltered(name: string): boolean {
    if (this.#altered.has(name) || this.#altered.size === MAX_ALTERED) return false;
    this.#altered.add(name);
    return true;
  }

  /** The target's objects are looked at anew. */
  begins(): void {
    this.#altered.clear();
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
