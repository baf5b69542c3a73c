/** What facts about orders do to the state. */
import { assertThat } from './broken-invariant.ts';
import type { OrderChange, OrderOpened, OrderPlaced } from './fact.ts';
import { charge, giveBack } from './moves.ts';
import { isAllowed, type OrderFactKind } from './order-lifecycle.ts';
import type { Order } from './orders.ts';
import type { State } from './state.ts';

export function applyPurchase(state: State, { order }: OrderPlaced): void {
  addOrder(state, order);
  charge(state, order);
  state.idempotency.addPurchase(order);
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
      endSupply(state, order, fact.supplyId);
      break;
    case 'OrderFailed':
      giveBack(state, order, fact.balanceMicros);
      endSupply(state, order, fact.supplyId);
      break;
    case 'OrderRefunded':
      giveBack(state, order, fact.balanceMicros);
      endSupply(state, order, undefined);
      break;
    case 'OrderCancelled':
      break;
  }
}

export function addOrder(state: State, order: Order): void {
  assertThat(order.orderId === state.lastOrderId + 1, `order ${order.orderId} is not the next one`);
  state.lastOrderId = order.orderId;
  state.orders.add(order);
}

/** What the order was before is known only while it is in memory. */
export function changeOrder(state: State, kind: OrderFactKind, order: Order): void {
  const { orderId, status } = order;
  assertThat(orderId <= state.lastOrderId, `order ${orderId} does not exist`);
  const before = state.orders.get(orderId);
  const isStep = before === undefined || isAllowed(before.status, kind, status);
  assertThat(isStep, `order ${orderId} went from ${before?.status} to ${status} by ${kind}`);
  state.orders.change(order);
}

/** With a supply of its own the order's end is the supply's, too; else the supplier has still to be asked. */
function endSupply(state: State, { orderId }: Order, supplyId: number | undefined): void {
  const supply = state.supplies.ofOrder(orderId);
  assertThat(
    supplyId === undefined || supply?.supplyId === supplyId,
    `order ${orderId} is of another supply`,
  );
  if (supply === undefined) return;
  if (supplyId === undefined) state.supplies.set({ ...supply, phase: 'unresolved' });
  else state.supplies.delete(supplyId);
}
