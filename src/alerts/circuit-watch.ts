/**
 * Suppliers that are not asked any more, because they left several requests in a row unanswered. Over when one has
 * answered, and hasn't been silent again for a minute.
 */
import type { Watcher } from './alert-watch.ts';
import type { StandingAlerts } from './standing-alerts.ts';

const ANSWERS_FOR_MS = 60_000;

export interface CircuitWatchOptions {
  readonly standing: StandingAlerts;
  /** The circuits of all suppliers that were ever asked. */
  readonly openCircuits: () => Iterable<readonly [supplierId: number, isOpen: boolean]>;
}

export class CircuitWatch implements Watcher {
  readonly #options: CircuitWatchOptions;

  constructor(options: CircuitWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { standing, openCircuits } = this.#options;
    for (const [supplierId, isOpen] of openCircuits()) {
      if (!isOpen) continue;
      const message = `Supplier ${supplierId} has not answered several purchases in a row, and is asked only now and then: its products fail where own stock is not enough.`;
      standing.begin('SUPPLIER_CIRCUIT_OPEN', supplierId, () => ({ message, fields: { supplierId } }));
    }
    for (const supplierId of standing.firing('SUPPLIER_CIRCUIT_OPEN')) {
      const say = () => ({ message: `Supplier ${supplierId} answers again.`, fields: { supplierId } });
      standing.end('SUPPLIER_CIRCUIT_OPEN', supplierId, say, ANSWERS_FOR_MS);
    }
  }
}
