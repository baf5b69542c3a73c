/**
 * `stock.mdb` of a restored folder, from the texts in a backup and the facts that name them.
 *
 * Texts lie in the stream before the frame with their fact, and are written as they come; a fact proves that all that
 * it names is there, and from then on they are the product's. Texts that no restored fact names are removed in the end.
 * Invariant: texts that were named are never written again; among others under the same number the last one counts,
 * because a history that was left may have had other texts there.
 *
 * Fingerprints are made anew: a row for every item, and for every order that was delivered with the text. Which of them
 * has the row under the fingerprint itself may differ from before: whoever looks a text up follows all of them.
 */
import { join } from 'node:path';
import type { ChunkEntry } from '../backup/chunk-entries.ts';
import type { Fact } from '../engine/fact.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { numberKey } from '../persistence/codec/number-key.ts';
import { STOCK_FILE } from '../persistence/folder/data-folder.ts';
import type { DataKeys } from '../persistence/keys/data-keys.ts';
import { createEnvironment } from '../persistence/lmdb/lmdb-environment.ts';
import { MAX_ORDER_TEXTS, orderTexts } from '../persistence/stock/delivered/order-texts.ts';
import { blockKey, blockOf, ITEMS_PER_BLOCK, ItemBlock } from '../persistence/stock/file/stock-block.ts';
import {
  blockWith,
  openStockFile,
  readBlock,
  STOCK_TABLES,
  type StockFile,
  writeBlock,
} from '../persistence/stock/file/stock-file.ts';
import { Fingerprints, hintOfOrder } from '../persistence/stock/file/stock-fingerprints.ts';
import { FingerprintSorter } from './fingerprint-sorter.ts';

type ItemsEntry = Extract<ChunkEntry, { readonly kind: 'items' }>;
type OrderTextsEntry = Extract<ChunkEntry, { readonly kind: 'orderTexts' }>;

const ROWS_PER_TRANSACTION = 50_000;

export class RestoredTexts {
  readonly #file: StockFile;
  readonly #fingerprints: Fingerprints;
  readonly #sorter: FingerprintSorter;
  /** The ends of products, by product: one past the last item, by the facts, and by what was written. */
  readonly #ends = new Map<number, number>();
  readonly #written = new Map<number, number>();
  /** Orders whose texts came, and their fact not yet: those of a group of facts, mostly. */
  readonly #unnamedOrders = new Set<number>();

  private constructor(folder: string, keys: DataKeys) {
    this.#file = openStockFile(join(folder, STOCK_FILE), keys);
    this.#fingerprints = new Fingerprints(this.#file);
    this.#sorter = new FingerprintSorter(folder);
  }

  /** Makes the file in a folder that hasn't any. The newest of the keys seals. */
  static async create(folder: string, keys: DataKeys): Promise<RestoredTexts> {
    await createEnvironment(join(folder, STOCK_FILE), STOCK_TABLES);
    return new RestoredTexts(folder, keys);
  }

  /** Runs what calls `items`, `orderTexts` and `fact`, as one transaction. */
  write(work: () => void): void {
    this.#file.write(work);
  }

