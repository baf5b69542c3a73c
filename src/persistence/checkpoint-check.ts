/**
 * Holds the checkpoint against the journal's facts, as `purser verify` replays them: it must have each key, credit and
 * refusal as its fact says, each order as the last fact about it made it, and nothing else.
 *
 * Orders change, and the replay doesn't know yet which fact is the last. So it remembers the orders that the
 * checkpoint has otherwise than the facts so far, and in the end there must be none: memory is for orders that
 * are on their way between two facts, not for all that ever changed.
 */
import { isDeepStrictEqual } from 'node:util';
import { keyedCallOf } from '../engine/decide/keyed-calls.ts';
import { lotAddedBy } from '../engine/decide/lot-lookup.ts';
import type { Fact } from '../engine/fact.ts';
import type { Lot } from '../engine/lots.ts';
import { NO_KEY } from '../engine/orders.ts';
import { type KeyFilter, keyHash } from '../engine/recent/key-filter.ts';
import { refOfOrder, refOfRefusal } from '../engine/recent/key-ref.ts';
import type { State } from '../engine/state.ts';
import { CheckpointHistory } from './checkpoint/checkpoint-history.ts';
import { OrderRowReader } from './checkpoint/checkpoint-rows.ts';
import { type CheckpointTables, loadState } from './checkpoint/checkpoint-tables.ts';
import { auditKeys, KeySum } from './checkpoint/keys/key-audit.ts';
import { purchaseKeys } from './checkpoint/keys/key-runs.ts';
import { MoneyCheck } from './checkpoint/money/money-check.ts';
import { OrderIndexAudit } from './checkpoint/order-index-audit.ts';
import { RowAudit } from './checkpoint/row-audit.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { canonicalTables } from './state-tables.ts';

/** Facts that give a key its order. */
const OUTCOMES: readonly Fact['kind'][] = ['OrderPlaced', 'HoldCaptured', 'OrderRecovered'];

export class CheckpointCheck {
  /** The position of the last fact that the checkpoint reflects. */
  readonly position: number;
  readonly #state: State;
  readonly #tables: CheckpointTables;
  readonly #filter: KeyFilter;
  readonly #history: CheckpointHistory;
  readonly #orders: OrderRowReader;
  readonly #keys = new KeySum();
  readonly #rows = new RowAudit();
  readonly #money: MoneyCheck;
  readonly #orderIndex = new OrderIndexAudit();
  readonly #differentOrders = new Set<number>();
  readonly #differentLots = new Set<number>();
  readonly #differentEnds = new Set<number>();

  /** `filter` is what a start makes of the checkpoint's keys. */
  constructor(tables: CheckpointTables, filter: KeyFilter) {
    const { state, head } = loadState(tables);
    this.position = head.position;
    this.#state = state;
    this.#money = new MoneyCheck(tables);
    this.#tables = tables;
    this.#filter = filter;
    this.#history = new CheckpointHistory(tables);
    this.#orders = new OrderRowReader(tables.orders);
  }

