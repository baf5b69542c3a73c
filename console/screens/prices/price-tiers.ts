/** Volume prices: from how many items on, and what one costs then. */
import { AMOUNT_PART, type Field, rows } from '../../parts/forms/field.tsx';
import { filledRows, textOfRows } from '../../parts/forms/rows-text.ts';
import { usdt } from '../../parts/money.tsx';

export interface Tier {
  readonly minQuantity: number;
  readonly priceUsdt: number;
}

/** As the API bounds them. */
const MOST_TIERS = 32;

/** What is no number is NaN, which the API refuses. */
export function tiersField(initial: readonly Tier[] = []): Field<readonly Tier[]> {
  return rows({
    label: 'Volume prices',
    noun: 'volume price',
    most: MOST_TIERS,
    parts: [
      { label: 'From', attributes: { type: 'number', min: 2, step: 1 } },
      { label: 'USDT each', attributes: AMOUNT_PART },
    ],
    initial: initial.map((tier) => [String(tier.minQuantity), String(tier.priceUsdt)] as const),
    one: tierOf,
  });
}

export function textOfTiers(tiers: readonly Tier[]): string {
  return textOfRows(tiers.map((tier) => [String(tier.minQuantity), String(tier.priceUsdt)] as const));
}

export function tiersOf(text: string): readonly Tier[] {
  return filledRows(text).map(([quantity, price]) => tierOf(quantity, price));
}

/** As the command line takes them. */
export function tierFlags(tiers: readonly Tier[]): readonly string[] {
  return tiers.map(({ minQuantity, priceUsdt }) => `${minQuantity}:${priceUsdt}`);
}

/** `from 10: 9.00, from 100: 8.50`. */
export function tierWords(tiers: readonly Tier[]): string {
  return tiers.map(({ minQuantity, priceUsdt }) => `from ${minQuantity}: ${usdt(priceUsdt)}`).join(', ');
}

function tierOf(quantity: string, price: string): Tier {
  return { minQuantity: numberOf(quantity), priceUsdt: numberOf(price) };
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
