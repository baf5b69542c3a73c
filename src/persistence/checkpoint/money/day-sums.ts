/**
 * Sums of money by day (UTC): of the node, of each product and of each account (`MoneySums`). Reports need nothing
 * else.
 *
 * Invariant: a day's sums are those of the facts of that day that are folded. The facts' times never go back, so a day
 * that is over is read again by nobody who writes. Rejected: sums that go on from day to day, of which a report would
 * take two and subtract: each account and product would need a row for each day, whether it bought or not.
 */
import {
  addSums,
  type MoneyChange,
  type MoneySums,
  NO_PRODUCT,
  noSums,
} from '../../../engine/apply/money-change.ts';
import { ByteReader } from '../../codec/byte-reader.ts';
import { ByteWriter } from '../../codec/byte-writer.ts';
import { numbersKey, readNumberKey } from '../../codec/number-key.ts';
import { readRow, sealIn, unseal } from '../../codec/sealed-row.ts';
import type { Table } from '../../lmdb/lmdb-table.ts';

export const DAY_MS = 24 * 60 * 60_000;

/** Owners of sums. Stored by their place in this list. */
export const SUMS_OF = ['node', 'product', 'account'] as const;
export type SumsOf = (typeof SUMS_OF)[number];
/** The id under which the node's own sums are. */
export const NODE_ID = 0;

const NAME = 'daySums';
const NUMBER_BYTES = 8;

export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** The id under which a change is counted; undefined when it isn't. */
export function idIn(of: SumsOf, { productId, accountId }: MoneyChange): number | undefined {
  if (of === 'account') return accountId;
  if (of === 'node') return NODE_ID;
  return productId === NO_PRODUCT ? undefined : productId;
}

export class DaySums {
  readonly #table: Table;
  readonly #scratch = new ByteWriter();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Adds what facts of a day come to. Inside a transaction. */
  add(of: SumsOf, id: number, day: number, more: MoneySums): void {
    const key = sumsKey(of, id, day);
    const sums = readRow(NAME, this.#table, key, decodeSums) ?? noSums();
    addSums(sums, more);
    const { depositsMicros, salesMicros, refundsMicros, heldMicros } = sums;
    this.#scratch.reset();
    for (const micros of [depositsMicros, salesMicros, refundsMicros, heldMicros])
      this.#scratch.number(micros);
    this.#table.put(key, sealIn(this.#scratch, key));
  }
}

/** Undefined when nothing moved. */
export function daySumsOf(table: Table, of: SumsOf, id: number, day: number): MoneySums | undefined {
  return readRow(NAME, table, sumsKey(of, id, day), decodeSums);
}

export interface DayRow {
  readonly id: number;
  readonly day: number;
  readonly sums: MoneySums;
}

/** Days of one id, from `firstDay` on and before `endDay`, oldest first. Not beyond this turn of the event loop. */
export function* daysOf(
  table: Table,
  of: SumsOf,
  id: number,
  firstDay: number,
  endDay: number,
): IterableIterator<DayRow> {
  yield* rowsBetween(table, sumsKey(of, id, firstDay), sumsKey(of, id, endDay));
}

/** The smallest id from `id` on under which there is anything. */
export function nextIdWithSums(table: Table, of: SumsOf, id: number): number | undefined {
  for (const row of rowsBetween(table, sumsKey(of, id, 0), numbersKey(SUMS_OF.indexOf(of) + 1), 1))
    return row.id;
  return undefined;
}

/** All there are, list by list. */
export function* allDaySums(table: Table): IterableIterator<DayRow & { readonly of: SumsOf }> {
  for (const of of SUMS_OF) {
    const list = SUMS_OF.indexOf(of);
    for (const row of rowsBetween(table, numbersKey(list), numbersKey(list + 1))) yield { of, ...row };
  }
}

function* rowsBetween(table: Table, start: Buffer, end: Buffer, limit?: number): IterableIterator<DayRow> {
  for (const { key, value } of table.getRange(limit === undefined ? { start, end } : { start, end, limit })) {
    const sums = decodeSums(unseal(NAME, key, value));
    yield { id: readNumberKey(key, NUMBER_BYTES), day: readNumberKey(key, 2 * NUMBER_BYTES), sums };
  }
}

function sumsKey(of: SumsOf, id: number, day: number): Buffer {
  return numbersKey(SUMS_OF.indexOf(of), id, day);
}

function decodeSums(payload: Buffer): MoneySums {
  const input = new ByteReader(payload);
  return {
    depositsMicros: input.number(),
    salesMicros: input.number(),
    refundsMicros: input.number(),
    heldMicros: input.number(),
  };
}
