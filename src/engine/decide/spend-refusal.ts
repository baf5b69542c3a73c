/**
 * Refusals of purchases and payments beyond a spend limit of the account: 429, which charges nothing and uses up no key.
 * Asked in the purchase's own turn, so many purchases at once never exceed a limit.
 */
import type { Account } from '../accounts.ts';
import { usdtFromMicros } from '../money.ts';
import type { SpendLimit } from '../spending/spend-limit.ts';
import type { Spending } from '../spending/spending.ts';
import { Rejection } from './rejection.ts';

const NO_LIMITS: readonly SpendLimit[] = [];
/** A day: who waits longer asks again. */
const MAX_RETRY_SECONDS = 86_400;
/** A client's timer may end up to a millisecond early. */
const TIMER_ROUNDING_MS = 1;

/** Undefined when the account may spend so much now. The limit with the longest wait is named. */
export function spendRefusal(
  spending: Spending,
  account: Readonly<Account>,
  totalMicros: number,
  nowMs: number,
): Rejection | undefined {
  let refusal: { limit: SpendLimit; countedMicros: number; waitMs: number } | undefined;
  for (const limit of account.profile.spendLimits ?? NO_LIMITS) {
    const countedMicros =
      spending.spentMicros(account.accountId, limit.windowHours, nowMs) + account.heldMicros;
    const beyondMicros = countedMicros + totalMicros - limit.amountMicros;
    if (beyondMicros <= 0) continue;
    const { accountId } = account;
    const isTooMuch = totalMicros > limit.amountMicros;
    const leavesAtMs = isTooMuch
      ? Number.POSITIVE_INFINITY
      : spending.leavesAtMs(accountId, limit.windowHours, nowMs, beyondMicros);
    const waitMs = leavesAtMs - nowMs;
    if (refusal === undefined || waitMs > refusal.waitMs) refusal = { limit, countedMicros, waitMs };
  }
  return refusal && refusalBy(refusal.limit, refusal.countedMicros, totalMicros, refusal.waitMs);
}

function refusalBy(
  { windowHours, amountMicros }: SpendLimit,
  countedMicros: number,
  totalMicros: number,
  waitMs: number,
): Rejection {
  const [limit, counted, total] = [amountMicros, countedMicros, totalMicros].map(usdtFromMicros);
  const hours = windowHours === 1 ? 'hour' : `${windowHours} hours`;
  const message = `The account may buy for ${limit} USDT in any ${hours}; it has bought for ${counted}, and this costs ${total}. Nothing was charged. Wait as long as Retry-After says, then send it again with the same key, or ask for a higher limit.`;
  const seconds = Math.min(MAX_RETRY_SECONDS, Math.ceil((waitMs + TIMER_ROUNDING_MS) / 1_000));
  return new Rejection('RATE_LIMITED', message, null, false, undefined, seconds);
}
