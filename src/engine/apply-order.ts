/** What facts about orders do to the state. */
import { endSupplierPurchaseOf } from './apply-supplier-purchase.ts';
import type { OrderChange, OrderOpened, OrderPlaced } from './fact.ts';
import { addOrder, changeOrder, charge, giveBack } from './moves.ts';
import type { State } from './state.ts';

export function applyPurchase(state: State, { order }: OrderPlaced): void {
  addOrder(state, order);
  charge(state, order);
  state.idempotency.addOrder(order);
}

export function applyOrderStep(state: State, fact: OrderOpened | OrderChange): void {
  const { kind, order } = fact;
  if (kind === 'OrderOpened') return addOrder(state, order);
  changeOrder(state, kind, order);
  switch (kind) {
    case 'OrderPaid':
      charge(state, order);
      break;
    case 'OrderDelivered':
      endSupplierPurchaseOf(state, fact);
      break;
    case 'OrderFailed':
      giveBack(state, order, fact.balanceMicros);
      endSupplierPurchaseOf(state, fact);
      break;
    case 'OrderRefunded':
      giveBack(state, order, fact.balanceMicros);
      endSupplierPurchaseOf(state, fact);
      break;
    case 'OrderCancelled':
      break;
  }
}
