/**
 * Whose upload is next: one at a time for each product, a few at a time altogether, in the order of arrival
 * among those that could start. Bounded, because an upload that waits holds a connection open.
 */
import { type GiveBack, Semaphore } from '../../../shared/semaphore.ts';
import { StockError } from '../stock-errors.ts';

/** Each holds a batch of items and a cache in memory. */
const MAX_ACTIVE = 16;

export interface WantedUpload {
  readonly productId: number;
  /** How long it may wait for uploads before it; without it, as long as they take. */
  readonly patienceMs?: number | undefined;
  /** Whether its texts come again when it comes to nothing. Then late items that have them may be left out. */
  readonly comesAgain?: boolean | undefined;
  /** Whether it only tells what would come of it: its items must not be put on sale, and nobody yields to it. */
  readonly isDry?: boolean;
}

export interface Upload {
  readonly giveBack: GiveBack;
  /** Whether since its beginning no other upload was under way whose texts would be lost with it. */
  readonly isAlone: () => boolean;
}

export class UploadQueue {
  readonly #turns = new Semaphore<number>(MAX_ACTIVE, { each: 1, waiting: 1_024, waitingEach: 64 });
  /** Uploads whose texts may be lost with them: those under way, and all that ever began. */
  #mayBeLost = 0;
  #begun = 0;

  /** Resolves when the upload may begin. Rejects with `queue`, also when that takes over `patienceMs`. */
  async begin({ productId, patienceMs, comesAgain = false, isDry = false }: WantedUpload): Promise<Upload> {
    const leave = await this.#turns.take({ sharer: productId, patienceMs });
    if (leave === undefined) throw new StockError('queue');
    const own = comesAgain || isDry ? 0 : 1;
    this.#mayBeLost += own;
    this.#begun += own;
    const [begun, isAlone] = [this.#begun, this.#mayBeLost === own];
    let isOver = false;
    const giveBack = () => {
      if (!isOver) this.#mayBeLost -= own;
      isOver = true;
      leave();
    };
    return { giveBack, isAlone: () => isAlone && this.#begun === begun };
  }

  /** Whatever waits. */
  refuseAll(error: Error): void {
    this.#turns.refuseAll(error);
  }
}
