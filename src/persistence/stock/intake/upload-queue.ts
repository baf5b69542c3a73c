/**
 * Whose upload is next: one at a time for each product, a few at a time altogether, in the order of arrival
 * among those that could start. Bounded, because an upload that waits holds a connection open.
 */
import { type GiveBack, Semaphore } from '../../semaphore.ts';
import { IntakeQueueFullError } from '../stock-errors.ts';

const MAX_WAITING_PER_PRODUCT = 64;
const MAX_WAITING = 1_024;
/** Each holds a batch of items and a cache in memory. */
const MAX_ACTIVE = 16;

export class UploadQueue {
  readonly #semaphore = new Semaphore(MAX_ACTIVE);

  /** Resolves when the upload may begin. Rejects with `IntakeQueueFullError`, also when that takes over `patienceMs`. */
  async take(productId: number, patienceMs?: number): Promise<GiveBack> {
    const { waiting } = this.#semaphore;
    const ahead = waiting.filter(({ lane }) => lane === productId).length;
    if (ahead >= MAX_WAITING_PER_PRODUCT || waiting.length >= MAX_WAITING) throw new IntakeQueueFullError();
    const patience =
      patienceMs === undefined ? undefined : { ms: patienceMs, error: new IntakeQueueFullError() };
    return this.#semaphore.take({ lane: productId }, patience);
  }

  /** Whatever waits. */
  refuseAll(error: Error): void {
    this.#semaphore.refuseAll(error);
  }
}
