/**
 * The texts of orders, as the thread that writes them sees them: it must find single ones, and an order may have ten
 * thousand. So those that were looked at lately are kept as sets, bounded by bytes.
 */
import { numberKey } from '../../codec/number-key.ts';
import { ByteCache } from '../byte-cache.ts';
import type { StockFile } from '../file/stock-file.ts';
import { orderTexts } from './order-texts.ts';

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
  readonly #sets = new ByteCache<TextSet>(CACHE_BYTES);

  constructor(file: StockFile) {
    this.#file = file;
  }

  /** Throws `DamagedRowError`. */
  has(orderId: number, text: Buffer): boolean {
    let set = this.#sets.get(orderId);
    if (set === undefined) {
      set = this.#read(orderId);
      this.#sets.set(orderId, set);
    }
    return set.texts.has(text.toString());
  }

  /** In place of what was there; inside a write transaction. `encoded` is what `encodeOrderTexts` made of them. */
  write(orderId: number, encoded: Uint8Array): void {
    this.#sets.delete(orderId);
    const key = numberKey(orderId);
    this.#file.put('deliveries', key, this.#file.cipher.seal(encoded, key));
  }

  isWritten(orderId: number): boolean {
    return this.#file.deliveries.doesExist(numberKey(orderId));
  }

  /** Inside a write transaction. Fingerprints that name the order lead nowhere from now on. */
  remove(orderId: number): void {
    this.#sets.delete(orderId);
    this.#file.remove('deliveries', numberKey(orderId));
  }

  /** After a transaction that failed: what was read in it may not be there. */
  forgetAll(): void {
    this.#sets.clear();
  }

  #read(orderId: number): TextSet {
    const block = orderTexts(this.#file, orderId);
    if (block === undefined) return NONE;
    const texts = new Set(block.texts());
    return { texts, memoryBytes: block.memoryBytes + texts.size * TEXT_BYTES };
  }
}
