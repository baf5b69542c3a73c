/** The purchases that a supplier has sold, by their references: in memory, and in a file where there is one. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

export interface Purchase {
  readonly reference: string;
  readonly sku: string;
  readonly quantity: number;
  status: 'pending' | 'delivered' | 'failed';
  items: string[];
}

/** The oldest are forgotten: nobody asks about them any more. */
const MAX_REMEMBERED = 100_000;

export class PurchaseMemory {
  readonly purchases = new Map<string, Purchase>();
  readonly #file: string | undefined;

  private constructor(file: string | undefined) {
    this.#file = file;
  }

  static open(file: string | undefined): PurchaseMemory {
    const memory = new PurchaseMemory(file);
    if (file === undefined) return memory;
    // A line that a crash has cut was not answered either.
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of lines) memory.#set(JSON.parse(line) as Purchase);
    const kept = Array.from(memory.purchases.values(), lineOf);
    writeFileSync(file, kept.join(''), { mode: 0o600, flush: true });
    return memory;
  }

  /** On disk when it returns. */
  keep(purchase: Purchase): void {
    if (this.#file !== undefined) appendFileSync(this.#file, lineOf(purchase), { flush: true });
    this.#set(purchase);
  }

  #set(purchase: Purchase): void {
    this.purchases.set(purchase.reference, purchase);
    if (this.purchases.size <= MAX_REMEMBERED) return;
    for (const reference of this.purchases.keys()) {
      this.purchases.delete(reference);
      return;
    }
  }
}

function lineOf(purchase: Purchase): string {
  return `${JSON.stringify(purchase)}\n`;
}
