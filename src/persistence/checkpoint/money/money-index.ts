/**
 * The fold's index of money: movements and sums by day. The changes by facts are collected, and written account by
 * account and product by product at the end (`grouped-rows.ts`).
 *
 * Invariant: all that is collected is of one day, because the times of facts never go back and a new day has the last
 * one written first.
 */

import {
  addChange,
  addSums,
  MONEY_KINDS,
  type MoneySums,
  moneyChangeOf,
  NO_PRODUCT,
  noSums,
} from '../../../engine/apply/money-change.ts';
import type { Fact } from '../../../engine/fact.ts';
import type { CheckpointTables } from '../checkpoint-tables.ts';
import { GroupedRows } from '../grouped-rows.ts';
import { AccountMovements } from './account-movements.ts';
import { DaySums, dayOf, NODE_ID } from './day-sums.ts';
import { MOVEMENT_COLUMNS, type MovementDetails } from './movement-row.ts';

/** How many numbers the row of a product's change has: the kind's place in `MONEY_KINDS`, and the amount. */
const SALE_COLUMNS = 2;

export class MoneyIndex {
  readonly #movements: AccountMovements;
  readonly #sums: DaySums;
  readonly #byAccount = new GroupedRows(MOVEMENT_COLUMNS);
  readonly #byProduct = new GroupedRows(SALE_COLUMNS);
  /** Details of the few movements that have any, by sequence. */
  readonly #details = new Map<number, MovementDetails>();
  #day = 0;

  constructor({ movements, daySums }: Pick<CheckpointTables, 'movements' | 'daySums'>) {
    this.#movements = new AccountMovements(movements);
    this.#sums = new DaySums(daySums);
  }

  take(fact: Fact, position: number): void {
    const change = moneyChangeOf(fact);
    if (change === undefined) return;
    const { atMs, origin } = fact;
    const day = dayOf(atMs);
    if (day !== this.#day) {
      this.#write();
      this.#day = day;
    }
    const { accountId, productId, amountMicros, orderId, reference } = change;
    const kind = MONEY_KINDS.indexOf(change.kind);
    this.#byAccount.add(accountId, position, atMs, kind, amountMicros, orderId);
    if (productId !== NO_PRODUCT) this.#byProduct.add(productId, kind, amountMicros);
    const operatorId = origin?.operatorId;
    if (reference === '' && operatorId === undefined) return;
    // A buyer's requests have an origin, too, and nothing to say of it here.
    const reason = operatorId === undefined ? undefined : origin?.reason;
    this.#details.set(position, { reference, operatorId, reason });
  }

  flush(): void {
    this.#write();
    this.#movements.flush();
  }

  #write(): void {
    if (this.#byAccount.isEmpty) return;
    const day = this.#day;
    const ofNode = noSums();
    this.#byAccount.visit((accountId, rows, start, end) => {
      this.#movements.add(accountId, rows, start, end, this.#details);
      const sums = sumsOf(rows, start + 2, end, MOVEMENT_COLUMNS);
      this.#sums.add('account', accountId, day, sums);
      addSums(ofNode, sums);
    });
    this.#byProduct.visit((productId, rows, start, end) => {
      this.#sums.add('product', productId, day, sumsOf(rows, start, end, SALE_COLUMNS));
    });
    this.#sums.add('node', NODE_ID, day, ofNode);
    this.#details.clear();
  }
}

/** Sums of rows of `columns` numbers, of which kind and amount, one behind the other, are at `start` and so on. */
function sumsOf(rows: Float64Array, start: number, end: number, columns: number): MoneySums {
  const sums = noSums();
  for (let at = start; at < end; at += columns) {
    const kind = MONEY_KINDS[rows[at] ?? 0] ?? 'credit';
    addChange(sums, { kind, amountMicros: rows[at + 1] ?? 0 });
  }
  return sums;
}
