/**
 * The products whose own stock lasts least, of those on sale: gathered while the stock's watch looks at all of them, so
 * that who asks for the list pays for its few rows.
 */
import type { SalesPace } from './sales-pace.ts';

export const MOST_LISTED = 10;

interface Cover {
  readonly productId: number;
  readonly hours: number;
}

export class ShortestCover {
  readonly #pace: Pick<SalesPace, 'hoursOfCover'>;
  /** Covers of the look that goes on, and of the last whole one; the shortest first. */
  #gathered: Cover[] = [];
  #listed: readonly Cover[] = [];

  constructor(pace: Pick<SalesPace, 'hoursOfCover'>) {
    this.#pace = pace;
  }

  /** The products, the one whose stock lasts least first. */
  get productIds(): number[] {
    return this.#listed.map(({ productId }) => productId);
  }

  begin(): void {
    this.#gathered = [];
  }

  /** A product that is on sale. */
  look(nowMs: number, productId: number): void {
    const hours = this.#pace.hoursOfCover(nowMs, productId);
    const longest = this.#gathered.at(-1)?.hours ?? Number.POSITIVE_INFINITY;
    if (hours === null || (this.#gathered.length === MOST_LISTED && hours >= longest)) return;
    const place = this.#gathered.findLastIndex((other) => other.hours <= hours) + 1;
    this.#gathered.splice(place, 0, { productId, hours });
    if (this.#gathered.length > MOST_LISTED) this.#gathered.pop();
  }

  end(): void {
    this.#listed = this.#gathered;
  }
}
