/**
 * Writes the items of one upload, without their being visible: the numbers from the product's end on belong
 * to nobody until a fact in the journal says otherwise, and that is made by the caller after `finish`.
 *
 * What always holds: the items below the product's end stay as they are, the ones that share a block with
 * new ones too; whatever else lies from the end on was left by an upload that came to nothing, is written
 * over, and never counts as a duplicate. A line is a duplicate only of a text that was read and is equal, of an item
 * or of what an order was delivered with; or of one that a supplier's delivery claims at this moment.
 *
 * Items are gathered and written in batches that are sorted by fingerprint: that way the look-ups and the new
 * rows of a batch walk through the tree once. Rejected: one transaction for the whole upload, which would
 * hold everything in memory; its all-or-nothing isn't needed when nothing is visible anyway.
 */
import { dirname } from 'node:path';
import { MAX_ITEMS_PER_PRODUCT } from '../../../engine/limits.ts';
import { keepRoomForJournal } from '../../disk/disk-room.ts';
import { ByteCache } from '../byte-cache.ts';
import { type CountedTexts, holderOf } from '../delivered/known-texts.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock, MAX_BLOCK_BYTES } from '../file/stock-block.ts';
import { blockWith, writeBlock } from '../file/stock-file.ts';
import type { ProductStock } from '../product-stock.ts';
import { TooManyItemsError } from '../stock-errors.ts';
import type { StockTexts } from '../stock-texts.ts';

/** More would be faster, by less than it would take in memory and in pages that wait to be used again. */
const BATCH_ITEMS = 4_096;
const BATCH_BYTES = 4 * 1024 * 1024;
const CACHE_BYTES = 3 * MAX_BLOCK_BYTES;
/** With fingerprints, and pages that are not full. */
const BYTES_ON_DISK_PER_BYTE = 2;

/** What an upload starts from. */
export interface IntakeStart {
  readonly stock: ProductStock;
  /** Whether a line is added although the product has or had the same. */
  readonly allowDuplicates: boolean;
}

export interface IntakeResult {
  /** The new items have the numbers `firstItem` to `firstItem + added - 1`. */
  readonly firstItem: number;
  readonly added: number;
  readonly duplicates: number;
}

interface Line {
  readonly text: Buffer;
  readonly key: Buffer;
  /** The first bytes of the fingerprint: decides nearly every comparison when lines are sorted. */
  readonly rank: number;
  isNew: boolean;
  /** Whether the fingerprint's row will name this line's item. */
  isHinted: boolean;
  /** Whether an order has the text already, whose row must not be lost. */
  isOrdered: boolean;
  item: number;
}

export class IntakeWriter {
  readonly #texts: StockTexts;
  readonly #stock: ProductStock;
  readonly #allowDuplicates: boolean;
  readonly #batchItems: number;
  readonly #counted: CountedTexts;
  /** By their number. */
  readonly #blocks = new ByteCache<ItemBlock>(CACHE_BYTES);
  /** The texts of the block that isn't full yet, from its first item on. */
  #tail: Buffer[];
  #next: number;
  #duplicates = 0;
  #lines: Line[] = [];
  #bytes = 0;

  /** Throws `DamagedRowError` when the product's last block isn't what it should be. */
  constructor(texts: StockTexts, start: IntakeStart, batchItems = BATCH_ITEMS) {
    this.#texts = texts;
    this.#stock = start.stock;
    this.#allowDuplicates = start.allowDuplicates;
    this.#batchItems = batchItems;
    const { withdrawn, end } = start.stock;
    this.#counted = { withdrawn, textOf: (item) => this.textOf(item) };
    this.#next = end;
    this.#tail = this.#readTail();
  }

