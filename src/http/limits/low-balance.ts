/**
 * The preventive low-balance protection (SPEC.md §7, §8): a program that keeps buying with an empty wallet is
 * told to stop before it fills the journal with refusals.
 *
 * After so many `INSUFFICIENT_BALANCE` answers to one account within a sliding minute, repeated ones included,
 * further purchases get 429, until the minute has passed or the wallet holds more than when the last of them
 * was asked for, or since. Comparing balances covers every way in which money comes back, and needs nobody to
 * tell; where answers and a credit cross, it errs towards letting the purchase through.
 */
import type { Account } from '../../engine/accounts.ts';
import { MAX_ACCOUNTS } from '../../engine/limits.ts';
import { type ApiError, rateLimited } from '../errors.ts';
import { retryAfterSeconds, SlidingWindow } from './sliding-window.ts';
import { WindowTable } from './window-table.ts';

const WINDOW_MS = 60_000;

/** One account's refusals of the last minute. */
class Refusals extends SlidingWindow {
  /** The least that the wallet was seen to hold since the last of them was asked for, in micro-USDT. */
  walletMicros = 0;
}

export class LowBalanceProtection {
  readonly #limit: number;
  readonly #refusals = new WindowTable<number, Refusals>({
    open: () => new Refusals(WINDOW_MS),
    windowMs: WINDOW_MS,
    maxWindows: 2 * MAX_ACCOUNTS,
  });

  readonly #monotonicMs: () => number;

  /** A limit of 0 turns the protection off. `monotonicMs` never goes backwards. */
  constructor(limit: number, monotonicMs: () => number) {
    this.#limit = limit;
    this.#monotonicMs = monotonicMs;
  }

  /** The 429 of a purchase that this account asks for now; undefined when it may. */
  throttle({ accountId, walletMicros }: Account): ApiError | undefined {
    if (this.#refusals.size === 0) return undefined;
    const refusals = this.#refusals.find(accountId);
    if (refusals === undefined) return undefined;
    if (walletMicros > refusals.walletMicros) {
      this.#refusals.delete(accountId);
      return undefined;
    }
    refusals.walletMicros = walletMicros;
    const waitMs = refusals.waitMs(this.#limit, this.#monotonicMs());
    if (waitMs === 0) return undefined;
    return rateLimited(
      `${this.#limit} purchases in a minute exceeded the balance: top up, or wait.`,
      retryAfterSeconds(waitMs, WINDOW_MS),
    );
  }

  /** A purchase was answered with `INSUFFICIENT_BALANCE`; `walletMicros` is what the wallet held before. */
  refused(accountId: number, walletMicros: number): void {
    if (this.#limit === 0) return;
    const nowMs = this.#monotonicMs();
    const known = this.#refusals.find(accountId);
    if (known !== undefined && walletMicros > known.walletMicros) this.#refusals.delete(accountId);
    const refusals = this.#refusals.open(accountId, nowMs);
    refusals.walletMicros = walletMicros;
    refusals.add(nowMs);
  }
}
