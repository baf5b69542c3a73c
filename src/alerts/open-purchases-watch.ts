/**
 * Suppliers that leave many purchases open: promised and not delivered, or unresolved. With still more of them than
 * `limits.ts` allows, the supplier is asked for nothing more.
 *
 * The alert ends when half of them have ended. Counting costs two numbers a supplier, never a walk over the purchases.
 */
import type { State } from '../engine/state.ts';
import type { Watcher } from './alert-watch.ts';
import type { StandingAlerts } from './standing-alerts.ts';

/** A fiftieth of what a single supplier may leave open. */
export const MANY_OPEN = 1_000;
const FEW_OPEN = MANY_OPEN / 2;

export interface OpenPurchasesWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: { readonly state: Pick<State, 'suppliers' | 'supplierPurchases'> };
}

export class OpenPurchasesWatch implements Watcher {
  readonly #options: OpenPurchasesWatchOptions;

  constructor(options: OpenPurchasesWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { standing, engine } = this.#options;
    const { suppliers, supplierPurchases } = engine.state;
    for (const { supplierId } of suppliers.values()) {
      const open = supplierPurchases.openCountOf(supplierId) - supplierPurchases.heldCountOf(supplierId);
      const message = `Supplier ${supplierId} has ${open} open purchases: see purser supplier-purchase list.`;
      const say = () => ({ message, fields: { supplierId, open } });
      if (open >= MANY_OPEN) standing.begin('SUPPLIER_PURCHASES_OPEN', supplierId, say);
      else if (open < FEW_OPEN) standing.end('SUPPLIER_PURCHASES_OPEN', supplierId, say);
    }
  }
}
