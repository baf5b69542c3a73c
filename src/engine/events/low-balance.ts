/**
 * The crossing of a threshold: whether a purchase takes the balance below the threshold of the account's webhook. Decided
 * in the purchase's own turn, and said by its fact, so that readers of facts need to know neither webhooks nor holds.
 *
 * Once per crossing, and armed again by rising above, without a memory: the wallet before and after say it. Amounts on hold
 * for other purchases count as not spent yet, or a hold would hide a crossing, or make two of one.
 */
import type { Account } from '../accounts.ts';
import { usdtFromMicros } from '../money.ts';

/** A part of a purchase's fact: the threshold, in USDT, that the purchase took the balance below. Mostly absent. */
export interface LowBalance {
  readonly thresholdUsdt?: number;
}

const NOT_LOW: LowBalance = {};

/** `unspentMicros`: what the account has after the purchase, with what is on hold for others. */
export function lowBalance(
  { webhook }: Readonly<Account>,
  unspentMicros: number,
  totalMicros: number,
): LowBalance {
  const thresholdUsdt = webhook?.balanceThresholdUsdt ?? null;
  if (thresholdUsdt === null || usdtFromMicros(unspentMicros) >= thresholdUsdt) return NOT_LOW;
  return usdtFromMicros(unspentMicros + totalMicros) < thresholdUsdt ? NOT_LOW : { thresholdUsdt };
}
