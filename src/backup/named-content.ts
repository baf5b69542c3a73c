/**
 * Content that facts only name, read from the folder as entries of a chunk: texts of items and of orders, and product
 * files.
 *
 * Invariant: the content lies in the folder before the fact is in the journal, and never changes after, so it can be
 * read at any later time. Missing or changed content is damage of the folder, and an error: a backup without it would
 * look whole. Files are proved by their SHA-256 on the way, because nobody may have looked at them for years.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Fact } from '../engine/fact.ts';
import type { ProductFile } from '../engine/products.ts';
import { unreadableFile } from '../persistence/files/file-errors.ts';
import { TRAILER_BYTES } from '../persistence/files/file-trailer.ts';
import { FilesFolder } from '../persistence/files/files-folder.ts';
import { STOCK_FILE } from '../persistence/folder/data-folder.ts';
import type { DataKeys } from '../persistence/keys/data-keys.ts';
import { readOrderTexts } from '../persistence/stock/delivered/order-texts.ts';
import { encodeBlock, ITEMS_PER_BLOCK } from '../persistence/stock/file/stock-block.ts';
import { blockWith, openStockFile, type StockFile } from '../persistence/stock/file/stock-file.ts';
import type { WriteGate } from '../threads/write-gate.ts';
import type { ChunkEntry } from './chunk-entries.ts';

const FILE_PART_BYTES = 1024 * 1024;

/** Items that are on sale from a fact on. */
interface NewItems {
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/** Whether `NamedContent.of` has anything for it. */
export function namesContent({ kind }: Fact): boolean {
  return NAMING.has(kind);
}

const NAMING: ReadonlySet<string> = new Set([
  'StockAdded',
  'SupplierPurchaseReconciled',
  'QuarantineEnded',
  'OrderDelivered',
  'OrderRecovered',
  'OrderAmended',
  'ProductFileSet',
] satisfies Fact['kind'][]);

export class NamedContent {
  readonly #stock: StockFile;
  readonly #files: FilesFolder;

  /** A thread has one of them at most, and another handle to `stock.mdb` beside it never (`lmdb-renewal.ts`). */
  constructor(folder: string, keys: DataKeys, gate: WriteGate) {
    this.#stock = gate.pass(() => openStockFile(join(folder, STOCK_FILE), keys, { gate }));
    this.#files = new FilesFolder(folder);
  }

  /** Each entry is read when it is asked for. Throws `StockError` and `FileError`. */
  of(fact: Fact): Iterable<ChunkEntry> {
    switch (fact.kind) {
      case 'StockAdded':
      case 'SupplierPurchaseReconciled':
        return this.#items(fact);
      case 'QuarantineEnded':
        return fact.released === null || fact.released === 'inPlace'
          ? []
          : this.#items({ productId: fact.productId, ...fact.released });
      case 'OrderDelivered':
      case 'OrderRecovered':
        return this.#orderTexts(fact.order.orderId, fact.order.textCount);
      case 'OrderAmended':
        return fact.delivers === true ? this.#orderTexts(fact.order.orderId, fact.order.textCount) : [];
      case 'ProductFileSet':
        return this.#file(fact.file);
      default:
        return [];
    }
  }

  async close(): Promise<void> {
    await this.#stock.environment.close();
  }

  /** Texts of items as they lie there: the items of one block are one entry. */
  *#items({ productId, firstItem, count }: NewItems): IterableIterator<ChunkEntry> {
    const end = firstItem + count;
    for (let item = firstItem; item < end; ) {
      const index = item % ITEMS_PER_BLOCK;
      const inBlock = Math.min(ITEMS_PER_BLOCK - index, end - item);
      this.#stock.environment.resetReadTxn();
      const block = blockWith(this.#stock, productId, item + inBlock - 1, index + inBlock);
      const texts = Array.from({ length: inBlock }, (_, place) => block.bytesAt(index + place));
      yield { kind: 'items', productId, firstItem: item, texts: encodeBlock(texts) };
      item += inBlock;
    }
  }

  *#orderTexts(orderId: number, textCount: number): IterableIterator<ChunkEntry> {
    if (textCount === 0) return;
    this.#stock.environment.resetReadTxn();
    const texts = readOrderTexts(this.#stock, orderId, textCount).map((text) => Buffer.from(text));
    yield { kind: 'orderTexts', orderId, texts: encodeBlock(texts) };
  }

  *#file({ fileId, sizeBytes, sha256 }: ProductFile): IterableIterator<ChunkEntry> {
    const file = openedFile(this.#files.path(fileId), fileId);
    try {
      if (fstatSync(file).size !== sizeBytes + TRAILER_BYTES) {
        throw unreadableFile(fileId, 'its size differs from the journal');
      }
      const digest = createHash('sha256');
      for (let offset = 0; offset < sizeBytes; ) {
        const bytes = Buffer.allocUnsafeSlow(Math.min(FILE_PART_BYTES, sizeBytes - offset));
        const count = readSync(file, bytes, 0, bytes.length, offset);
        if (count === 0) throw unreadableFile(fileId, 'it became shorter');
        const part = bytes.subarray(0, count);
        digest.update(part);
        const isLast = offset + count === sizeBytes;
        if (isLast && digest.digest('hex') !== sha256) {
          throw unreadableFile(fileId, 'its content differs from the upload');
        }
        yield { kind: 'file', fileId, offset, bytes: part };
        offset += count;
      }
    } finally {
      closeSync(file);
    }
  }
}

function openedFile(path: string, fileId: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw unreadableFile(fileId, (error as Error).message, { cause: error });
  }
}
