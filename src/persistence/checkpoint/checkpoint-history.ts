/**
 * The engine's `History`, answered from the checkpoint. Synchronous: a look-up reads a few blocks of files, or a few bytes
 * of filters.
 */
import { type History, UnreadableHistoryError } from '../../engine/decide/history.ts';
import { ANY_ACCOUNT, type CreditOutcome, type KeyedCall } from '../../engine/decide/idempotency.ts';
import type { Lot } from '../../engine/lots.ts';
import type { Order, PurchaseOutcome } from '../../engine/orders.ts';
import { keyHash } from '../../engine/recent/key-hash.ts';
import { readRef } from '../../engine/recent/key-ref.ts';
import type { SupplierPurchaseEnd } from '../../engine/supplying/supplier-purchase-ends.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { readRefusal } from '../codec/order-codec.ts';
import { decodeJson } from '../codec/sealed-row.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { readOrderRow } from './order-row.ts';
import { type SpentMinute, spentMinutes } from './spent-minutes.ts';
import { TABLES } from './tables.ts';

export class CheckpointHistory implements History {
  readonly #store: StoreReader;

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /**
   * Makes what another thread has folded visible to the next look-up. Rejects with `DamagedFileError` and
   * `RefusedFileError`: then all is seen as before.
   */
  async refresh(): Promise<void> {
    await this.#store.refreshGently(TABLES.keys);
  }

  purchaseOutcome(
    accountId: number,
    idempotencyKey: string,
    hash = keyHash(accountId, idempotencyKey),
  ): PurchaseOutcome | undefined {
    return read(() => {
      if (!this.#store.mayHave(TABLES.keys, hash)) return undefined;
      for (const { b } of this.#store.range(TABLES.keys, { fromA: hash, toA: hash + 1 })) {
        const outcome = this.outcome(b);
        if (outcome.accountId === accountId && outcome.idempotencyKey === idempotencyKey) return outcome;
      }
      return undefined;
    });
  }

  creditOutcome(accountId: number, reference: string): CreditOutcome | undefined {
    return read(() => {
      for (const credit of this.#hashed<CreditOutcome>(TABLES.credits, keyHash(accountId, reference)))
        if (credit.reference === reference && [credit.accountId, ANY_ACCOUNT].includes(accountId))
          return credit;
      return undefined;
    });
  }

  call(operatorId: number, key: string): KeyedCall | undefined {
    return read(() => {
      for (const call of this.#hashed<KeyedCall>(TABLES.calls, keyHash(operatorId, key)))
        if (call.operatorId === operatorId && call.key === key) return call;
      return undefined;
    });
  }

  order(orderId: number): Order | undefined {
    return read(() => this.#order(orderId));
  }

  lastOrderId(): number {
    return read(() => {
      const range = { fromA: Number.MAX_SAFE_INTEGER, toA: 0, reverse: true };
      for (const { a } of this.#store.range(TABLES.orders, range)) return a;
      return 0;
    });
  }

  spentSince(accountId: number, minute: number): SpentMinute[] {
    return read(() => spentMinutes(this.#store, accountId, minute));
  }

  supplierPurchaseEnd(supplierPurchaseId: number): SupplierPurchaseEnd | undefined {
    return read(() =>
      this.#store.get(TABLES.supplierPurchaseEnds, supplierPurchaseId, 0, decodeJson<SupplierPurchaseEnd>),
    );
  }

  lot(lotId: number): Lot | undefined {
    return read(() => this.#store.get(TABLES.lots, lotId, 0, decodeJson<Lot>));
  }

  lotsOf(productId: number, beforeItem: number, limit: number): Lot[] {
    return read(() => {
      const found: Lot[] = [];
      const range = { fromA: productId, fromB: beforeItem - 1, toA: productId, toB: -1, reverse: true };
      for (const { value } of this.#store.range(TABLES.productLots, range)) {
        if (found.length === limit) break;
        const lot = this.lot(new ByteReader(value).varint());
        if (lot !== undefined) found.push(lot);
      }
      return found;
    });
  }

  /** The outcome of a key. Throws `DamagedDataError` when there is none. */
  outcome(ref: number): PurchaseOutcome {
    const led = readRef(ref);
    const outcome =
      'orderId' in led
        ? this.#order(led.orderId)
        : this.#store.get(TABLES.refusals, led.refusedAt, 0, (row) => readRefusal(new ByteReader(row)));
    if (outcome === undefined)
      throw new DamagedDataError(`a key in the checkpoint leads to ${JSON.stringify(led)}, which has no row`);
    return outcome;
  }

  #order(orderId: number): Order | undefined {
    return this.#store.get(TABLES.orders, orderId, 0, (row) => readOrderRow(orderId, row));
  }

  *#hashed<Row>(table: typeof TABLES.credits | typeof TABLES.calls, hash: number): IterableIterator<Row> {
    for (const { value } of this.#store.range(table, { fromA: hash, toA: hash + 1 }))
      yield decodeJson<Row>(value);
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
