/**
 * The sums that each account bought for, by minute: with them a new spend limit begins (`past-spending.ts`). Sums like those of days
 * (`day-sums.ts`), but a refund counts in the minute of its purchase, however long ago that was.
 */
import type { Fact } from '../../engine/fact.ts';
import { MINUTE_MS } from '../../engine/spending/spend-limit.ts';
import { spendingChangeOf } from '../../engine/spending/spending-change.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { readSums, writeSums } from '../store/sums.ts';
import type { RowBatches } from './row-batches.ts';
import { TABLES } from './tables.ts';

/** Adds up the facts of a fold. */
export class SpentMinutes {
  readonly #rows: RowBatches;
  /** By account and minute. */
  readonly #sums = new Map<number, Map<number, number>>();

  constructor(rows: RowBatches) {
    this.#rows = rows;
  }

  take(fact: Fact): void {
    const change = spendingChangeOf(fact);
    if (change === undefined) return;
    const { accountId, atMs, amountMicros } = change;
    let ofAccount = this.#sums.get(accountId);
    if (ofAccount === undefined) {
      ofAccount = new Map();
      this.#sums.set(accountId, ofAccount);
    }
    const minute = Math.floor(atMs / MINUTE_MS);
    ofAccount.set(minute, (ofAccount.get(minute) ?? 0) + amountMicros);
  }

  /** Makes rows of what was added up. */
  flush(): void {
    const batch = this.#rows.of(TABLES.spentMinutes);
    for (const [accountId, ofAccount] of this.#sums) {
      for (const [minute, amountMicros] of ofAccount) {
        writeSums(batch.values, [amountMicros]);
        batch.add(accountId, minute);
      }
    }
    this.#sums.clear();
  }
}

export interface SpentMinute {
  readonly minute: number;
  readonly amountMicros: number;
}

/** Minutes of an account from this one on, oldest first. */
export function spentMinutes(store: StoreReader, accountId: number, minute: number): SpentMinute[] {
  const range = {
    fromA: accountId,
    fromB: Math.max(0, minute),
    toA: accountId,
    toB: Number.MAX_SAFE_INTEGER,
  };
  return Array.from(store.range(TABLES.spentMinutes, range), ({ b, value }) => {
    const [amountMicros = 0] = readSums(value);
    return { minute: b, amountMicros };
  });
}