  /** Throws `DamagedDataError` and `StockError`, here and below. */
  items({ productId, firstItem, texts }: ItemsEntry): void {
    const block = ItemBlock.decode(`items of product ${productId}`, texts, texts.length);
    const end = firstItem + block.count;
    // They came before.
    const begin = Math.max(firstItem, this.#ends.get(productId) ?? 0);
    for (let item = begin; item < end; ) {
      const last = Math.min(end, (blockOf(item) + 1) * ITEMS_PER_BLOCK);
      const added = Array.from({ length: last - item }, (_, index) =>
        block.bytesAt(item - firstItem + index),
      );
      writeBlock(this.#file, productId, blockOf(item), [...this.#textsBefore(productId, item), ...added]);
      item = last;
    }
    this.#written.set(productId, Math.max(end, this.#written.get(productId) ?? 0));
  }

  orderTexts({ orderId, texts }: OrderTextsEntry): void {
    const key = numberKey(orderId);
    // They came before, and were named.
    if (!this.#unnamedOrders.has(orderId) && this.#file.deliveries.doesExist(key)) return;
    this.#file.put('deliveries', key, this.#file.cipher.seal(texts, key));
    this.#unnamedOrders.add(orderId);
  }

  fact(fact: Fact): void {
    switch (fact.kind) {
      case 'StockAdded':
      case 'SupplierPurchaseReconciled':
        this.#nameItems(fact.productId, fact.firstItem, fact.count);
        break;
      case 'QuarantineEnded':
        if (fact.released !== null && fact.released !== 'inPlace') {
          this.#nameItems(fact.productId, fact.released.firstItem, fact.released.count);
        }
        break;
      case 'OrderDelivered':
      case 'OrderRecovered':
        this.#nameOrder(fact.order.productId, fact.order.orderId, fact.order.textCount);
        break;
      case 'OrderAmended':
        if (fact.delivers === true) {
          this.#nameOrder(fact.order.productId, fact.order.orderId, fact.order.textCount);
        }
        break;
    }
  }

  /** Finishes the texts when all facts have come. */
  finish(): void {
    this.#removeUnnamed();
    const rows = this.#sorter.sorted();
    let before = Buffer.alloc(0);
    for (let isDone = false; !isDone; ) {
      this.#file.write(() => {
        for (let count = 0; count < ROWS_PER_TRANSACTION; count += 1) {
          const { value: row, done } = rows.next();
          if (done === true) {
            isDone = true;
            break;
          }
          const { key, productId, hint } = row;
          this.#fingerprints.addHolder(key, { productId, hint }, !key.equals(before));
          before = Buffer.from(row.key);
        }
      });
    }
  }

  /** The file is whole only after `finish`. */
  async close(): Promise<void> {
    this.#sorter.close();
    await this.#file.environment.close();
  }

  /** The texts in front of an item in its block. */
  #textsBefore(productId: number, item: number): Buffer[] {
    const count = item % ITEMS_PER_BLOCK;
    if (count === 0) return [];
    const block = readBlock(this.#file, productId, blockOf(item), count);
    if (block?.count !== count) {
      throw new DamagedDataError(`the backup lacks texts of product ${productId} before item ${item}`);
    }
    return Array.from({ length: count }, (_, index) => block.bytesAt(index));
  }

  #nameItems(productId: number, firstItem: number, count: number): void {
    const end = firstItem + count;
    for (let item = firstItem; item < end; ) {
      const last = Math.min(end, (blockOf(item) + 1) * ITEMS_PER_BLOCK);
      const block = blockWith(this.#file, productId, last - 1);
      for (; item < last; item += 1) {
        const key = this.#fingerprints.keyOf(block.bytesAt(item % ITEMS_PER_BLOCK));
        this.#sorter.add(key, { productId, hint: item });
      }
    }
    if (count > 0) this.#ends.set(productId, end);
  }

  #nameOrder(productId: number, orderId: number, textCount: number): void {
    if (textCount === 0) return;
    const block = orderTexts(this.#file, orderId);
    if (block?.count !== textCount || textCount > MAX_ORDER_TEXTS) {
      throw new DamagedDataError(
        `the backup has ${block?.count ?? 0} texts of order ${orderId} instead of ${textCount}`,
      );
    }
    this.#unnamedOrders.delete(orderId);
    for (let index = 0; index < textCount; index += 1) {
      const key = this.#fingerprints.keyOf(block.bytesAt(index));
      this.#sorter.add(key, { productId, hint: hintOfOrder(orderId) });
    }
  }

  /** Came with facts that aren't restored. */
  #removeUnnamed(): void {
    this.#file.write(() => {
      for (const orderId of this.#unnamedOrders) this.#file.remove('deliveries', numberKey(orderId));
      for (const [productId, written] of this.#written) {
        const end = this.#ends.get(productId) ?? 0;
        const whole = Math.ceil(end / ITEMS_PER_BLOCK);
        for (let block = whole; block < Math.ceil(written / ITEMS_PER_BLOCK); block += 1) {
          this.#file.remove('items', blockKey(productId, block));
        }
        const isCut = written > end && end % ITEMS_PER_BLOCK > 0;
        if (isCut) writeBlock(this.#file, productId, whole - 1, this.#textsBefore(productId, end));
      }
    });
  }
}
