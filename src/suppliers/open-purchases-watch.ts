/**
 * Raises an alert when a supplier leaves many purchases open: promised and not delivered, or unresolved. With still
 * more of them than `limits.ts` allows, the supplier is asked for nothing more.
 *
 * One alert each time the number gets that high: the next one only after half of them have ended. Kept in memory only,
 * so a restart raises it again. Counting costs two numbers a supplier, never a walk over the purchases.
 */
import type { Engine } from '../engine/engine.ts';

/** A fiftieth of what a single supplier may leave open. */
export const MANY_OPEN = 1_000;
const FEW_OPEN = MANY_OPEN / 2;
const LOOK_MS = 1_000;

export interface OpenPurchasesWatchOptions {
  readonly engine: Pick<Engine, 'state'>;
  readonly onMany: (supplierId: number, open: number) => void;
}

export class OpenPurchasesWatch {
  readonly #options: OpenPurchasesWatchOptions;
  /** Suppliers with an alert that still have many. */
  readonly #told = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OpenPurchasesWatchOptions) {
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
