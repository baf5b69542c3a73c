/** What facts about suppliers, holds and what became of them do to the state. */
import { addOrder } from './apply-order.ts';
import { assertThat, BrokenInvariantError } from './broken-invariant.ts';
import type {
  HoldCaptured,
  HoldPlaced,
  HoldReleased,
  SupplierCreated,
  SupplierUpdated,
  SupplyReconciled,
} from './fact.ts';
import { addItems, charge, moveToHold } from './moves.ts';
import type { State } from './state.ts';
import type { Supply, SupplyPhase } from './supplies.ts';

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
      supplyOf(state, fact.supplyId, 'unresolved');
      state.supplies.delete(fact.supplyId);
      if (fact.count > 0) addItems(state, fact.productId, fact.firstItem, fact.count);
  }
}

function capture(state: State, { supplyId, order }: HoldCaptured): void {
  const supply = supplyOf(state, supplyId, 'held');
  addOrder(state, order);
  moveToHold(state, supply.accountId, -supply.totalMicros);
  charge(state, order);
  state.supplies.set({ ...supply, phase: 'pending', orderId: order.orderId });
  state.idempotency.addPurchase(order);
}

function release(state: State, fact: HoldReleased): void {
  const { accountId, totalMicros } = fact;
  const supply = supplyOf(state, fact.supplyId, 'held');
  assertThat(
    supply.accountId === accountId && supply.totalMicros === totalMicros,
    `supply ${supply.supplyId} has another hold than was released`,
  );
  moveToHold(state, accountId, -totalMicros);
  if (fact.isUnresolved) state.supplies.set({ ...supply, phase: 'unresolved' });
  else state.supplies.delete(supply.supplyId);
  if (fact.refusal !== null) state.idempotency.addPurchase(fact.refusal);
}

function supplyOf(state: State, supplyId: number, phase: SupplyPhase): Supply {
  const supply = state.supplies.get(supplyId);
  if (supply?.phase !== phase) throw new BrokenInvariantError(`supply ${supplyId} is not ${phase}`);
  return supply;
}
