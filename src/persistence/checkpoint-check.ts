/**
 * Holds the checkpoint against the journal's facts, as `purser verify` replays them: it must have each key, credit and
 * refusal as its fact says, each order as the last fact about it made it, and nothing else.
 *
 * Orders change, and the replay doesn't know yet which fact is the last. So it remembers the orders that the
 * checkpoint has otherwise than the facts so far, and in the end there must be none: memory is for orders that
 * are on their way between two facts, not for all that ever changed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Fact } from '../engine/fact.ts';
import { type KeyFilter, keyHash } from '../engine/key-filter.ts';
import { refOfOrder, refOfRefusal } from '../engine/key-ref.ts';
import { lotAddedBy } from '../engine/lot-lookup.ts';
import type { Lot } from '../engine/lots.ts';
import { NO_KEY, type PurchaseRequest } from '../engine/orders.ts';
import type { State } from '../engine/state.ts';
import { CheckpointHistory } from './checkpoint/checkpoint-history.ts';
import { OrderRowReader } from './checkpoint/checkpoint-rows.ts';
import { type CheckpointTables, loadState } from './checkpoint/checkpoint-tables.ts';
import { auditKeys, KeySum } from './checkpoint/key-audit.ts';
import { MoneyCheck } from './checkpoint/money-check.ts';
import { OrderIndexAudit } from './checkpoint/order-index-audit.ts';
import { RowAudit } from './checkpoint/row-audit.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { canonicalTables } from './state-tables.ts';

/** Facts that give a key its order. */
const OUTCOMES: readonly Fact['kind'][] = ['OrderPlaced', 'HoldCaptured', 'OrderRecovered'];

export class CheckpointCheck {
  /** Of the last fact that the checkpoint reflects. */
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

  /** `filter` is what a start makes of the checkpoint's keys. */
  constructor(tables: CheckpointTables, filter: KeyFilter) {
    const { state, head } = loadState(tables);
    this.position = head.position;
    this.#state = state;
    this.#tables = tables;
    this.#filter = filter;
    this.#history = new CheckpointHistory(tables);
    this.#orders = new OrderRowReader(tables.orders);
    this.#money = new MoneyCheck(tables);
  }

  /**
   * A fact that the checkpoint reflects, and the state right after it. What fails, here and below, is a
   * `DamagedDataError`.
   */
  add(fact: Fact, replayed: State): void {
    const { position } = replayed;
    this.#rows.add(fact);
    this.#money.add(fact, replayed);
    this.#orderIndex.add(fact, position);
    if ('order' in fact) {
      const { order } = fact;
      const hasOutcome = OUTCOMES.includes(fact.kind);
      if (hasOutcome && order.idempotencyKey !== NO_KEY) this.#addKey(order, refOfOrder(order.orderId));
      if (isDeepStrictEqual(order, this.#orders.get(order.orderId)))
        this.#differentOrders.delete(order.orderId);
      else this.#differentOrders.add(order.orderId);
    } else if ('refusal' in fact && fact.refusal !== null) {
      const { refusal } = fact;
      this.#addKey(refusal, refOfRefusal(position));
      expectSame(`the refusal of key ${refusal.idempotencyKey}`, refusal, this.#history.refusal(position));
    } else if (fact.kind === 'WalletCredited') {
      const { credit } = fact;
      const found = this.#history.creditOutcome(credit.accountId, credit.reference);
      expectSame(`credit ${credit.reference} of account ${credit.accountId}`, credit, found);
    } else if (fact.kind === 'LotRecalled') this.#addLot(fact.lot);
    const added = lotAddedBy(fact);
    if (added !== undefined) this.#addLot(added);
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
    if (!this.#keys.equals(auditKeys(this.#tables, (ref) => this.#history.outcome(ref)))) {
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

  #addKey({ accountId, idempotencyKey }: PurchaseRequest, ref: number): void {
    const hash = keyHash(accountId, idempotencyKey);
    if (!this.#filter.mayHave(hash)) {
      throw new DamagedDataError(
        `key ${idempotencyKey} of account ${accountId} is missing in the filter of keys: a retry would buy twice`,
      );
    }
    this.#keys.add(hash, ref);
  }
}

function expectSame(subject: string, expected: object, found: object | undefined): void {
  if (isDeepStrictEqual(expected, found)) return;
  throw new DamagedDataError(`${subject} is missing in the checkpoint, or differs from the journal`);
}
