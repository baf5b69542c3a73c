/**
 * The answers of a checkpoint from the facts themselves: the simplest `History` there is.
 */
import { apply } from '../../src/engine/apply/apply.ts';
import type { History } from '../../src/engine/decide/history.ts';
import { ANY_ACCOUNT, type CreditOutcome, type KeyedCall } from '../../src/engine/decide/idempotency.ts';
import { lotAddedBy } from '../../src/engine/decide/lot-lookup.ts';
import type { Fact } from '../../src/engine/fact.ts';
import type { Lot } from '../../src/engine/lots.ts';
import { isOrder, type Order, type PurchaseOutcome } from '../../src/engine/orders.ts';
import { spentOn } from '../../src/engine/spending/spending-change.ts';
import { State } from '../../src/engine/state.ts';
import type { SupplierPurchaseEnd } from '../../src/engine/supplying/supplier-purchase-ends.ts';

export class FactHistory implements History {
  readonly #orders = new Map<number, Order>();
  readonly #purchases = new Map<string, PurchaseOutcome>();
  readonly #credits = new Map<string, CreditOutcome>();
  readonly #lots = new Map<number, Lot>();
  readonly #facts: readonly Fact[];
  #state: State | undefined;

  constructor(facts: readonly Fact[]) {
    this.#facts = facts;
    for (const fact of facts) {
      if ('order' in fact) this.#orders.set(fact.order.orderId, fact.order);
      if (fact.kind === 'OrderPlaced' || fact.kind === 'HoldCaptured' || fact.kind === 'OrderRecovered') {
        this.#addKey(fact.order);
      }
      if ('refusal' in fact && fact.refusal !== null) this.#addKey(fact.refusal);
      const lot = lotAddedBy(fact);
      if (lot !== undefined) this.#lots.set(lot.lotId, lot);
      if (fact.kind === 'LotRecalled') this.#lots.set(fact.lot.lotId, fact.lot);
      if (fact.kind === 'WalletCredited') {
        this.#credits.set(`${fact.credit.accountId} ${fact.credit.reference}`, fact.credit);
        if (fact.transfer !== undefined)
          this.#credits.set(`${ANY_ACCOUNT} ${fact.credit.reference}`, fact.credit);
      }
    }
  }

  purchaseOutcome(accountId: number, idempotencyKey: string): PurchaseOutcome | undefined {
    const outcome = this.#purchases.get(`${accountId} ${idempotencyKey}`);
    return outcome !== undefined && isOrder(outcome) ? this.#orders.get(outcome.orderId) : outcome;
  }

  creditOutcome(accountId: number, reference: string): CreditOutcome | undefined {
    return this.#credits.get(`${accountId} ${reference}`);
  }

  call(operatorId: number, key: string): KeyedCall | undefined {
    return this.#replayed.idempotency.call(operatorId, key);
  }

  order(orderId: number): Order | undefined {
    return this.#orders.get(orderId);
  }

  lastOrderId(): number {
    return Math.max(0, ...this.#orders.keys());
  }

  spentSince(accountId: number, minute: number): { minute: number; amountMicros: number }[] {
    return Array.from(this.#orders.values(), (order) => ({
      order,
      minute: Math.floor((order.paidAtMs ?? order.createdAtMs) / 60_000),
    }))
      .filter(({ order, minute: at }) => order.accountId === accountId && at >= minute)
      .map(({ order, minute: at }) => ({ minute: at, amountMicros: spentOn(order) }));
  }

  lot(lotId: number): Lot | undefined {
    return this.#lots.get(lotId);
  }

  supplierPurchaseEnd(supplierPurchaseId: number): SupplierPurchaseEnd | undefined {
    return this.#replayed.supplierPurchaseEnds.get(supplierPurchaseId);
  }

  /** The state of all facts, of which little is asked, so it is made when it is. */
  get #replayed(): State {
    if (this.#state === undefined) {
      this.#state = new State();
      for (const fact of this.#facts) apply(this.#state, fact);
    }
    return this.#state;
  }

  lotsOf(productId: number, beforeItem: number, limit: number): Lot[] {
    const before = [...this.#lots.values()].filter(
      (lot) => lot.productId === productId && lot.firstItem < beforeItem,
    );
    return before.toReversed().slice(0, limit);
  }

  #addKey(outcome: PurchaseOutcome): void {
    this.#purchases.set(`${outcome.accountId} ${outcome.idempotencyKey}`, outcome);
  }
}
