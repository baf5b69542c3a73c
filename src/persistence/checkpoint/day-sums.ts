/**
 * Sums of money by day (UTC): of the node, of each product and of each account (`MoneySums`). Reports need nothing
 * else.
 *
 * Invariant: a file has the sums of the facts that its own rows are of, and a reader adds those of all files. So a fold
 * reads nothing, and each fact is counted once. Rejected: sums that go on from day to day, of which a report would take
 * two and subtract: each account and product would need a row for each day, whether it bought or not.
 */
import {
  addChange,
  type MoneyChange,
  type MoneySums,
  NO_PRODUCT,
  noSums,
} from '../../engine/apply/money-change.ts';
import type { StoreReader } from '../store/store-reader.ts';
import type { StoreTable } from '../store/store-table.ts';
import { readSums, writeSums } from '../store/sums.ts';
import type { RowBatches } from './row-batches.ts';
import { TABLES } from './tables.ts';

export const DAY_MS = 24 * 60 * 60_000;

/** Owners of sums. */
export const SUMS_OF = ['node', 'product', 'account'] as const;
export type SumsOf = (typeof SUMS_OF)[number];
/** The id under which the node's own sums are. */
export const NODE_ID = 0;

const TABLE_OF: Readonly<Record<SumsOf, StoreTable>> = {
  node: TABLES.daySums,
  product: TABLES.productDaySums,
  account: TABLES.accountDaySums,
};

export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** The id under which a change is counted; undefined when it isn't. */
export function idIn(of: SumsOf, { productId, accountId }: MoneyChange): number | undefined {
  if (of === 'account') return accountId;
  if (of === 'node') return NODE_ID;
  return productId === NO_PRODUCT ? undefined : productId;
}

/** Adds up the facts of a fold, a day at a time: times of facts never go back. */
export class DaySums {
  readonly #rows: RowBatches;
  readonly #byOwner = SUMS_OF.map((of) => ({ of, sums: new Map<number, MoneySums>() }));
  #day = 0;

  constructor(rows: RowBatches) {
    this.#rows = rows;
  }

  /** A change by a fact of this time. */
  take(change: MoneyChange, atMs: number): void {
    const day = dayOf(atMs);
    if (day !== this.#day) this.flush();
    this.#day = day;
    for (const { of, sums } of this.#byOwner) {
      const id = idIn(of, change);
      if (id === undefined) continue;
      let sum = sums.get(id);
      if (sum === undefined) {
        sum = noSums();
        sums.set(id, sum);
      }
      addChange(sum, change);
    }
  }

  /** Makes rows of what was added up. */
  flush(): void {
    for (const { of, sums } of this.#byOwner) {
      const batch = this.#rows.of(TABLE_OF[of]);
      for (const [id, { depositsMicros, salesMicros, refundsMicros, heldMicros }] of sums) {
        writeSums(batch.values, [depositsMicros, salesMicros, refundsMicros, heldMicros]);
        batch.add(id, this.#day);
      }
      sums.clear();
    }
  }
}

export interface DayRow {
  readonly id: number;
  readonly day: number;
  readonly sums: MoneySums;
}

/** Days of one id, from `firstDay` on and before `endDay`, oldest first. Not beyond this turn of the event loop. */
export function* daysOf(
  store: StoreReader,
  of: SumsOf,
  id: number,
  firstDay: number,
  endDay: number,
): IterableIterator<DayRow> {
  const range = { fromA: id, fromB: Math.max(0, firstDay), toA: id, toB: Math.max(0, endDay) };
  for (const { b, value } of store.range(TABLE_OF[of], range)) yield { id, day: b, sums: sumsIn(value) };
}

/** The smallest id from `id` on under which there is anything. */
export function nextIdWithSums(store: StoreReader, of: SumsOf, id: number): number | undefined {
  for (const { a } of store.range(TABLE_OF[of], { fromA: id, toA: Number.MAX_SAFE_INTEGER })) return a;
  return undefined;
}

function sumsIn(value: Uint8Array): MoneySums {
  const [depositsMicros = 0, salesMicros = 0, refundsMicros = 0, heldMicros = 0] = readSums(value);
  return { depositsMicros, salesMicros, refundsMicros, heldMicros };
}
