/** Follows every order and every supply through the durable facts, and knows no way but those in the tables. */
import { strict as assert } from 'node:assert';
import type { Fact } from '../../src/engine/fact.ts';
import { SUPPLY_TRANSITIONS, TRANSITIONS } from '../../src/engine/order-lifecycle.ts';

export class LifecycleAudit {
  readonly #orders = new Map<number, string>();
  /** Phases of those that are open. */
  readonly #supplies = new Map<number, string>();
  readonly #waiting = new Map<number, number>();

  /** All facts, in their order, each once. */
  see(fact: Fact): void {
    if ('order' in fact) this.#step(fact);
    switch (fact.kind) {
      case 'HoldPlaced':
        return this.#move(fact.supply.supplyId, fact.kind, 'held');
      case 'HoldCaptured':
        this.#waiting.set(fact.order.orderId, fact.supplyId);
        return this.#move(fact.supplyId, fact.kind, 'pending');
      case 'HoldReleased':
        return this.#move(fact.supplyId, fact.kind, fact.isUnresolved ? 'unresolved' : null);
      case 'SupplyReconciled':
        return this.#move(fact.supplyId, fact.kind, null);
      case 'OrderDelivered':
      case 'OrderFailed':
      case 'OrderRefunded': {
        const supplyId = this.#waiting.get(fact.order.orderId);
        this.#waiting.delete(fact.order.orderId);
        const isItsEnd = 'supplyId' in fact && fact.supplyId === supplyId;
        if (supplyId !== undefined) this.#move(supplyId, fact.kind, isItsEnd ? null : 'unresolved');
      }
    }
  }

  #step({ kind, order }: Extract<Fact, { readonly order: unknown }>): void {
    const before = this.#orders.get(order.orderId) ?? null;
    const isInTable = TRANSITIONS.some(
      ({ from, to, fact }) => from === before && to === order.status && fact === kind,
    );
    assert.ok(isInTable, `order ${order.orderId} went from ${before} to ${order.status} by ${kind}`);
    this.#orders.set(order.orderId, order.status);
  }

  #move(supplyId: number, kind: Fact['kind'], to: string | null): void {
    const before = this.#supplies.get(supplyId) ?? null;
    const isInTable = SUPPLY_TRANSITIONS.some(
      (row) => row.from === before && row.to === to && row.fact === kind,
    );
    assert.ok(isInTable, `supply ${supplyId} went from ${before} to ${to} by ${kind}`);
    if (to === null) this.#supplies.delete(supplyId);
    else this.#supplies.set(supplyId, to);
  }
}
