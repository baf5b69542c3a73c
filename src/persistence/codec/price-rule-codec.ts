/** The rule of an order's price as three bits, wherever an order is bytes. Codes never change their meaning. */
import { PRICE_RULES, type PricedBy, type PriceRule } from '../../engine/pricing/price-rule.ts';
import { DamagedDataError } from './byte-reader.ts';

const UNKNOWN = 0;

export function ruleCode({ priceRule }: PricedBy): number {
  return priceRule === null ? UNKNOWN : PRICE_RULES.indexOf(priceRule) + 1;
}

export function ruleOf(code: number): PriceRule | null {
  if (code === UNKNOWN) return null;
  const rule = PRICE_RULES[code - 1];
  if (rule === undefined) throw new DamagedDataError(`an order has an unknown price rule, ${code}`);
  return rule;
}

/** Whether the number of the list stands beside the rule. */
export function isOfList(rule: PriceRule | null): boolean {
  return rule === 'list' || rule === 'percent';
}
