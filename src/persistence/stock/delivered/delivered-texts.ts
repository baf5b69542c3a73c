/**
 * The texts of orders, as the thread that writes them sees them: it must find single ones, and an order may have ten
 * thousand. So those that were looked at lately are kept as sets, bounded by bytes.
 */
import { numberKey } from '../../lmdb/lmdb-environment.ts';
import type { StockFile } from '../file/stock-file.ts';
import { orderTexts, writeOrderTexts } from './order-texts.ts';

const CACHE_BYTES = 16 * 1024 * 1024;
/** What a text costs in memory besides its characters, roughly. */
const TEXT_BYTES = 80;

interface TextSet {
  readonly texts: ReadonlySet<string>;
  readonly memoryBytes: number;
}

const NONE: TextSet = { texts: new Set(), memoryBytes: TEXT_BYTES };

export class DeliveredTexts {
  readonly #file: StockFile;
  /** The one that was used last is the last. */
  readonly #sets = new Map<number, TextSet>();
  #bytes = 0;

  constructor(file: StockFile) {
    this.#file = file;
  }

  /** Throws `DamagedRowError`. */
  has(orderId: number, text: Buffer): boolean {
    const set = this.#sets.get(orderId) ?? this.#read(orderId);
    this.#forget(orderId);
    this.#sets.set(orderId, set);
    this.#bytes += set.memoryBytes;
    for (const oldest of this.#sets.keys()) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#forget(oldest);
    }
    return set.texts.has(text.toString());
  }

  /** In place of what was there; inside a write transaction. `encoded` is what `encodeOrderTexts` made of them. */
  write(orderId: number, encoded: Uint8Array): void {
    this.#forget(orderId);
    writeOrderTexts(this.#file, orderId, encoded);
  }

  isWritten(orderId: number): boolean {
    return this.#file.deliveries.doesExist(numberKey(orderId));
  }

  /** Inside a write transaction. Fingerprints that name the order lead nowhere from now on. */
  remove(orderId: number): void {
    this.#forget(orderId);
    this.#file.remove('deliveries', numberKey(orderId));
  }

  /** After a transaction that failed: what was read in it may not be there. */
  forgetAll(): void {
    this.#sets.clear();
    this.#bytes = 0;
  }

  #read(orderId: number): TextSet {
    const block = orderTexts(this.#file, orderId);
    if (block === undefined) return NONE;
    const texts = new Set(Array.from({ length: block.count }, (_, index) => block.textAt(index)));
    return { texts, memoryBytes: block.memoryBytes + texts.size * TEXT_BYTES };
  }

  #forget(orderId: number): void {
    const set = this.#sets.get(orderId);
    if (set === undefined) return;
    this.#sets.delete(orderId);
    this.#bytes -= set.memoryBytes;
  }
}
