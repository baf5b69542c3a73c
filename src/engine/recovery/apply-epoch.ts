/** Effects on the state of a restore, and of the facts that close its gap. */
import { assertThat } from '../apply/broken-invariant.ts';
import {
  addItems,
  addLot,
  addRecovered,
  changeOrder,
  debit,
  type Effects,
  withdrawItems,
} from '../apply/moves.ts';
import { lotAddedBy } from '../decide/lot-lookup.ts';
import type { ItemRange } from '../item-ranges.ts';
import { NO_KEY, type Order } from '../orders.ts';
import type { State } from '../state.ts';
import { bothTaken } from '../taken-away.ts';
import type { OutstandingItems } from './outstanding-items.ts';

export const epochEffects = {
  EpochBegun(state, { epoch, fork, gap, next, takenAway, atMs }) {
    assertThat(epoch > state.epochs.current, `epoch ${epoch} is not above ${state.epochs.current}`);
    assertThat(fork.position === state.position, `epoch ${epoch} parts at ${fork.position}, not here`);
    const { nextOrderId } = gap ?? { nextOrderId: state.lastOrderId + 1 };
    const isAbove = next.orderId === nextOrderId && nextOrderId > state.lastOrderId;
    assertThat(isAbove, `order ${next.orderId} cannot be the next one`);
    const skip = gap === null ? null : { lastOrderId: state.lastOrderId, nextOrderId };
    state.epochs.add({ epoch, ...fork, atMs, skip });
    // A gap that was open is a part of the new one.
    if (gap !== null) {
      const taken = bothTaken(state.gap?.takenAway, takenAway);
      const fromMs = state.gap?.fromMs ?? gap.fromMs;
      state.gap = { fromMs, toMs: atMs, ...(taken === undefined ? {} : { takenAway: taken }) };
    }
    state.unusedOrderIds += next.orderId - 1 - state.lastOrderId;
    state.lastOrderId = next.orderId - 1;
    state.lastSupplierPurchaseId = next.supplierPurchaseId - 1;
    state.lastLotId = next.lotId - 1;
    state.accounts.skip(next.accountId);
    state.products.skip(next.productId);
    state.suppliers.skip(next.supplierId);
    state.operators.skip(next.operatorId);
    state.priceLists.skip(next.priceListId);
    state.lastDepositId = next.depositId - 1;
  },
  OrderRecovered(
    state,
    { kind, order, items, debitMicros, waitingMicros, balanceMicros, outstanding, atMs },
  ) {
    const { orderId, accountId, productId } = order;
    addRecovered(state, kind, order);
    recoverItems(state, order, items, outstanding);
    debit(state, accountId, debitMicros, balanceMicros);
    if (waitingMicros > 0) {
      const waits = { orderId, accountId, productId, amountMicros: waitingMicros, sinceMs: atMs };
      state.waitingDebits.add(waits);
    }
    if (order.idempotencyKey !== NO_KEY) state.idempotency.addOrder(order);
  },
  OrderAmended(state, { kind, order, items, outstanding }) {
    changeOrder(state, kind, order);
    recoverItems(state, order, items, outstanding);
  },
  DebitSettled(state, { orderId, accountId, amountMicros, balanceMicros }) {
    const waits = state.waitingDebits.get(orderId);
    const isIt = waits?.accountId === accountId && waits.amountMicros === amountMicros;
    assertThat(isIt, `order ${orderId} has no such debit that waits`);
    state.waitingDebits.delete(orderId);
    debit(state, accountId, amountMicros, balanceMicros);
  },
  ItemsQuarantined(state, { productId, ranges }) {
    withdrawItems(state, productId, ranges, 'quarantine');
  },
  QuarantineEnded(state, fact) {
    const { productId, ranges } = fact;
    if (fact.released === 'inPlace') return state.stock.putBack(productId, ranges);
    const lot = lotAddedBy(fact);
    state.stock.endQuarantine(productId, ranges, lot !== undefined);
    if (lot === undefined) return;
    addItems(state, productId, lot.firstItem, lot.count);
    addLot(state, lot);
  },
  SalesOpened(state) {
    state.gap = null;
  },
} satisfies Partial<Effects>;

/** The order has these, wherever they were, and what else it had isn't there. */
function recoverItems(
  { stock }: State,
  { orderId, productId }: Order,
  items: readonly ItemRange[],
  outstanding: OutstandingItems | undefined,
): void {
  assertThat(
    items.every((range) => stock.isRecoverable(productId, range)),
    `order ${orderId} was recovered with items that others have`,
  );
  if (items.length > 0) stock.recover(productId, items);
  stock.setOutstanding(productId, orderId, outstanding);
}
