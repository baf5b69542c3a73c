/** Buyers' requests that were refused since the process started, by error: an addition each, of numbers in place. */
import { API_ERRORS, type BuyerErrorCode, type ErrorCode, isBuyers } from '../engine/api-errors.ts';

export type RefusalCounts = Readonly<Record<BuyerErrorCode, number>>;

const CODES = (Object.keys(API_ERRORS) as ErrorCode[]).filter(isBuyers);

export class RefusalCounter {
  readonly #counts = Object.fromEntries(CODES.map((code) => [code, 0])) as Record<BuyerErrorCode, number>;

  /** All codes, also those that nobody got. As it is now: it goes on counting. */
  get counts(): RefusalCounts {
    return this.#counts;
  }

  /** Operators' errors are none of these. */
  count(code: ErrorCode): void {
    if (isBuyers(code)) this.#counts[code] += 1;
  }
}
