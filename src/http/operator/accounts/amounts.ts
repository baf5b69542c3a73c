/** Amounts and prices as operators write them: USDT, as JSON numbers. */
import { MAX_DEPOSITS_MICROS, MAX_PRICE_MICROS } from '../../../engine/limits.ts';
import { MICROS_PER_CENT, microsFromUsdt, usdtFromMicros } from '../../../engine/money.ts';
import type { SpendLimit } from '../../../engine/spending/spend-limit.ts';
import { type ApiError, badRequest } from '../../errors.ts';

export type ParsedAmount = { readonly amountMicros: number } | { readonly error: ApiError };

/** The amount of a credit: at most six decimals, not zero, within the ledger's maximum. */
export function parseCredit(amountUsdt: number): ParsedAmount {
  const amountMicros = microsFromUsdt(amountUsdt);
  if (amountMicros === undefined || Math.abs(amountMicros) > MAX_DEPOSITS_MICROS) {
    const max = usdtFromMicros(MAX_DEPOSITS_MICROS);
    return { error: badRequest(`amountUsdt must have at most 6 decimals and be within ±${max}.`) };
  }
  if (amountMicros === 0) return { error: badRequest('amountUsdt must not be 0.') };
  return { amountMicros };
}

type ParsedLimits = { readonly limits: readonly SpendLimit[] | undefined } | { readonly error: ApiError };

/** Limits of what may be spent: each from 0, with at most six decimals. Undefined where none were sent. */
export function parseSpendLimits(
  sent: readonly { readonly windowHours: number; readonly amountUsdt: number }[] | undefined,
): ParsedLimits {
  const limits: SpendLimit[] = [];
  for (const [at, { windowHours, amountUsdt }] of (sent ?? []).entries()) {
    const amountMicros = microsFromUsdt(amountUsdt);
    if (amountMicros === undefined || amountMicros < 0 || amountMicros > MAX_DEPOSITS_MICROS) {
      const max = usdtFromMicros(MAX_DEPOSITS_MICROS);
      const field = `spendLimits.${at}.amountUsdt`;
      return { error: badRequest(`${field} must be from 0 to ${max} with at most 6 decimals.`) };
    }
    limits.push({ windowHours, amountMicros });
  }
  return { limits: sent === undefined ? undefined : limits };
}

/** A price that buyers see: whole cents (SPEC.md §1). */
export function parsePrice(field: string, priceUsdt: number): ParsedAmount {
  const parsed = parseUnitPrice(field, priceUsdt);
  if ('amountMicros' in parsed && parsed.amountMicros % MICROS_PER_CENT !== 0) {
    return { error: badRequest(`${field} must have at most 2 decimals.`) };
  }
  return parsed;
}

/** A tier's price per unit may be finer than a cent: only the total is rounded. */
export function parseUnitPrice(field: string, priceUsdt: number): ParsedAmount {
  const amountMicros = microsFromUsdt(priceUsdt);
  if (amountMicros === undefined || amountMicros < 0 || amountMicros > MAX_PRICE_MICROS) {
    const max = usdtFromMicros(MAX_PRICE_MICROS);
    return { error: badRequest(`${field} must be from 0 to ${max} with at most 6 decimals.`) };
  }
  return { amountMicros };
}
