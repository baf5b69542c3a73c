/**
 * A price as somebody set it: a unit price and its tiers, whoever they are for; and what a quantity of it costs.
 *
 * A tier with the highest `minQuantity` that the quantity reaches gives the unit price of the whole quantity. A unit
 * price by percent is rounded half up to micro-USDT, and the total half up to cents, from integers; what has a price
 * costs a cent at least.
 */
import { MICROS_PER_CENT, totalInCents } from '../money.ts';

export interface PriceTier {
  /** At least 2. */
  readonly minQuantity: number;
  /** Per unit, in micro-USDT. */
  readonly priceMicros: number;
}

export interface Price {
  /** Per unit, in micro-USDT, a whole number of cents. */
  readonly priceMicros: number;
  /** Ascending by `minQuantity`. */
  readonly priceTiers: readonly PriceTier[];
}

/** A percent counts in hundredths, so that two decimals are exact: -99 is -9900. */
export const PERCENT_STEPS = 100;
export const MIN_PERCENT = -99;
export const MAX_PERCENT = 1_000;
const WHOLE = 100 * PERCENT_STEPS;

/** The unit price, `steps` hundredths of a percent dearer, or cheaper when they are negative. */
export function atPercent(unitMicros: number, steps: number): number {
  const share = WHOLE + steps;
  // In two parts, for the product of the two may be beyond 2^53.
  const rest = unitMicros % WHOLE;
  const whole = (unitMicros - rest) / WHOLE;
  return whole * share + Math.floor((2 * rest * share + WHOLE) / (2 * WHOLE));
}

/** The price of one unit when `quantity` are bought, in micro-USDT. */
export function unitPriceMicros({ priceMicros, priceTiers }: Price, quantity: number): number {
  let unitMicros = priceMicros;
  for (const tier of priceTiers) {
    if (quantity < tier.minQuantity) break;
    unitMicros = tier.priceMicros;
  }
  return unitMicros;
}

/** The price of `quantity` units, in micro-USDT; a bigint when it is beyond 2^53. */
export function totalPriceMicros(
  price: Price,
  quantity: number,
  percent: number | null = null,
): number | bigint {
  const listedMicros = unitPriceMicros(price, quantity);
  const totalMicros = totalInCents(
    percent === null ? listedMicros : atPercent(listedMicros, percent),
    quantity,
  );
  // Prices that could come to nothing are refused when they are set; older ones may be there.
  return totalMicros === 0 && listedMicros > 0 ? MICROS_PER_CENT : totalMicros;
}

/** The price with its tiers, all at this percent. */
export function priceAtPercent({ priceMicros, priceTiers }: Price, percent: number): Price {
  return {
    priceMicros: atPercent(priceMicros, percent),
    priceTiers: priceTiers.map((tier) => ({ ...tier, priceMicros: atPercent(tier.priceMicros, percent) })),
  };
}

/** Whether the smallest total of a tier, and so perhaps others, would round to nothing. */
export function roundsToNothing({ minQuantity, priceMicros }: PriceTier): boolean {
  return priceMicros > 0 && totalInCents(priceMicros, minQuantity) === 0;
}

export function isSamePrice(a: Price | null | undefined, b: Price | null | undefined): boolean {
  if (a == null || b == null) return (a ?? null) === (b ?? null);
  return (
    a.priceMicros === b.priceMicros &&
    a.priceTiers.length === b.priceTiers.length &&
    a.priceTiers.every((tier, index) => {
      const other = b.priceTiers[index];
      return tier.minQuantity === other?.minQuantity && tier.priceMicros === other.priceMicros;
    })
  );
}
