/**
 * Tells when a supplier leaves so many purchases open that somebody should look: what it has promised, and what it
 * doesn't say the end of. While it has more of them than there is room for, it is asked for nothing more.
 *
 * Once for each time that the number gets so high: it is told again only after half of them have ended. In memory
 * only, so a start tells what lies there. It looks at two counts of each supplier, beside the purchases.
 */
import type { Engine } from '../engine/engine.ts';

/** A fiftieth of what a single supplier may leave open. */
export const MANY_OPEN = 1_000;
const FEW_OPEN = MANY_OPEN / 2;
const LOOK_MS = 1_000;

export interface OpenSupplierPurchasesWatchOptions {
  readonly engine: Pick<Engine, 'state'>;
  readonly onMany: (supplierId: number, open: number) => void;
}

export class OpenPurchasesWatch {
  readonly #options: OpenSupplierPurchasesWatchOptions;
  /** Suppliers that were told of, and still have many. */
  readonly #told = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OpenSupplierPurchasesWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  look(): void {
    const { suppliers, supplierPurchases } = this.#options.engine.state;
    for (const { supplierId } of suppliers.values()) {
      const open = supplierPurchases.openCountOf(supplierId) - supplierPurchases.heldCountOf(supplierId);
      if (open < FEW_OPEN) this.#told.delete(supplierId);
      if (open < MANY_OPEN || this.#told.has(supplierId)) continue;
      this.#told.add(supplierId);
      this.#options.onMany(supplierId, open);
    }
  }
}
