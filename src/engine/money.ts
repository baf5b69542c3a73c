/**
 * Money is an integer count of micro-USDT (1e-6 USDT). Numbers with decimals exist only at the JSON edge.
 *
 * Invariant: every amount in the engine is a safe integer; arithmetic that could leave that range goes through
 * `multiplyExact` or is bounded by `limits.ts`.
 */

export const MICROS_PER_USDT = 1_000_000;
export const MICROS_PER_CENT = 10_000;

/** Clients that add floats may miss an amount by this much, in micro-USDT (1e-9 USDT). */
const FLOAT_TOLERANCE_MICROS = 1e-3;

/** From here on two amounts of micro-USDT may be one double, so that nobody can say which one was meant. */
export const MAX_EXACT_USDT = 2 ** 33;

/** The amount as a JSON number of USDT, whose text is exact below `MAX_EXACT_USDT`; then the nearest double. */
export function usdtFromMicros(amountMicros: number): number {
  return amountMicros / MICROS_PER_USDT;
}

/**
 * The text of `usdtFromMicros`. Whole cents, as nearly all amounts are, take half the time this way: those of a safe
 * integer have twelve digits at most, which are the shortest text of their double.
 */
export function usdtText(amountMicros: number): string {
  const cents = amountMicros / MICROS_PER_CENT;
  if (amountMicros < 0 || !Number.isInteger(cents)) return String(usdtFromMicros(amountMicros));
  const whole = Math.floor(cents / 100);
  const rest = cents - whole * 100;
  if (rest === 0) return String(whole);
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`;
}

/**
 * The whole number of micro-USDT that `usdt` means, or undefined when it has more than six decimals, isn't finite, or
 * is too large to be exact. For large amounts the product is off by one at times, so its neighbours are tried.
 */
export function microsFromUsdt(usdt: number): number | undefined {
  if (!(Math.abs(usdt) < MAX_EXACT_USDT)) return undefined;
  const scaled = usdt * MICROS_PER_USDT;
  const nearest = Math.round(scaled);
  if (nearest === 0 && Math.abs(scaled) <= FLOAT_TOLERANCE_MICROS) return 0;
  if (nearest / MICROS_PER_USDT === usdt) return nearest;
  for (const amountMicros of [nearest - 1, nearest + 1]) {
    if (amountMicros / MICROS_PER_USDT === usdt) return amountMicros;
  }
  return Math.abs(scaled - nearest) <= FLOAT_TOLERANCE_MICROS ? nearest : undefined;
}

/** Whether a client's `usdt` names exactly this total: equal within 1e-9 USDT (3.5000001 isn't 3.5). */
export function isSameAmount(usdt: number, amountMicros: number | bigint): boolean {
  if (typeof amountMicros === 'bigint') return usdt === usdtFromMicros(Number(amountMicros));
  return usdt === usdtFromMicros(amountMicros) || microsFromUsdt(usdt) === amountMicros;
}

/** Whether two amounts that clients wrote mean the same one. */
export function isSameUsdt(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) * MICROS_PER_USDT <= FLOAT_TOLERANCE_MICROS;
}

/** `unitMicros * quantity`, rounded half up to whole cents; a bigint when it is beyond 2^53. */
export function totalInCents(unitMicros: number, quantity: number): number | bigint {
  const product = unitMicros * quantity;
  if (product < Number.MAX_SAFE_INTEGER - MICROS_PER_CENT) {
    const remainder = product % MICROS_PER_CENT;
    if (remainder === 0) return product;
    return product - remainder + (remainder * 2 >= MICROS_PER_CENT ? MICROS_PER_CENT : 0);
  }
  const cent = BigInt(MICROS_PER_CENT);
  return ((BigInt(unitMicros) * BigInt(quantity) + cent / 2n) / cent) * cent;
}