  /** `text` must not be changed afterwards. */
  add(text: Buffer): void {
    const key = this.#texts.fingerprints.keyOf(this.#stock.productId, text);
    const rank = key.readUIntBE(8, 6);
    this.#lines.push({ text, key, rank, isNew: false, isHinted: false, isOrdered: false, item: -1 });
    this.#bytes += text.length;
    if (this.#lines.length >= this.#batchItems || this.#bytes >= BATCH_BYTES) this.#writeBatch(false);
  }

  /** When it returns, all items are durable. */
  finish(): IntakeResult {
    if (this.#lines.length > 0 || this.#next > this.#stock.end) this.#writeBatch(true);
    const firstItem = this.#stock.end;
    return { firstItem, added: this.#next - firstItem, duplicates: this.#duplicates };
  }

  #readTail(): Buffer[] {
    const { productId, end } = this.#stock;
    const count = end % ITEMS_PER_BLOCK;
    if (count === 0) return [];
    const block = blockWith(this.#texts.file, productId, end - 1, count);
    return Array.from({ length: count }, (_, index) => block.bytesAt(index));
  }

  #writeBatch(isLast: boolean): void {
    const lines = this.#lines;
    const { file, fingerprints } = this.#texts;
    // A file of the database never becomes shorter: what a refused upload has taken of the disk would stay taken.
    keepRoomForJournal(dirname(file.environment.file), BYTES_ON_DISK_PER_BYTE * this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    const sorted = lines.toSorted(byFingerprint);
    file.write(() => {
      this.#markNew(sorted);
      for (const line of lines) if (line.isNew) line.item = this.#append(line.text);
      if (isLast) this.#writeTail();
      for (const line of sorted) {
        if (line.isHinted) fingerprints.setItem(line.key, line.item, line.isOrdered);
      }
    });
  }

  /** Decides which lines are added, and which of them their fingerprint's row will name. */
  #markNew(sorted: readonly Line[]): void {
    let previous: Line | undefined;
    /** The line that the fingerprint's row will name. */
    let hinted: Line | undefined;
    for (const line of sorted) {
      const isRepeated = previous !== undefined && line.text.equals(previous.text);
      if (previous === undefined || !line.key.equals(previous.key)) {
        if (hinted !== undefined) hinted.isHinted = true;
        hinted = undefined;
      }
      previous = line;
      const holder = isRepeated ? 'item' : holderOf(this.#texts, this.#counted, line.key, line.text);
      const isHad = holder !== undefined || this.#texts.claims.isTaken(line.key);
      line.isNew = !isHad || this.#allowDuplicates;
      line.isOrdered = holder === 'order';
      if (!line.isNew) this.#duplicates += 1;
      // An order or a claim may come to nothing while the item is on sale.
      else if (holder !== 'item') hinted = line;
    }
    if (hinted !== undefined) hinted.isHinted = true;
  }

  /** Of an item of the product or of this upload; undefined for any other number, whatever lies there. */
  textOf(item: number): Buffer | undefined {
    if (item >= this.#next) return undefined;
    const { productId } = this.#stock;
    const number = blockOf(item);
    const index = item % ITEMS_PER_BLOCK;
    if (number === blockOf(this.#next)) return this.#tail[index];
    let block = this.#blocks.get(number);
    if (block === undefined) {
      // The last item's: the whole block is there.
      block = blockWith(this.#texts.file, productId, (number + 1) * ITEMS_PER_BLOCK - 1);
      this.#blocks.set(number, block);
    }
    return block.bytesAt(index);
  }

  #append(text: Buffer): number {
    const item = this.#next;
    if (item >= MAX_ITEMS_PER_PRODUCT) throw new TooManyItemsError(MAX_ITEMS_PER_PRODUCT);
    this.#tail.push(text);
    this.#next += 1;
    if (this.#tail.length === ITEMS_PER_BLOCK) {
      writeBlock(this.#texts.file, this.#stock.productId, blockOf(item), this.#tail);
      this.#tail = [];
    }
    return item;
  }

  #writeTail(): void {
    if (this.#tail.length === 0 || this.#next === this.#stock.end) return;
    writeBlock(this.#texts.file, this.#stock.productId, blockOf(this.#next), this.#tail);
  }
}

/** Equal texts stay in the order they came in. */
function byFingerprint(a: Line, b: Line): number {
  return a.rank - b.rank || a.key.compare(b.key);
}
