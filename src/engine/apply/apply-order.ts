/** Effects of facts about orders on the state. */

import type { FactOf } from '../fact.ts';
import type { State } from '../state.ts';
import { endSupplierPurchaseOf } from './apply-supplier-purchase.ts';
import { addOrder, changeOrder, charge, type Effects, giveBack, takeEach } from './moves.ts';

export const orderEffects = {
  OrderPlaced(state, { order }) {
    addOrder(state, order);
    charge(state, order);
    state.idempotency.addOrder(order);
  },
  PurchaseRefused(state, { refusal }) {
    state.idempotency.addRefusal(refusal, state.position + 1);
  },
  OrderOpened(state, { order }) {
    addOrder(state, order);
  },
  OrderPaid(state, { kind, order }) {
    changeOrder(state, kind, order);
    charge(state, order);
  },
  OrderDelivered(state, fact) {
    const { orderId, productId, textCount } = fact.order;
    changeOrder(state, fact.kind, fact.order);
    // The texts that it has now are found by their fingerprints, so their hashes are not needed any more.
    if (textCount > 0) state.stock.deliverOutstanding(productId, orderId);
    endSupplierPurchaseOf(state, fact);
  },
  OrderCancelled(state, { kind, order }) {
    changeOrder(state, kind, order);
  },
  OrderFailed(state, fact) {
    returnAmount(state, fact);
    endSupplierPurchaseOf(state, fact);
  },
  OrderRefunded(state, fact) {
    returnAmount(state, fact);
    // An order of which a part was refunded still waits.
    if (fact.order.status === 'refunded') endSupplierPurchaseOf(state, fact);
  },
  OrderItemsReplaced(state, { kind, order, newItems }) {
    changeOrder(state, kind, order);
    takeEach(state, order.productId, newItems);
  },
} satisfies Partial<Effects>;

function returnAmount(state: State, fact: FactOf<'OrderFailed' | 'OrderRefunded'>): void {
  changeOrder(state, fact.kind, fact.order);
  giveBack(state, fact.order, fact.amountMicros, fact.balanceMicros);
}
