/**
 * Deliveries come by the hundred when a supplier has been slow: what came together is synced to disk once, but no
 * transaction is much longer than a batch of an upload, or others would wait for it.
 */
import type { OrderTexts, OrderTextsWriter } from './order-texts-writer.ts';

const BATCH_BYTES = 256 * 1024;

interface Waiting {
  readonly order: OrderTexts;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: Error) => void;
}

export class WaitingTexts {
  readonly #writer: OrderTextsWriter;
  readonly #waiting: Waiting[] = [];

  constructor(writer: OrderTextsWriter) {
    this.#writer = writer;
  }

  /** Resolves when the texts are durable; with false when they are not written, because the product had one of them. */
  write(order: OrderTexts): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const count = this.#waiting.push({ order, resolve, reject });
      if (count === 1) setImmediate(this.#writeNext);
    });
  }

  writeAll(): void {
    while (this.#waiting.length > 0) this.#writeBatch();
  }

  readonly #writeNext = (): void => {
    if (this.#waiting.length > 0) this.#writeBatch();
    if (this.#waiting.length > 0) setImmediate(this.#writeNext);
  };

  #writeBatch(): void {
    let count = 0;
    for (let bytes = 0; count < this.#waiting.length && bytes < BATCH_BYTES; count += 1) {
      bytes += this.#waiting[count]?.order.encoded.length ?? 0;
    }
    const batch = this.#waiting.splice(0, count);
    const outcomes = this.#writer.write(batch.map(({ order }) => order));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? new Error('a delivery without an outcome');
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  }
}
