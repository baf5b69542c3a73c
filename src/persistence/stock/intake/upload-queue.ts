/**
 * Whose upload is next: one at a time for each product, a few at a time altogether, in the order of arrival
 * among those that could start. Bounded, because an upload that waits holds a connection open.
 */
import { type GiveBack, Semaphore } from '../../../shared/semaphore.ts';
import { IntakeQueueFullError } from '../stock-errors.ts';

/** Each holds a batch of items and a cache in memory. */
const MAX_ACTIVE = 16;

export class UploadQueue extends Semaphore<number> {
  constructor() {
    super(MAX_ACTIVE, { each: 1, waiting: 1_024, waitingEach: 64 });
  }

  /** Resolves when the upload may begin. Rejects with `IntakeQueueFullError`, also when that takes over `patienceMs`. */
  async takeFor(productId: number, patienceMs?: number): Promise<GiveBack> {
    const giveBack = await this.take({ sharer: productId, patienceMs });
    if (giveBack === undefined) throw new IntakeQueueFullError();
    return giveBack;
  }
}
