/**
 * The texts of orders, as the thread that writes them sees them: it must find single ones, and an order may have ten
 * thousand. So those that were looked at lately are kept as sets, bounded by bytes.
 */
import { numberKey } from '../../codec/number-key.ts';
import { ByteCache } from '../byte-cache.ts';
import type { StockFile } from '../file/stock-file.ts';
import { likeness, visibleForm } from '../likeness.ts';
import { orderTexts } from './order-texts.ts';

const CACHE_BYTES = 16 * 1024 * 1024;
/** Bytes that a text costs in memory besides its characters, roughly: twice, when it is looked for by its likeness. */
const TEXT_BYTES = 160;

interface TextSet {
  /** The texts by what is seen of them. */
  readonly texts: ReadonlyMap<string, string>;
  /** The texts by their likeness; made when somebody asks. */
  alike?: ReadonlyMap<string, string>;
  readonly memoryBytes: number;
}

const NONE: TextSet = { texts: new Map(), memoryBytes: TEXT_BYTES };

export class DeliveredTexts {
  readonly #file: StockFile;
  readonly #sets = new ByteCache<TextSet>(CACHE_BYTES);

  constructor(file: StockFile) {
    this.#file = file;
  }

  /** The text of the order that is the same as this one, or else one that is alike. Throws `damaged`. */
  find(orderId: number, text: Buffer): Buffer | undefined {
    let set = this.#sets.get(orderId);
    if (set === undefined) {
      set = this.#read(orderId);
      this.#sets.set(orderId, set);
    }
    const wanted = text.toString();
    const same = set.texts.get(visibleForm(wanted));
    if (same !== undefined) return Buffer.from(same);
    set.alike ??= new Map(Array.from(set.texts.values(), (each) => [likeness(each), each]));
    const alike = set.alike.get(likeness(wanted));
    return alike === undefined ? undefined : Buffer.from(alike);
  }

  /**
   * Writes an order's texts in place of those that were there; inside a write transaction. `encoded` is from
   * `encodeOrderTexts`.
   */
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
    const texts = new Map(block.texts().map((text) => [visibleForm(text), text]));
    return { texts, memoryBytes: 2 * block.memoryBytes + texts.size * TEXT_BYTES };
  }
}
