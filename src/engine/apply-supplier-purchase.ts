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
  SupplierPurchaseReconciled,
  SupplierUpdated,
} from './fact.ts';
import { addItems, addOrder, changeOrder, charge, moveToHold } from './moves.ts';
import { isSupplierPurchaseAllowed, type SupplierPurchaseFactKind } from './order-lifecycle.ts';
import { NO_KEY } from './orders.ts';
import type { State } from './state.ts';
import { NO_ORDER, type SupplierPurchase, type SupplierPurchasePhase } from './supplier-purchases.ts';

/** The facts after which an order waits for its supplier no longer. */
type OrderEnd = (OrderDelivered | OrderFailed | OrderRefunded) & { readonly supplierPurchaseId?: number };

export type SupplierPurchaseFact = HoldPlaced | HoldCaptured | HoldReleased | SupplierPurchaseReconciled;

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

export function applySupplierPurchase(state: State, fact: SupplierPurchaseFact): void {
  switch (fact.kind) {
    case 'HoldPlaced': {
      const { supplierPurchase } = fact;
      assertThat(
        supplierPurchase.supplierPurchaseId === state.lastSupplierPurchaseId + 1,
        `supplierPurchase ${supplierPurchase.supplierPurchaseId} is not the next one`,
      );
      state.lastSupplierPurchaseId = supplierPurchase.supplierPurchaseId;
      state.supplierPurchases.set(supplierPurchase);
      moveToHold(state, supplierPurchase.accountId, supplierPurchase.totalMicros);
      break;
    }
    case 'HoldCaptured':
      capture(state, fact);
      break;
    case 'HoldReleased':
      release(state, fact);
      break;
    case 'SupplierPurchaseReconciled':
      reconcile(state, fact);
  }
}

function capture(state: State, { kind, supplierPurchaseId, order }: HoldCaptured): void {
  const supplierPurchase = supplierPurchaseOf(state, supplierPurchaseId);
  if (supplierPurchase.orderId === NO_ORDER) addOrder(state, order);
  else changeOrder(state, kind, order);
  moveToHold(state, supplierPurchase.accountId, -supplierPurchase.totalMicros);
  charge(state, order);
  moveSupplierPurchase(state, kind, { ...supplierPurchase, phase: 'pending', orderId: order.orderId });
  if (order.idempotencyKey !== NO_KEY) state.idempotency.addOrder(order);
}

function release(state: State, fact: HoldReleased): void {
  const { kind, supplierPurchaseId, accountId, totalMicros, code, refusal } = fact;
  const supplierPurchase = supplierPurchaseOf(state, supplierPurchaseId);
  assertThat(
    supplierPurchase.accountId === accountId && supplierPurchase.totalMicros === totalMicros,
    `supplierPurchase ${supplierPurchaseId} has another hold than was released`,
  );
  moveToHold(state, accountId, -totalMicros);
  if (fact.isUnresolved)
    moveSupplierPurchase(state, kind, { ...supplierPurchase, phase: 'unresolved', cause: code });
  else finishSupplierPurchase(state, kind, supplierPurchase);
  if (refusal !== null) state.idempotency.addRefusal(refusal, state.position + 1);
}

function reconcile(state: State, fact: SupplierPurchaseReconciled): void {
  const { kind, supplierPurchaseId, result, delivered, productId, firstItem, count, atMs } = fact;
  const supplierPurchase = supplierPurchaseOf(state, supplierPurchaseId);
  finishSupplierPurchase(state, kind, supplierPurchase);
  state.endedSupplierPurchases.add({
    position: state.position + 1,
    supplierPurchase,
    result,
    delivered,
    firstItem,
    count,
    endedAtMs: atMs,
  });
  if (count > 0) addItems(state, productId, firstItem, count);
}

/** A fact with the purchase's id ends the supplier purchase, too; otherwise the supplier must still be asked. */
export function endSupplierPurchaseOf(state: State, { kind, order, supplierPurchaseId }: OrderEnd): void {
  const supplierPurchase = state.supplierPurchases.ofOrder(order.orderId);
  assertThat(
    supplierPurchaseId === undefined || supplierPurchase?.supplierPurchaseId === supplierPurchaseId,
    `order ${order.orderId} is of another supplierPurchase`,
  );
  if (supplierPurchase === undefined) return;
  if (supplierPurchaseId !== undefined) finishSupplierPurchase(state, kind, supplierPurchase);
  else moveSupplierPurchase(state, kind, { ...supplierPurchase, phase: 'unresolved', cause: 'ORDER_ENDED' });
}

function supplierPurchaseOf(state: State, supplierPurchaseId: number): SupplierPurchase {
  const supplierPurchase = state.supplierPurchases.get(supplierPurchaseId);
  if (supplierPurchase === undefined)
    throw new BrokenInvariantError(`supplierPurchase ${supplierPurchaseId} does not exist`);
  return supplierPurchase;
}

function moveSupplierPurchase(
  state: State,
  fact: SupplierPurchaseFactKind,
  supplierPurchase: SupplierPurchase,
): void {
  const before = supplierPurchaseOf(state, supplierPurchase.supplierPurchaseId);
  assertStep(before, fact, supplierPurchase.phase);
  state.supplierPurchases.set(supplierPurchase);
}

function finishSupplierPurchase(
  state: State,
  fact: SupplierPurchaseFactKind,
  supplierPurchase: SupplierPurchase,
): void {
  assertStep(supplierPurchase, fact, null);
  state.supplierPurchases.delete(supplierPurchase.supplierPurchaseId);
}

function assertStep(
  { supplierPurchaseId, phase }: SupplierPurchase,
  fact: SupplierPurchaseFactKind,
  to: SupplierPurchasePhase | null,
): void {
  assertThat(
    isSupplierPurchaseAllowed(phase, fact, to),
    `supplierPurchase ${supplierPurchaseId} went from ${phase} to ${to ?? 'its end'} by ${fact}`,
  );
}
