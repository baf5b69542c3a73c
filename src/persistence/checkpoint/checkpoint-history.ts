/**
 * The engine's `History`, answered from the checkpoint. Synchronous: a look-up is a read of mapped memory, or of a few
 * blocks of files.
 */
import { type History, UnreadableHistoryError } from '../../engine/decide/history.ts';
import type { CreditOutcome, KeyedCall } from '../../engine/decide/idempotency.ts';
import type { Lot } from '../../engine/lots.ts';
import type { Order, PurchaseOutcome, StoredRefusal } from '../../engine/orders.ts';
import { keyHash } from '../../engine/recent/key-filter.ts';
import { readRef } from '../../engine/recent/key-ref.ts';
import type { SupplierPurchaseEnd } from '../../engine/supplying/supplier-purchase-ends.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { numberKey } from '../codec/number-key.ts';
import { decodeJson, readRow } from '../codec/sealed-row.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';
import { callKey, decodeRefusal, endKey, ownedKey, readOrderRow } from './checkpoint-rows.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { findRefs, purchaseKeys } from './keys/key-runs.ts';
import { readLot, readLotsOf } from './lot-rows.ts';

export class CheckpointHistory implements History {
  readonly #tables: CheckpointTables;

  constructor(tables: CheckpointTables) {
    this.#tables = tables;
  }

  /** Makes what another thread has folded visible to the next look-up. */
  refresh(): void {
    this.#tables.environment.resetReadTxn();
    this.#tables.runs.letGo();
  }

  purchaseOutcome(accountId: number, idempotencyKey: string): PurchaseOutcome | undefined {
    return read(() => this.#purchaseOutcome(accountId, idempotencyKey));
  }

  #purchaseOutcome(accountId: number, idempotencyKey: string): PurchaseOutcome | undefined {
    for (const ref of findRefs(purchaseKeys(this.#tables), keyHash(accountId, idempotencyKey))) {
      const outcome = this.outcome(ref);
      if (outcome.accountId === accountId && outcome.idempotencyKey === idempotencyKey) return outcome;
    }
    return undefined;
  }

  creditOutcome(accountId: number, reference: string): CreditOutcome | undefined {
    const { credits } = this.#tables;
    return read(() => readRow('credits', credits, ownedKey(accountId, reference), decodeJson<CreditOutcome>));
  }

  call(operatorId: number, key: string): KeyedCall | undefined {
    const { credits } = this.#tables;
    return read(() => readRow('credits', credits, callKey(operatorId, key), decodeJson<KeyedCall>));
  }

  order(orderId: number): Order | undefined {
    return read(() => readOrderRow(this.#tables.orders, orderId));
  }

  supplierPurchaseEnd(supplierPurchaseId: number): SupplierPurchaseEnd | undefined {
    const { credits } = this.#tables;
    return read(() =>
      readRow('credits', credits, endKey(supplierPurchaseId), decodeJson<SupplierPurchaseEnd>),
    );
  }

  lot(lotId: number): Lot | undefined {
    return read(() => readLot(this.#tables, lotId));
  }

  lotsOf(productId: number, beforeItem: number, limit: number): Lot[] {
    return read(() => readLotsOf(this.#tables, productId, beforeItem, limit));
  }

  /** The refusal whose fact is at `position` in the journal. */
  refusal(position: number): StoredRefusal | undefined {
    return readRow('refusals', this.#tables.refusals, numberKey(position), decodeRefusal);
  }

  /** The outcome of a key. Throws `DamagedDataError` when there is none. */
  outcome(ref: number): PurchaseOutcome {
    const found = readRef(ref);
    const outcome = 'orderId' in found ? this.order(found.orderId) : this.refusal(found.refusedAt);
    if (outcome === undefined) {
      throw new DamagedDataError(
        `a key in the checkpoint leads to ${JSON.stringify(found)}, which has no row`,
      );
    }
    return outcome;
  }
}

/** Throws `UnreadableHistoryError` for damaged rows and files. */
function read<Result>(look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof DamagedDataError || error instanceof DamagedFileError)) throw error;
    throw new UnreadableHistoryError(error.message, { cause: error });
  }
}
