/**
 * The terms on which accounts of the naive shop buy: prices of lists and their own, what they see, how many at once, and how
 * much within a time that is longer than any test.
 */

export interface NaivePrice {
  readonly unit: number;
  /** Ascending. */
  readonly tiers: readonly { readonly from: number; readonly unit: number }[];
}

export class NaiveTerms {
  /** By list: the percent, or null. */
  readonly percents = new Map<number, number | null>();
  /** By `list 3` or `account 7`, then by product. */
  readonly #prices = new Map<string, Map<number, NaivePrice>>();
  readonly listOf = new Map<number, number>();
  readonly limits = new Map<number, number>();
  readonly listed = new Set<number>();
  /** By product: the least and the most that an order may buy. */
  readonly bounds = new Map<number, readonly [least: number, most: number]>();
  readonly tiers = new Map<number, NaivePrice['tiers']>();

  setPrice(owner: string, product: number, price: NaivePrice | null): void {
    const prices = this.#prices.get(owner) ?? new Map<number, NaivePrice>();
    this.#prices.set(owner, prices);
    if (price === null) prices.delete(product);
    else prices.set(product, price);
  }

  sees(account: number, product: number): boolean {
    return !this.listed.has(product) || this.#named(account, product) !== undefined;
  }

  takes(product: number, quantity: number): boolean {
    const [least, most] = this.bounds.get(product) ?? [1, Number.POSITIVE_INFINITY];
    return quantity >= least && quantity <= most;
  }

  /** `unit`: the price of the product itself. */
  total(account: number, product: number, quantity: number, unit: number): number {
    const named = this.#named(account, product);
    const price = named ?? { unit, tiers: this.tiers.get(product) ?? [] };
    const percent = named === undefined ? (this.percents.get(this.listOf.get(account) ?? 0) ?? 0) : 0;
    const reached = price.tiers.filter(({ from }) => quantity >= from).at(-1);
    return (reached?.unit ?? price.unit) * (1 + percent / 100) * quantity;
  }

  /** The price that the account itself has, or that its list has. */
  #named(account: number, product: number): NaivePrice | undefined {
    const own = this.#prices.get(`account ${account}`)?.get(product);
    return own ?? this.#prices.get(`list ${this.listOf.get(account)}`)?.get(product);
  }
}
