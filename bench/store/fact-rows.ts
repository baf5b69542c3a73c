/**
 * Rows of the history, made of facts: each is a function of one fact, so nothing is read to write it, and `purser
 * verify` makes it again. An order that changed is the same row again.
 */
import {
  addChange,
  MONEY_KINDS,
  type MoneySums,
  moneyChangeOf,
  NO_PRODUCT,
  noSums,
} from '../../src/engine/apply/money-change.ts';
import { keyedCallOf } from '../../src/engine/decide/keyed-calls.ts';
import { lotAddedBy } from '../../src/engine/decide/lot-lookup.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { NO_KEY, ORDER_STATUSES, type Order } from '../../src/engine/orders.ts';
import { keyHash } from '../../src/engine/recent/key-filter.ts';
import { refOfOrder, refOfRefusal } from '../../src/engine/recent/key-ref.ts';
import type { State } from '../../src/engine/state.ts';
import { NO_ORDER } from '../../src/engine/supplying/supplier-purchases.ts';
import { auditEntryOf } from '../../src/persistence/checkpoint/audit-entries.ts';
import {
  type EntrySink,
  type ListName,
  visitEntries,
} from '../../src/persistence/checkpoint/order-entries.ts';
import { recipientEntry } from '../../src/persistence/checkpoint/order-recipients.ts';
import { recoveredEntries } from '../../src/persistence/checkpoint/recovered-orders.ts';
import { writeRefusal } from '../../src/persistence/codec/order-codec.ts';
import { encodeJson } from '../../src/persistence/codec/sealed-row.ts';
import { signed } from '../../src/persistence/codec/varint.ts';
import { FoldRows } from './fold-rows.ts';
import { writeOrderRow } from './order-row.ts';
import type { TableWriter } from './table-writer.ts';
import { STORE, STORE_TABLES, type StoreTable } from './tables.ts';

const DAY_MS = 24 * 60 * 60_000;
const COMPLETED = ORDER_STATUSES.indexOf('completed');

/** Owners of sums by day: the low digit of `a`. */
export const SUMS_OF = { node: 0, product: 1, account: 2 } as const;
const OWNERS = 3;

export function sumsOwner(of: keyof typeof SUMS_OF, id: number): number {
  return id * OWNERS + SUMS_OF[of];
}

const LIST_TABLES = {
  accounts: STORE.accountOrders,
  products: STORE.productOrders,
  orderFacts: STORE.orderFacts,
  holdFacts: STORE.holdFacts,
  lateRequests: STORE.lateRequests,
} as const satisfies Record<Exclude<ListName, 'items'>, StoreTable>;

export class FactRows implements EntrySink {
  readonly #rows = STORE_TABLES.map((table) => new FoldRows(table));
  readonly #byNumber: FoldRows[] = [];
  readonly #orders: FoldRows;
  readonly #keys: FoldRows;
  readonly #items: FoldRows;
  readonly #movements: FoldRows;
  readonly #accountOrders: FoldRows;
  readonly #productOrders: FoldRows;
  /** By owner, of one day. */
  readonly #sums = new Map<number, MoneySums>();
  #day = 0;

  constructor() {
    for (const rows of this.#rows) this.#byNumber[rows.table.number] = rows;
    this.#orders = this.of(STORE.orders);
    this.#keys = this.of(STORE.keys);
    this.#items = this.of(STORE.items);
    this.#movements = this.of(STORE.movements);
    this.#accountOrders = this.of(STORE.accountOrders);
    this.#productOrders = this.of(STORE.productOrders);
  }

  of(table: StoreTable): FoldRows {
    return this.#byNumber[table.number] as FoldRows;
  }

  /** `state`: after the fact. */
  take(fact: Fact, position: number, state: State): void {
    if ('order' in fact) this.#takeOrder(fact.kind, fact.order);
    visitEntries(fact, position, this);
    this.#takeMoney(fact, position, state);
    if (fact.kind === 'OrderPlaced') return;
    const refusal = 'refusal' in fact ? fact.refusal : null;
    if (refusal !== null) {
      const refusals = this.of(STORE.refusals);
      writeRefusal(refusals.values, refusal);
      refusals.add(position);
      this.#keys.add(keyHash(refusal.accountId, refusal.idempotencyKey), refOfRefusal(position));
    }
    this.#takeRecovered(fact);
    this.#takeLot(fact);
    this.#takeAudit(fact, position);
    if ('credit' in fact)
      this.#putJson(
        STORE.credits,
        keyHash(fact.credit.accountId, fact.credit.reference),
        position,
        fact.credit,
      );
    const call = keyedCallOf(state, fact);
    if (call !== undefined) this.#putJson(STORE.calls, keyHash(call.operatorId, call.key), position, call);
  }

  /** The ends of supplier purchases that the state has of facts since the last fold. */
  takeEnds(state: State): void {
    for (const [supplierPurchaseId, end] of state.supplierPurchaseEnds.entries())
      this.#putJson(STORE.supplierPurchaseEnds, supplierPurchaseId, 0, end);
  }

  add(list: Exclude<ListName, 'items'>, id: number, number: number): void {
    if (list === 'accounts') this.#accountOrders.add(id, number);
    else if (list === 'products') this.#productOrders.add(id, number);
    else this.of(LIST_TABLES[list]).add(id, number);
  }

  addItems(productId: number, firstItem: number, count: number, orderId: number): void {
    const { values } = this.#items;
    values.varint(count);
    values.varint(orderId);
    this.#items.add(productId, firstItem);
  }

