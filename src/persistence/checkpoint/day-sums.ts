/**
 * Sums of money (`MoneySums`): of each product and each account by day (UTC), of the node by quarter of an hour. Reports
 * need nothing else but the parts of these at the ends of their period, which the journal tells.
 *
 * Days of any zone are made of quarters: none has had clocks that are off by another part of an hour since 1980. So a
 * report by day reads 96 rows a day, whatever the zone, and no fact.
 *
 * Invariant: a file has the sums of the facts that its own rows are of, and a reader adds those of all files. So a fold
 * reads nothing, and each fact is counted once. Rejected: sums that go on from day to day, of which a report would take
 * two and subtract: each account and product would need a row for each day, whether it bought or not. Rejected: sums of
 * the days of a zone that the shop is set to, which are of no use to who asks for another, and wrong once it is set anew.
 * Rejected: quarters of products and accounts, too: up to 96 rows a day each, and a report by these needs only two days
 * that are not whole.
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

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Owners of sums. */
export const SUMS_OF = ['node', 'product', 'account'] as const;
export type SumsOf = (typeof SUMS_OF)[number];
/** The id under which the node's own sums are. */
export const NODE_ID = 0;

const TABLE_OF: Readonly<Record<SumsOf, StoreTable>> = {
  node: TABLES.quarterSums,
  product: TABLES.productDaySums,
  account: TABLES.accountDaySums,
};

/** The length of the spans that sums are kept by. Spans are numbered from 1970 on. */
export const SPAN_MS: Readonly<Record<SumsOf, number>> = {
  node: QUARTER_MS,
  product: DAY_MS,
  account: DAY_MS,
};

function spanOf(of: SumsOf, atMs: number): number {
  return Math.floor(atMs / SPAN_MS[of]);
}

/** The id under which a change is counted; undefined when it isn't. */
export function idIn(of: SumsOf, { productId, accountId }: MoneyChange): number | undefined {
  if (of === 'account') return accountId;
  if (of === 'node') return NODE_ID;
  return productId === NO_PRODUCT ? undefined : productId;
}

/** Sums of one span, by the ids of their owners. */
interface SpanSums {
  readonly of: SumsOf;
  readonly sums: Map<number, MoneySums>;
  span: number;
}

/** Adds up the facts of a fold, a span at a time: times of facts never go back. */
export class DaySums {
  readonly #rows: RowBatches;
  readonly #byOwner = SUMS_OF.map((of): SpanSums => ({ of, sums: new Map(), span: 0 }));

  constructor(rows: RowBatches) {
    this.#rows = rows;
  }

  /** A change by a fact of this time. */
  take(change: MoneyChange, atMs: number): void {
    for (const owner of this.#byOwner) {
      const { of, sums } = owner;
      const span = spanOf(of, atMs);
      if (span !== owner.span) this.#flush(owner);
      owner.span = span;
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
    for (const owner of this.#byOwner) this.#flush(owner);
  }

  #flush({ of, sums, span }: SpanSums): void {
    const batch = this.#rows.of(TABLE_OF[of]);
    for (const [id, { depositsMicros, salesMicros, refundsMicros, heldMicros }] of sums) {
      writeSums(batch.values, [depositsMicros, salesMicros, refundsMicros, heldMicros]);
      batch.add(id, span);
    }
    sums.clear();
  }
}

export interface SpanRow {
  readonly span: number;
  readonly sums: MoneySums;
}

/** Sums of one id by the spans in which it has any, from `first` on and before `end`. Not beyond this turn of the event loop. */
export function* spansOf(
  store: StoreReader,
  of: SumsOf,
  id: number,
  first: number,
  end: number,
): IterableIterator<SpanRow> {
  const range = { fromA: id, fromB: Math.max(0, first), toA: id, toB: Math.max(0, end) };
  for (const { b, value } of store.range(TABLE_OF[of], range)) yield { span: b, sums: sumsIn(value) };
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
