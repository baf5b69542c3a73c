/**
 * Keeps purchases from a supplier that doesn't answer: after several in a row that got no answer they fail at
 * once for a while, without a request, and then one is let through to see. Counts what became of all of them.
 *
 * Only silence opens the circuit. A supplier that answers that it failed, or has no stock, is alive, and asking how
 * a purchase went is never kept back: its answer is worth the wait.
 */
import type { SupplierPurchase } from '../engine/supplier-purchases.ts';
import type { ProgressAnswer, PurchaseAnswer, SupplierPort } from './supplier-port.ts';

const SILENCES_TO_OPEN = 5;
const OPEN_MS = 10_000;
const KEPT_BACK = 'the supplier has not answered lately, and is not asked for a few seconds';

/** What became of purchases; `kept_back` are those that failed without a request. */
export type SupplierCount = PurchaseAnswer['kind'] | 'kept_back';

class Circuit {
  readonly counts = new Map<SupplierCount, number>();
  silences = 0;
  /** Until then nothing is let through; 0 when it is closed. */
  openUntilMs = 0;

  count(what: SupplierCount): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

export class SupplierCircuits implements SupplierPort {
  readonly #supplier: SupplierPort;
  readonly #monotonicMs: () => number;
  readonly #circuits = new Map<number, Circuit>();

  /** `monotonicMs`: milliseconds that never go backwards. */
  constructor(supplier: SupplierPort, monotonicMs: () => number) {
    this.#supplier = supplier;
    this.#monotonicMs = monotonicMs;
  }

  /** By supplier, of those that were ever asked. */
  *counts(): IterableIterator<[supplierId: number, what: SupplierCount, count: number]> {
    for (const [supplierId, { counts }] of this.#circuits) {
      for (const [what, count] of counts) yield [supplierId, what, count];
    }
  }

  /** A delivery counts when it is known whether it is what was bought. */
  judged({ supplierId }: SupplierPurchase, isRight: boolean): void {
    this.#circuitOf(supplierId).count(isRight ? 'delivered' : 'failed');
  }

  async purchase(supplierPurchase: SupplierPurchase): Promise<PurchaseAnswer> {
    const circuit = this.#circuitOf(supplierPurchase.supplierId);
    if (!this.#letsThrough(circuit)) {
      circuit.count('kept_back');
      return { kind: 'unreached', why: KEPT_BACK };
    }
    const said = await this.#supplier.purchase(supplierPurchase);
    if (said.kind !== 'delivered') circuit.count(said.kind);
    if (said.kind === 'unreached' || said.kind === 'timeout') {
      circuit.silences += 1;
      if (circuit.silences >= SILENCES_TO_OPEN) circuit.openUntilMs = this.#monotonicMs() + OPEN_MS;
    } else {
      circuit.silences = 0;
      circuit.openUntilMs = 0;
    }
    return said;
  }

  progress(supplierPurchase: SupplierPurchase): Promise<ProgressAnswer> {
    return this.#supplier.progress(supplierPurchase);
  }

  /** The one that is let through shuts the door behind itself. */
  #letsThrough(circuit: Circuit): boolean {
    if (circuit.openUntilMs === 0) return true;
    const nowMs = this.#monotonicMs();
    if (nowMs < circuit.openUntilMs) return false;
    circuit.openUntilMs = nowMs + OPEN_MS;
    return true;
  }

  #circuitOf(supplierId: number): Circuit {
    let circuit = this.#circuits.get(supplierId);
    if (circuit === undefined) {
      circuit = new Circuit();
      this.#circuits.set(supplierId, circuit);
    }
    return circuit;
  }
}
