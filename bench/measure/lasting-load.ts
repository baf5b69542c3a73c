/** A window that goes on while others are run, until it is told that it was enough. */

import type { LoadGenerator, LoadMeasurement } from '../load/load-generator.ts';
import type { LoadPlan } from '../load/plan.ts';
import type { LaneTally } from '../shop/audit.ts';

export interface LastingResult {
  readonly load: LoadMeasurement;
  /** One for each lane. */
  readonly tallies: readonly LaneTally[];
}

export class LastingLoad {
  readonly #generator: LoadGenerator;
  readonly #running: Promise<LastingResult>;

  private constructor(generator: LoadGenerator, running: Promise<LastingResult>) {
    this.#generator = generator;
    this.#running = running;
  }

  /** Resolves when its warm-up is over. */
  static async begin(
    generator: LoadGenerator,
    plan: LoadPlan,
    read: (load: LoadMeasurement) => LastingResult,
  ): Promise<LastingLoad> {
    let isWarm: () => void = () => undefined;
    const warm = new Promise<void>((resolve) => {
      isWarm = resolve;
    });
    const edges = { onMeasuring: async () => isWarm(), onMeasured: async () => undefined };
    const running = generator.run(plan, edges).then(read);
    // Should it fail meanwhile, `end` says so.
    running.catch(() => undefined);
    await Promise.race([warm, running]);
    return new LastingLoad(generator, running);
  }

  /** Resolves when the last answer has come. Rejects when a connection broke or an answer never came. */
  end(): Promise<LastingResult> {
    this.#generator.enough();
    return this.#running;
  }
}
