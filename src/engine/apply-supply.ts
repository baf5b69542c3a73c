/** What facts about suppliers, holds and what became of them do to the state. */
import { assertThat, BrokenInvariantError } from './broken-invariant.ts';
import type {
  HoldCaptured,
  HoldPlaced,
  HoldReleased,
  OrderDelivered,
  OrderFailed,
  OrderRefunded,
  SupplierCreated,
  SupplierUpdated,
  SupplyReconciled,
} from './fact.ts';
import { addItems, addOrder, changeOrder, charge, moveToHold } from './moves.ts';
import { isSupplyAllowed, type SupplyFactKind } from './order-lifecycle.ts';
import { NO_KEY } from './orders.ts';
import type { State } from './state.ts';
import { NO_ORDER, type Supply, type SupplyPhase } from './supplies.ts';

/** The facts after which an order waits for its supplier no longer. */
type OrderEnd = (OrderDelivered | OrderFailed | OrderRefunded) & { readonly supplyId?: number };

export type SupplyFact = HoldPlaced | HoldCaptured | HoldReleased | SupplyReconciled;

export function applySupplier(state: State, fact: SupplierCreated | SupplierUpdated): void {
  const { supplierId, profile, atMs } = fact;
  if (fact.kind === 'SupplierCreated') {
    assertThat(supplierId === state.suppliers.nextId, `supplier ${supplierId} is not the next one`);
    state.suppliers.add({ supplierId, profile, createdAtMs: atMs });
    return;
  }
  const supplier = state.suppliers.get(supplierId);
  if (supplier === undefined) throw new BrokenInvariantError(`supplier ${supplierId} does not exist`);
  supplier.profile = profile;
}

export function applySupply(state: State, fact: SupplyFact): void {
  switch (fact.kind) {
    case 'HoldPlaced': {
      const { supply } = fact;
      assertThat(supply.supplyId === state.lastSupplyId + 1, `supply ${supply.supplyId} is not the next one`);
      state.lastSupplyId = supply.supplyId;
      state.supplies.set(supply);
      moveToHold(state, supply.accountId, supply.totalMicros);
      break;
    }
    case 'HoldCaptured':
      capture(state, fact);
      break;
    case 'HoldReleased':
      release(state, fact);
      break;
    case 'SupplyReconciled':
      reconcile(state, fact);
  }
}

function capture(state: State, { kind, supplyId, order }: HoldCaptured): void {
  const supply = supplyOf(state, supplyId);
  if (supply.orderId === NO_ORDER) addOrder(state, order);
  else changeOrder(state, kind, order);
  moveToHold(state, supply.accountId, -supply.totalMicros);
  charge(state, order);
  moveSupply(state, kind, { ...supply, phase: 'pending', orderId: order.orderId });
  if (order.idempotencyKey !== NO_KEY) state.idempotency.addOrder(order);
}

function release(state: State, fact: HoldReleased): void {
  const { kind, supplyId, accountId, totalMicros, code, refusal } = fact;
  const supply = supplyOf(state, supplyId);
  assertThat(
    supply.accountId === accountId && supply.totalMicros === totalMicros,
    `supply ${supplyId} has another hold than was released`,
  );
  moveToHold(state, accountId, -totalMicros);
  if (fact.isUnresolved) moveSupply(state, kind, { ...supply, phase: 'unresolved', cause: code });
  else finishSupply(state, kind, supply);
  if (refusal !== null) state.idempotency.addRefusal(refusal, state.position + 1);
}

function reconcile(state: State, fact: SupplyReconciled): void {
  const { kind, supplyId, result, delivered, productId, firstItem, count, atMs } = fact;
  const supply = supplyOf(state, supplyId);
  finishSupply(state, kind, supply);
  state.settledSupplies.add({
    position: state.position + 1,
    supply,
    result,
    delivered,
    firstItem,
    count,
    settledAtMs: atMs,
  });
  if (count > 0) addItems(state, productId, firstItem, count);
}

/** With a supply of its own the order's end is the supply's, too; else the supplier has still to be asked. */
export function endSupplyOf(state: State, { kind, order, supplyId }: OrderEnd): void {
  const supply = state.supplies.ofOrder(order.orderId);
  assertThat(
    supplyId === undefined || supply?.supplyId === supplyId,
    `order ${order.orderId} is of another supply`,
  );
  if (supply === undefined) return;
  if (supplyId !== undefined) finishSupply(state, kind, supply);
  else moveSupply(state, kind, { ...supply, phase: 'unresolved', cause: 'ORDER_ENDED' });
}

function supplyOf(state: State, supplyId: number): Supply {
  const supply = state.supplies.get(supplyId);
  if (supply === undefined) throw new BrokenInvariantError(`supply ${supplyId} does not exist`);
  return supply;
}

function moveSupply(state: State, fact: SupplyFactKind, supply: Supply): void {
  const before = supplyOf(state, supply.supplyId);
  assertStep(before, fact, supply.phase);
  state.supplies.set(supply);
}

function finishSupply(state: State, fact: SupplyFactKind, supply: Supply): void {
  assertStep(supply, fact, null);
  state.supplies.delete(supply.supplyId);
}

function assertStep({ supplyId, phase }: Supply, fact: SupplyFactKind, to: SupplyPhase | null): void {
  assertThat(
    isSupplyAllowed(phase, fact, to),
    `supply ${supplyId} went from ${phase} to ${to ?? 'its end'} by ${fact}`,
  );
}
