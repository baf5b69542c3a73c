/**
 * A circuit breaker for each supplier: after several purchases in a row without an answer, purchases fail at once for a
 * while, without a request; then one is let through as a test. Also counts the outcomes of all purchases.
 *
 * Only silence opens the circuit: a supplier that answers "failed" or "out of stock" is alive. Questions about earlier
 * purchases are always sent, because their answers are needed.
 */
import type { KeptBack } from '../engine/supplying/next-source.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { ProgressAnswer, PurchaseAnswer, SupplierPort } from './supplier-port.ts';

const SILENCES_TO_OPEN = 5;
const OPEN_MS = 10_000;
const KEPT_BACK = 'the supplier has not answered recently, and is not asked for a few seconds';
const NO_TIME = 'no time was left to ask the supplier';

/** Outcomes of purchases; `kept_back`: failed without a request. */
export type SupplierCount = PurchaseAnswer['kind'] | 'kept_back';

class Circuit {
  readonly counts = new Map<SupplierCount, number>();
  silences = 0;
  /** Until then no purchase is let through; 0 when the circuit is closed. */
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

  /** Counts for all suppliers that were ever asked. */
  *counts(): IterableIterator<[supplierId: number, what: SupplierCount, count: number]> {
    for (const [supplierId, { counts }] of this.#circuits) {
      for (const [what, count] of counts) yield [supplierId, what, count];
    }
  }

  /**
   * Circuits of all suppliers that were ever asked. A purchase that is let through as a test leaves its circuit open.
   */
  *openCircuits(): IterableIterator<[supplierId: number, isOpen: boolean]> {
    for (const [supplierId, { openUntilMs }] of this.#circuits) yield [supplierId, openUntilMs > 0];
  }

  /** Whether purchases at the supplier fail without asking it, but for tests. */
  isOpen(supplierId: number): boolean {
    return (this.#circuits.get(supplierId)?.openUntilMs ?? 0) > 0;
  }

  /** Suppliers that are not asked now: their circuits are open, and no test is due. */
  readonly keptBack: KeptBack = () => {
    const nowMs = this.#monotonicMs();
    const open = [...this.#circuits].filter(([, { openUntilMs }]) => nowMs < openUntilMs);
    return new Set(open.map(([supplierId]) => supplierId));
  };

  /** Counts a delivery, once it is known whether it is what was bought. */
  judged({ supplierId }: SupplierPurchase, isRight: boolean): void {
    this.#circuitOf(supplierId).count(isRight ? 'delivered' : 'failed');
  }

  async purchase(purchase: SupplierPurchase, withinMs: number): Promise<PurchaseAnswer> {
    const circuit = this.#circuitOf(purchase.supplierId);
    const why = withinMs > 0 ? (this.#letsThrough(circuit) ? undefined : KEPT_BACK) : NO_TIME;
    if (why !== undefined) {
      circuit.count('kept_back');
      return { kind: 'unreached', why };
    }
    const said = await this.#supplier.purchase(purchase, withinMs);
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

  progress(purchase: SupplierPurchase): Promise<ProgressAnswer> {
    return this.#supplier.progress(purchase);
  }

  /** One that is let through as a test opens the circuit again, until it is answered. */
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
