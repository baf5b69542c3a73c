/**
 * Proves that the checkpoint has no row that no fact explains.
 *
 * `purser verify` looks up what each fact must have left there, and no two facts leave the same row. So the rows
 * are those of the facts, and no others, when there are as many of them; orders, of which several share a row,
 * are counted by themselves, each in the row where it would be looked for. (Keys: `key-audit.ts`.)
 */

import { lotAddedBy } from '../../engine/decide/lot-lookup.ts';
import type { Fact } from '../../engine/fact.ts';
import type { State } from '../../engine/state.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { readNumberKey } from '../codec/number-key.ts';
import { unseal } from '../codec/sealed-row.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { OrderBlock, orderBlockOf } from './checkpoint-rows.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';

export class RowAudit {
  #refusals = 0;
  /** Rows of credits, and of all else that is in their table. */
  #credits = 0;
  #lots = 0;

  /** Takes every fact that the checkpoint reflects. */
  add(fact: Fact): void {
    if ('refusal' in fact && fact.refusal !== null) this.#refusals += 1;
    if ('credit' in fact) this.#credits += 1;
    // Whoever ended twice has one row.
    if ('ended' in fact && !('endedBefore' in fact)) this.#credits += 1;
    if (lotAddedBy(fact) !== undefined) this.#lots += 1;
    if (fact.origin?.call !== undefined) this.#credits += 1;
  }

  /** `state` is that of the checkpoint's position. Throws `DamagedDataError` when there are other rows. */
  finish(tables: CheckpointTables, state: State): void {
    expectRows('accounts', state.accounts.size, tables.accounts);
    expectRows('products', state.products.size, tables.products);
    expectRows('suppliers', state.suppliers.size, tables.suppliers);
    expectRows('operators', state.operators.size, tables.operators);
    expectRows('open supplier purchases', state.supplierPurchases.size, tables.supplierPurchases);
    expectRows('ended supplier purchases', state.endedSupplierPurchases.size, tables.ended);
    expectRows('refusals', this.#refusals, tables.refusals);
    expectRows('credits, calls and ends of supplier purchases', this.#credits, tables.credits);
    expectRows('debits that wait', state.waitingDebits.size, tables.waitingDebits);
    expectRows('lots', this.#lots, tables.lots);
    expectRows('lots of products', this.#lots, tables.productLots);
    expectCount('orders', state.orderCount, countOrders(tables.orders));
  }
}

function expectRows(rows: string, expected: number, table: Table): void {
  expectCount(rows, expected, table.getKeysCount());
}

function countOrders(table: Table): number {
  let count = 0;
  for (const { key, value } of table.getRange()) {
    const number = readNumberKey(key);
    for (const { orderId } of OrderBlock.decode(unseal('orders', key, value)).values()) {
      if (orderBlockOf(orderId) !== number) {
        throw new DamagedDataError(`order ${orderId} is in the wrong row of the checkpoint`);
      }
      count += 1;
    }
  }
  return count;
}

function expectCount(rows: string, expected: number, found: number): void {
  if (expected === found) return;
  throw new DamagedDataError(`the checkpoint has ${found} ${rows}, but the journal has ${expected}`);
}
