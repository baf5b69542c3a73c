/** Follows every order and every supplier purchase through the durable facts, and knows no way but those in the tables. */
import { strict as assert } from 'node:assert';
import type { Fact } from '../../src/engine/fact.ts';
import { ORDER_STEPS, type Step, SUPPLIER_PURCHASE_STEPS } from '../../src/engine/order-lifecycle.ts';

export class LifecycleAudit {
  readonly #orders = new Map<number, string>();
  /** Phases of those that are open. */
  readonly #supplierPurchases = new Map<number, string>();
  readonly #waiting = new Map<number, number>();

  /** All facts, in their order, each once. */
  see(fact: Fact): void {
    if ('order' in fact) this.#step(fact);
    switch (fact.kind) {
      case 'HoldPlaced':
        return this.#move(fact.supplierPurchase.supplierPurchaseId, fact.kind, 'held');
      case 'HoldCaptured':
        this.#waiting.set(fact.order.orderId, fact.supplierPurchaseId);
        return this.#move(fact.supplierPurchaseId, fact.kind, 'pending');
      case 'HoldReleased':
        return this.#move(fact.supplierPurchaseId, fact.kind, fact.isUnresolved ? 'unresolved' : null);
      case 'SupplierPurchaseReconciled':
        return this.#move(fact.supplierPurchaseId, fact.kind, null);
      case 'OrderDelivered':
      case 'OrderFailed':
      case 'OrderRefunded': {
        if (fact.kind === 'OrderRefunded' && fact.order.status !== 'refunded') return;
        const supplierPurchaseId = this.#waiting.get(fact.order.orderId);
        this.#waiting.delete(fact.order.orderId);
        const isItsEnd = 'supplierPurchaseId' in fact && fact.supplierPurchaseId === supplierPurchaseId;
        if (supplierPurchaseId !== undefined)
          this.#move(supplierPurchaseId, fact.kind, isItsEnd ? null : 'unresolved');
      }
    }
  }

  #step({ kind, order }: Extract<Fact, { readonly order: unknown }>): void {
    const before = this.#orders.get(order.orderId) ?? null;
    const isInTable = isStep(ORDER_STEPS, before, kind, order.status);
    assert.ok(isInTable, `order ${order.orderId} went from ${before} to ${order.status} by ${kind}`);
    this.#orders.set(order.orderId, order.status);
  }

  #move(supplierPurchaseId: number, kind: Fact['kind'], to: string | null): void {
    const before = this.#supplierPurchases.get(supplierPurchaseId) ?? null;
    const isInTable = isStep(SUPPLIER_PURCHASE_STEPS, before, kind, to);
    assert.ok(isInTable, `supplierPurchase ${supplierPurchaseId} went from ${before} to ${to} by ${kind}`);
    if (to === null) this.#supplierPurchases.delete(supplierPurchaseId);
    else this.#supplierPurchases.set(supplierPurchaseId, to);
  }
}

type Steps = Readonly<Record<string, readonly Step<string>[]>>;

function isStep(steps: Steps, before: string | null, kind: string, after: string | null): boolean {
  return steps[kind]?.some(([from, to]) => from === before && to === after) ?? false;
}
