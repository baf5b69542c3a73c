/**
 * Rows of the history, made of facts as a fold applies them.
 *
 * Invariant: nothing is read to write a row. A row follows from its fact, and from the state right after it where the fact
 * doesn't say all: the wallet after a movement, the outcome of an operator's call, the end of a supplier purchase. An
 * order that changed is the same row again, and the youngest counts.
 */
import { moneyChangeOf } from '../../engine/apply/money-change.ts';
import { ANY_ACCOUNT } from '../../engine/decide/idempotency.ts';
import { keyedCallOf } from '../../engine/decide/keyed-calls.ts';
import { lotAddedBy } from '../../engine/decide/lot-lookup.ts';
import type { Fact } from '../../engine/fact.ts';
import { NO_KEY } from '../../engine/orders.ts';
import { keyHash } from '../../engine/recent/key-hash.ts';
import { refOfOrder, refOfRefusal } from '../../engine/recent/key-ref.ts';
import type { State } from '../../engine/state.ts';
import { writeRefusal } from '../codec/order-codec.ts';
import type { StoreRows } from '../store/store-files.ts';
import type { TableWriter } from '../store/table-writer.ts';
import { takeAccountEvents } from './account-events.ts';
import { takeAudit } from './audit.ts';
import { DaySums } from './day-sums.ts';
import { takeMovement } from './movements.ts';
import { isOutcome, takeEntries } from './order-entries.ts';
import { writeOrderRow } from './order-row.ts';
import { RowBatches } from './row-batches.ts';
import { SpentMinutes } from './spent-minutes.ts';
import { TABLES } from './tables.ts';

export class FactRows implements StoreRows {
  readonly rows = new RowBatches();
  readonly #daySums = new DaySums(this.rows);
  readonly #spent = new SpentMinutes(this.rows);

  /** `state`: right after the fact. */
  take(fact: Fact, position: number, state: State): void {
    const { rows } = this;
    if ('order' in fact) this.#takeOrder(fact, state);
    takeEntries(rows, fact, position);
    const change = moneyChangeOf(fact);
    const hasMovement = change !== undefined && takeMovement(rows, fact, change, position, state);
    if (change !== undefined) this.#daySums.take(change, fact.atMs);
    this.#spent.take(fact);
    if (fact.kind === 'OrderPlaced') return;
    if (!hasMovement) takeAccountEvents(rows, fact, position);
    this.#takeRefusal(fact, position, state);
    this.#takeLot(fact);
    takeAudit(rows, fact, position);
    if ('credit' in fact) {
      const { accountId, reference } = fact.credit;
      rows.put(TABLES.credits, keyHash(accountId, reference), position, fact.credit);
      if (fact.transfer !== undefined)
        rows.put(TABLES.credits, keyHash(ANY_ACCOUNT, reference), position, fact.credit);
    }
    const call = keyedCallOf(state, fact);
    if (call !== undefined) rows.put(TABLES.calls, keyHash(call.operatorId, call.key), position, call);
    if (!('ended' in fact) || fact.supplierPurchaseId === undefined) return;
    const end = state.supplierPurchaseEnds.get(fact.supplierPurchaseId);
    if (end !== undefined) rows.put(TABLES.supplierPurchaseEnds, fact.supplierPurchaseId, 0, end);
  }

  /** Writes all rows, which are then forgotten. */
  write(writer: TableWriter): void {
    this.#daySums.flush();
    this.#spent.flush();
    this.rows.write(writer);
  }

  #takeOrder({ kind, order }: Extract<Fact, { order: unknown }>, { idempotency }: State): void {
    const { orderId, accountId, idempotencyKey } = order;
    const orders = this.rows.of(TABLES.orders);
    writeOrderRow(orders.values, order);
    orders.add(orderId);
    if (isOutcome(kind) && idempotencyKey !== NO_KEY)
      // `apply` has just hashed it.
      this.rows.of(TABLES.keys).add(idempotency.hashOf(accountId, idempotencyKey), refOfOrder(orderId));
  }

  #takeRefusal(fact: Fact, position: number, { idempotency }: State): void {
    const refusal = 'refusal' in fact ? fact.refusal : null;
    if (refusal === null) return;
    const refusals = this.rows.of(TABLES.refusals);
    writeRefusal(refusals.values, refusal);
    refusals.add(position);
    const hash = idempotency.hashOf(refusal.accountId, refusal.idempotencyKey);
    this.rows.of(TABLES.keys).add(hash, refOfRefusal(position));
  }

  #takeLot(fact: Fact): void {
    const added = lotAddedBy(fact);
    const lot = fact.kind === 'LotRecalled' ? fact.lot : added;
    if (lot !== undefined) this.rows.put(TABLES.lots, lot.lotId, 0, lot);
    if (added === undefined) return;
    const batch = this.rows.of(TABLES.productLots);
    batch.values.varint(added.lotId);
    batch.add(added.productId, added.firstItem);
  }
}
