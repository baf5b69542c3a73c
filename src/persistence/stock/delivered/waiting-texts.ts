/**
 * Deliveries come by the hundred when a supplier has been slow: what came together is synced to disk once, but no
 * transaction is much longer than a batch of an upload, or others would wait for it.
 */
import type { OrderTexts, OrderTextsWriter, TextsOutcome } from './order-texts-writer.ts';

const BATCH_BYTES = 256 * 1024;

interface Waiting {
  readonly requestId: number;
  readonly order: OrderTexts;
}

export class WaitingTexts {
  readonly #desk: OrderTextsWriter;
  readonly #tell: (requestId: number, outcome: TextsOutcome) => void;
  #waiting: Waiting[] = [];
  #isDue = false;

  /** `tell` is called when an order's texts are durable, or not written. */
  constructor(desk: OrderTextsWriter, tell: (requestId: number, outcome: TextsOutcome) => void) {
    this.#desk = desk;
    this.#tell = tell;
  }

  add(requestId: number, order: OrderTexts): void {
    this.#waiting.push({ requestId, order });
    this.#schedule();
  }

  writeAll(): void {
    while (this.#waiting.length > 0) this.#writeBatch();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      if (this.#waiting.length > 0) this.#writeBatch();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #writeBatch(): void {
    let count = 0;
    for (let bytes = 0; count < this.#waiting.length && bytes < BATCH_BYTES; count += 1) {
      bytes += this.#waiting[count]?.order.encoded.length ?? 0;
    }
    const batch = this.#waiting.splice(0, count);
    const outcomes = this.#desk.write(batch.map(({ order }) => order));
    for (const [index, outcome] of outcomes.entries()) this.#tell(batch[index]?.requestId ?? 0, outcome);
  }
}
