/** The settings of deposits, and when a watcher of them was heard of last. A start counts as if one was. */
import type { Config } from '../config/config.ts';
import type { DepositServices } from '../http/operator/operator-services.ts';

export class DepositParts {
  readonly services: DepositServices;
  #heardMs = performance.now();

  constructor({ depositAddresses, depositWindowMs, depositConfirmations }: Config) {
    const services = {
      addresses: depositAddresses,
      windowMs: depositWindowMs,
      confirmations: depositConfirmations,
      heardAtMs: undefined as number | undefined,
      heard: () => {
        this.#heardMs = performance.now();
        services.heardAtMs = Date.now();
      },
    };
    this.services = services;
  }

  /** By a monotonic clock, in milliseconds; undefined where there is nothing to watch. */
  get heardMs(): number | undefined {
    return this.services.addresses.length === 0 ? undefined : this.#heardMs;
  }
}