  /**
   * A fact that the checkpoint reflects, and the state right after it. A failure, here and below, is a
   * `DamagedDataError`.
   */
  add(fact: Fact, replayed: State): void {
    const { position } = replayed;
    this.#rows.add(fact);
    this.#money.add(fact, replayed);
    this.#orderIndex.add(fact, position);
    this.#addKey(fact, position);
    if ('order' in fact) {
      const { order } = fact;
      if (isDeepStrictEqual(order, this.#orders.get(order.orderId)))
        this.#differentOrders.delete(order.orderId);
      else this.#differentOrders.add(order.orderId);
    } else if ('refusal' in fact && fact.refusal !== null) {
      const { refusal } = fact;
      expectSame(`the refusal of key ${refusal.idempotencyKey}`, refusal, this.#history.refusal(position));
    } else if (fact.kind === 'WalletCredited') {
      const { credit } = fact;
      const found = this.#history.creditOutcome(credit.accountId, credit.reference);
      expectSame(`credit ${credit.reference} of account ${credit.accountId}`, credit, found);
    } else if (fact.kind === 'LotRecalled') this.#addLot(fact.lot);
    const call = keyedCallOf(replayed, fact);
    if (call !== undefined) {
      const found = this.#history.call(call.operatorId, call.key);
      expectSame(`the call with key ${call.key} of operator ${call.operatorId}`, call, found);
    }
    const added = lotAddedBy(fact);
    if (added !== undefined) this.#addLot(added);
    if ('ended' in fact && fact.supplierPurchaseId !== undefined)
      this.#addEnd(fact.supplierPurchaseId, replayed);
  }

  /** `replayed` is the state at `position`, by the facts alone. */
  compare(replayed: State): void {
    for (const orderId of this.#differentOrders) {
      throw new DamagedDataError(
        `order ${orderId} is missing in the checkpoint, or differs from the journal`,
      );
    }
    for (const lotId of this.#differentLots) {
      throw new DamagedDataError(`lot ${lotId} is missing in the checkpoint, or differs from the journal`);
    }
    for (const supplierPurchaseId of this.#differentEnds) {
      throw new DamagedDataError(
        `the end of supplier purchase ${supplierPurchaseId} is missing in the checkpoint, or differs from the journal`,
      );
    }
    const expected = canonicalTables(replayed);
    const found = canonicalTables(this.#state);
    for (const [index, row] of expected.entries()) {
      if (row !== found[index]) {
        throw new DamagedDataError(`the checkpoint has ${found[index]}, but the journal gives ${row}`);
      }
    }
    if (found.length > expected.length) {
      throw new DamagedDataError(`the checkpoint has ${found[expected.length]}, but the journal does not`);
    }
  }

  /** When all facts have been read: it has no other rows and keys. */
  finish(): void {
    this.#rows.finish(this.#tables, this.#state);
    this.#money.finish();
    this.#orderIndex.finish(this.#tables);
    if (!this.#keys.equals(auditKeys(purchaseKeys(this.#tables), (ref) => this.#history.outcome(ref)))) {
      throw new DamagedDataError('the idempotency keys in the checkpoint differ from those in the journal');
    }
  }

  /** Found both ways, by its number and by its first item. */
  #addLot(lot: Lot): void {
    const [found] = this.#history.lotsOf(lot.productId, lot.firstItem + 1, 1);
    const isSame = isDeepStrictEqual(lot, this.#history.lot(lot.lotId)) && isDeepStrictEqual(lot, found);
    if (isSame) this.#differentLots.delete(lot.lotId);
    else this.#differentLots.add(lot.lotId);
  }

  #addEnd(supplierPurchaseId: number, { supplierPurchaseEnds }: State): void {
    const found = this.#history.supplierPurchaseEnd(supplierPurchaseId);
    const isSame = isDeepStrictEqual(supplierPurchaseEnds.get(supplierPurchaseId), found);
    if (isSame) this.#differentEnds.delete(supplierPurchaseId);
    else this.#differentEnds.add(supplierPurchaseId);
  }

  #addKey(fact: Fact, position: number): void {
    const key = keyIn(fact, position);
    if (key === undefined) return;
    this.#keys.add(key.hash, key.ref);
    if (this.#filter.mayHave(key.hash)) return;
    throw new DamagedDataError(
      `key ${key.idempotencyKey} of account ${key.accountId} is missing in the filter of keys: a retry would buy twice`,
    );
  }
}

/** The key that the fact gives an outcome; undefined when there is none. */
function keyIn(fact: Fact, position: number) {
  if ('order' in fact) {
    const { accountId, idempotencyKey, orderId } = fact.order;
    if (!OUTCOMES.includes(fact.kind) || idempotencyKey === NO_KEY) return undefined;
    return { idempotencyKey, accountId, hash: keyHash(accountId, idempotencyKey), ref: refOfOrder(orderId) };
  }
  if (!('refusal' in fact) || fact.refusal === null) return undefined;
  const { accountId, idempotencyKey } = fact.refusal;
  return { idempotencyKey, accountId, hash: keyHash(accountId, idempotencyKey), ref: refOfRefusal(position) };
}

function expectSame(subject: string, expected: object, found: object | undefined): void {
  if (isDeepStrictEqual(expected, found)) return;
  throw new DamagedDataError(`${subject} is missing in the checkpoint, or differs from the journal`);
}
