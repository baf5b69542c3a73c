/** Effects of facts about suppliers, holds and supplier purchases on the state. */

import { lotAddedBy } from '../decide/lot-lookup.ts';
import type { FactOf } from '../fact.ts';
import { isSupplierPurchaseAllowed, type SupplierPurchaseFactKind } from '../order-lifecycle.ts';
import { NO_KEY } from '../orders.ts';
import type { State } from '../state.ts';
import type { SupplierPurchaseOutcome } from '../supplying/supplier-purchase-ends.ts';
import {
  NO_ORDER,
  type SupplierPurchase,
  type SupplierPurchasePhase,
} from '../supplying/supplier-purchases.ts';
import { assertThat, BrokenInvariantError } from './broken-invariant.ts';
import { addItems, addLot, addOrder, changeOrder, charge, type Effects, moveToHold } from './moves.ts';

/** The facts after which an order waits for its supplier no longer. */
type OrderEnd = FactOf<'OrderDelivered' | 'OrderFailed' | 'OrderRefunded'> & {
  readonly supplierPurchaseId?: number;
  readonly ended?: SupplierPurchaseOutcome;
};

export const supplierEffects = {
  SupplierCreated({ suppliers }, { supplierId, profile, atMs }) {
    suppliers.add(supplierId, { supplierId, profile, createdAtMs: atMs });
  },
  SupplierUpdated({ suppliers }, { supplierId, profile }) {
    suppliers.change(supplierId).profile = profile;
  },
  HoldPlaced(state, { supplierPurchase }) {
    add(state, supplierPurchase);
    moveToHold(state, supplierPurchase.accountId, supplierPurchase.totalMicros);
  },
  HoldPassed(state, { kind, supplierPurchaseId, ended, supplierPurchase }) {
    const before = supplierPurchaseOf(state, supplierPurchaseId);
    const { accountId, totalMicros } = before;
    const isSameHold =
      supplierPurchase.accountId === accountId && supplierPurchase.totalMicros === totalMicros;
    assertThat(isSameHold, `supplier purchase ${supplierPurchaseId} passed on another hold than its own`);
    end(state, kind, before, ended);
    add(state, supplierPurchase);
  },
  HoldCaptured(state, { kind, supplierPurchaseId, order }) {
    const before = supplierPurchaseOf(state, supplierPurchaseId);
    if (before.orderId === NO_ORDER) addOrder(state, order);
    else changeOrder(state, kind, order);
    moveToHold(state, before.accountId, -before.totalMicros);
    charge(state, order);
    step(state, kind, before, { ...before, phase: 'pending', orderId: order.orderId });
    if (order.idempotencyKey !== NO_KEY) state.idempotency.addOrder(order);
  },
  HoldReleased(state, fact) {
    const { kind, supplierPurchaseId, accountId, totalMicros, code, refusal, isUnresolved, ended } = fact;
    const before = supplierPurchaseOf(state, supplierPurchaseId);
    const isItsHold = before.accountId === accountId && before.totalMicros === totalMicros;
    assertThat(isItsHold, `supplier purchase ${supplierPurchaseId} has another hold than was released`);
    moveToHold(state, accountId, -totalMicros);
    if (isUnresolved) step(state, kind, before, { ...before, phase: 'unresolved', cause: code });
    else end(state, kind, before, ended);
    if (refusal !== null) state.idempotency.addRefusal(refusal, state.position + 1);
  },
  SupplierPurchaseReconciled(state, fact) {
    const { kind, supplierPurchaseId, result, delivered, productId, firstItem, count, aside, atMs } = fact;
    const supplierPurchase = fact.endedBefore ?? supplierPurchaseOf(state, supplierPurchaseId);
    end(state, kind, supplierPurchase, fact.ended, fact.endedBefore === undefined);
    const items = { delivered, firstItem, count };
    const position = state.position + 1;
    state.endedSupplierPurchases.add({ position, supplierPurchase, result, ...items, endedAtMs: atMs });
    if (count > 0) addItems(state, productId, firstItem, count, aside);
    const lot = lotAddedBy(fact);
    if (lot !== undefined) addLot(state, lot);
  },
} satisfies Partial<Effects>;

/** A new one, whose supplier is asked next. */
function add(state: State, supplierPurchase: SupplierPurchase): void {
  const { supplierPurchaseId } = supplierPurchase;
  const isNext = supplierPurchaseId === state.lastSupplierPurchaseId + 1;
  assertThat(isNext, `supplier purchase ${supplierPurchaseId} is not the next one`);
  state.lastSupplierPurchaseId = supplierPurchaseId;
  state.supplierPurchases.set(supplierPurchase);
}

/** A fact with the purchase's id ends the supplier purchase, too; otherwise the supplier must still be asked. */
export function endSupplierPurchaseOf(
  state: State,
  { kind, order, supplierPurchaseId, ended }: OrderEnd,
): void {
  const before = state.supplierPurchases.ofOrder(order.orderId);
  assertThat(
    supplierPurchaseId === undefined || before?.supplierPurchaseId === supplierPurchaseId,
    `order ${order.orderId} is of another supplier purchase`,
  );
  if (before === undefined) return;
  if (supplierPurchaseId !== undefined) end(state, kind, before, ended);
  else step(state, kind, before, { ...before, phase: 'unresolved', cause: 'ORDER_ENDED' });
}

function supplierPurchaseOf(state: State, supplierPurchaseId: number): SupplierPurchase {
  const supplierPurchase = state.supplierPurchases.get(supplierPurchaseId);
  if (supplierPurchase === undefined)
    throw new BrokenInvariantError(`supplier purchase ${supplierPurchaseId} does not exist`);
  return supplierPurchase;
}

/** From `before` to `after`, by a fact of this kind. */
function step(
  { supplierPurchases }: State,
  fact: SupplierPurchaseFactKind,
  before: SupplierPurchase,
  after: SupplierPurchase,
): void {
  assertStep(before, fact, before.phase, after.phase);
  supplierPurchases.set(after);
}

/** By a fact of this kind. `isOpen`: false when it had ended before. */
function end(
  { supplierPurchases, supplierPurchaseEnds }: State,
  fact: SupplierPurchaseFactKind,
  before: SupplierPurchase,
  ended: SupplierPurchaseOutcome | undefined,
  isOpen = true,
): void {
  const { supplierPurchaseId, phase } = before;
  assertStep(before, fact, isOpen ? phase : null, null);
  const wasOpen = supplierPurchases.get(supplierPurchaseId) !== undefined;
  assertThat(wasOpen === isOpen, `supplier purchase ${supplierPurchaseId} ended twice, or never before`);
  if (isOpen) supplierPurchases.delete(supplierPurchaseId);
  if (ended !== undefined) supplierPurchaseEnds.set({ supplierPurchase: before, ...ended });
}

function assertStep(
  { supplierPurchaseId }: SupplierPurchase,
  fact: SupplierPurchaseFactKind,
  from: SupplierPurchasePhase | null,
  to: SupplierPurchasePhase | null,
): void {
  assertThat(
    isSupplierPurchaseAllowed(from, fact, to),
    `supplier purchase ${supplierPurchaseId} went from ${from ?? 'its end'} to ${to ?? 'its end'} by ${fact}`,
  );
}