  putState(table: StoreTable, id: number, row: object | undefined): void {
    const rows = this.of(table);
    if (row !== undefined) rows.values.bytes(encodeJson(row));
    rows.add(id, 0, row === undefined);
  }

  /** Writes all rows, which are then forgotten. */
  write(writer: TableWriter): void {
    this.#endDay();
    for (const rows of this.#rows) rows.write(writer);
  }

  #takeOrder(kind: Fact['kind'], order: Order): void {
    const { orderId } = order;
    writeOrderRow(this.#orders.values, order);
    this.#orders.add(orderId);
    const isNew = kind === 'OrderPlaced';
    if ((isNew || kind === 'HoldCaptured' || kind === 'OrderRecovered') && order.idempotencyKey !== NO_KEY)
      this.#keys.add(keyHash(order.accountId, order.idempotencyKey), refOfOrder(orderId));
    const status = ORDER_STATUSES.indexOf(order.status);
    if (status !== COMPLETED || !isNew) this.#takeStatus(orderId, status);
    if (order.recipientUsername === null) return;
    const entry = recipientEntry({ kind, order } as Fact);
    if (entry !== undefined) this.of(STORE.recipients).add(entry.hash, orderId);
  }

  /** What it was before doesn't matter: a tombstone ends what may not be there as well. */
  #takeStatus(orderId: number, status: number): void {
    const rows = this.of(STORE.statuses);
    for (let other = 0; other < ORDER_STATUSES.length; other += 1)
      if (other !== COMPLETED) rows.add(other, orderId, other !== status);
  }

  #takeRecovered(fact: Fact): void {
    for (const { list, id, number, count, orderId } of recoveredEntries(fact)) {
      if (list === 'items') {
        const rows = this.of(STORE.recoveredItems);
        rows.values.varint(count);
        rows.values.varint(orderId);
        rows.add(id, number);
      } else if (list === 'all') this.of(STORE.recovered).add(orderId);
      else if (list === 'accounts') this.#accountOrders.add(id, orderId);
      else if (list === 'products') this.#productOrders.add(id, orderId);
      else this.of(STORE.recipients).add(id, orderId);
    }
  }

  #takeLot(fact: Fact): void {
    const added = lotAddedBy(fact);
    const lot = fact.kind === 'LotRecalled' ? fact.lot : added;
    if (lot !== undefined) this.#putJson(STORE.lots, lot.lotId, 0, lot);
    if (added === undefined) return;
    const rows = this.of(STORE.productLots);
    rows.values.varint(added.lotId);
    rows.add(added.productId, added.firstItem);
  }

  #takeAudit(fact: Fact, position: number): void {
    const entry = auditEntryOf(fact, position);
    if (entry === undefined) return;
    this.#putJson(STORE.audit, position, 0, entry);
    this.of(STORE.operatorAudit).add(entry.operatorId, position);
    if (entry.accountId !== undefined) this.of(STORE.accountAudit).add(entry.accountId, position);
  }

  #putJson(table: StoreTable, a: number, b: number, row: object): void {
    const rows = this.of(table);
    rows.values.bytes(encodeJson(row));
    rows.add(a, b);
  }

  #takeMoney(fact: Fact, position: number, state: State): void {
    const change = moneyChangeOf(fact);
    if (change === undefined) return;
    const { accountId, productId, amountMicros, orderId, kind, reference } = change;
    const { atMs, origin } = fact;
    const day = Math.floor(atMs / DAY_MS);
    if (day !== this.#day) {
      this.#endDay();
      this.#day = day;
    }
    addChange(this.#sumsOf(SUMS_OF.node), change);
    addChange(this.#sumsOf(accountId * OWNERS + SUMS_OF.account), change);
    if (productId !== NO_PRODUCT) addChange(this.#sumsOf(productId * OWNERS + SUMS_OF.product), change);
    if (kind === 'capture') return;
    const out = this.#movements.values;
    const operatorId = origin?.operatorId;
    const hasDetails = reference !== '' || operatorId !== undefined;
    out.byte(MONEY_KINDS.indexOf(kind) | (orderId === NO_ORDER ? 0 : 0x10) | (hasDetails ? 0x20 : 0));
    out.varint(atMs);
    out.varint(Math.abs(amountMicros));
    out.varint(
      signed(
        fact.kind === 'OrderPlaced'
          ? fact.order.balanceAfterMicros
          : (state.accounts.get(accountId)?.walletMicros ?? 0),
      ),
    );
    if (orderId !== NO_ORDER) out.varint(orderId);
    if (hasDetails) out.text(JSON.stringify({ reference, operatorId, reason: operatorId && origin?.reason }));
    this.#movements.add(accountId, position);
  }

  #sumsOf(owner: number): MoneySums {
    let sums = this.#sums.get(owner);
    if (sums === undefined) {
      sums = noSums();
      this.#sums.set(owner, sums);
    }
    return sums;
  }

  #endDay(): void {
    const rows = this.of(STORE.daySums);
    for (const [owner, sums] of this.#sums) {
      writeSums(rows.values, sums);
      rows.add(owner, this.#day);
    }
    this.#sums.clear();
  }
}

export function writeSums(
  out: { varint(value: number): void },
  { depositsMicros, salesMicros, refundsMicros, heldMicros }: MoneySums,
): void {
  for (const micros of [depositsMicros, salesMicros, refundsMicros, heldMicros]) out.varint(signed(micros));
}
