/**
 * The engine's `History`, answered from the checkpoint. Synchronous: a look-up is a read of mapped memory.
 */
import type { History } from '../../engine/history.ts';
import type { CreditOutcome } from '../../engine/idempotency.ts';
import type { Order, PurchaseOutcome } from '../../engine/orders.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { numberKey } from '../lmdb/lmdb-environment.ts';
import {
  DIGEST_BYTES,
  decodeOutcome,
  OrderBlock,
  type OutcomeKind,
  type OutcomeRow,
  orderBlockOf,
  unseal,
  writeOutcomeDigest,
} from './checkpoint-rows.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';

export class CheckpointHistory implements History {
  readonly #tables: CheckpointTables;
  readonly #digest = Buffer.alloc(DIGEST_BYTES);

  constructor(tables: CheckpointTables) {
    this.#tables = tables;
  }

  /** Makes what another thread has folded visible to the next look-up. */
  refresh(): void {
    this.#tables.environment.root.resetReadTxn();
  }

  purchaseOutcome(accountId: number, idempotencyKey: string): PurchaseOutcome | undefined {
    const row = this.#outcome('purchase', accountId, idempotencyKey);
    if (row === undefined || 'credit' in row) return undefined;
    if ('refusal' in row) return row.refusal;
    const order = this.order(row.orderId);
    if (order === undefined) {
      throw new DamagedDataError(`order ${row.orderId} has a key in the checkpoint, and no row`);
    }
    return order;
  }

  creditOutcome(accountId: number, reference: string): CreditOutcome | undefined {
    const row = this.#outcome('credit', accountId, reference);
    return row !== undefined && 'credit' in row ? row.credit : undefined;
  }

  order(orderId: number): Order | undefined {
    const key = numberKey(orderBlockOf(orderId));
    const row = this.#tables.orders.get(key);
    return row === undefined ? undefined : OrderBlock.decode(unseal('orders', key, row)).get(orderId);
  }

  orders(first: number, last: number): Order[] {
    const found: Order[] = [];
    for (let block = orderBlockOf(first); block <= orderBlockOf(last); block += 1) {
      const key = numberKey(block);
      const row = this.#tables.orders.get(key);
      if (row === undefined) continue;
      for (const order of OrderBlock.decode(unseal('orders', key, row)).values()) {
        if (order.orderId >= first && order.orderId <= last) found.push(order);
      }
    }
    return found;
  }

  #outcome(kind: OutcomeKind, accountId: number, key: string): OutcomeRow | undefined {
    const digest = this.#digest;
    writeOutcomeDigest(digest, 0, kind, accountId, key);
    const row = this.#tables.keys.get(digest);
    return row === undefined ? undefined : decodeOutcome(unseal('keys', digest, row));
  }
}
