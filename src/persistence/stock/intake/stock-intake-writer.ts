/**
 * Writes the items of one upload, without their being visible: the numbers from the product's end on belong to nobody
 * until a fact in the journal says otherwise, and that is made by the caller after `finish`.
 *
 * Invariant: the items below the product's end stay as they are, the ones that share a block with new ones too;
 * whatever else lies from the end on was left by an upload that came to nothing, is written over, and never counts as a
 * duplicate. A line is a duplicate only of a text that was read and looks the same, of an item or of a text that an
 * order was delivered with, of any product; or of one that a supplier's delivery has reserved at this moment. A recalled text
 * is never added again, whatever else is allowed. When two uploads at once bring a text, the one that writes it first
 * has it.
 *
 * A dry run is an upload whose fact never comes: so it finds exactly what the upload would, at any size, in the same
 * memory. The room that it takes on the disk is used by the next upload of the product. Rejected: to remember its lines
 * elsewhere, in memory or in a file, which would be a second way to decide what a duplicate is.
 *
 * Items are gathered and written in batches that are sorted by fingerprint: that way the look-ups and the new rows of a
 * batch walk through the tree once. Rejected: one transaction for the whole upload, which would hold everything in
 * memory; its all-or-nothing isn't needed when nothing is visible anyway.
 */
import { dirname } from 'node:path';
import { MAX_ITEMS_PER_PRODUCT } from '../../../engine/limits.ts';
import { keepRoomForJournal } from '../../disk/disk-room.ts';
import { ByteCache } from '../byte-cache.ts';
import { claimantOf, type KnownText, lookUp } from '../delivered/known-texts.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock, MAX_BLOCK_BYTES } from '../file/stock-block.ts';
import { blockWith, writeBlock } from '../file/stock-file.ts';
import { hintOfOrder, orderOfHint } from '../file/stock-fingerprints.ts';
import { visibleForm } from '../likeness.ts';
import type { ProductStock } from '../product-stock.ts';
import type { CountedTexts } from '../shop-shelves.ts';
import { StockError } from '../stock-errors.ts';
import type { StockTexts } from '../stock-texts.ts';
import { LineNumbers } from './line-numbers.ts';
import type { StockTable } from './table-items.ts';
import { type LinesOf, type LookAlikes, type SortedOutLines, UploadReport } from './upload-report.ts';

/** More would be faster, by less than it would take in memory and in pages that wait to be used again. */
const BATCH_ITEMS = 4_096;
const BATCH_BYTES = 4 * 1024 * 1024;
const CACHE_BYTES = 3 * MAX_BLOCK_BYTES;
/** How much of the disk a byte takes, with fingerprints, and pages that are not full. */
const BYTES_ON_DISK_PER_BYTE = 2;

/** The start of an upload. */
export interface IntakeStart {
  readonly stock: ProductStock;
  /** Whether a line is added although somebody has or had the same. */
  readonly allowDuplicates: boolean;
  /** Nothing of it will be for sale: tells of lines that would not be. */
  readonly isDry?: boolean;
  /** Whether lines that can't be items are passed over and told of, as by a dry run. Else they end the upload. */
  readonly leavesOutBadLines?: boolean;
  /** The bytes are those of a table, and not of lines. */
  readonly table?: StockTable | undefined;
}

export interface IntakeResult {
  /** The new items have the numbers `firstItem` to `firstItem + added - 1`. */
  readonly firstItem: number;
  readonly added: number;
  /** Lines that were not added because somebody had them. */
  readonly duplicates: number;
  /** Duplicates that were recalled; there when there are any. */
  readonly recalled?: number;
  /** Duplicates by product; there for a dry run, and when another product has some of them. */
  readonly duplicatesOf?: readonly LinesOf<number>[];
  /** Lines that look like other texts; there for a dry run, and when there are any. */
  readonly lookAlikes?: LookAlikes;
  /** The first texts that a dry run would add. */
  readonly sample?: readonly string[];
  /** The lines that were not added; there for a dry run, and for an upload that leaves bad lines out. */
  readonly lines?: SortedOutLines;
}

interface Line {
  readonly text: Buffer;
  readonly key: Buffer;
  /** The first bytes of the fingerprint: decides nearly every comparison when lines are sorted. */
  readonly rank: number;
  /** The place of the line in the upload, from 1. */
  readonly number: number;
  isNew: boolean;
  /** Whether the fingerprint's row will name this line's item. */
  isHinted: boolean;
  known: KnownText | undefined;
  /** The line before it in its batch that is the same, or alike. */
  prior: Line | undefined;
  item: number;
}

export class IntakeWriter {
  readonly #texts: StockTexts;
  readonly #stock: ProductStock;
  readonly #allowDuplicates: boolean;
  readonly #batchItems: number;
  readonly #counted: CountedTexts;
  /** Blocks by their number. */
  readonly #blocks = new ByteCache<ItemBlock>(CACHE_BYTES);
  /** The texts of the block that isn't full yet, from its first item on. */
  #tail: Buffer[];
  #next: number;
  readonly #duplicates = new LineNumbers();
  readonly #report: UploadReport;
  readonly #isDry: boolean;
  #recalled = 0;
  #lines: Line[] = [];
  #bytes = 0;

  /** Throws `damaged` when the product's last block isn't what it should be. */
  constructor(texts: StockTexts, start: IntakeStart, batchItems = BATCH_ITEMS) {
    this.#texts = texts;
    this.#stock = start.stock;
    this.#allowDuplicates = start.allowDuplicates;
    this.#batchItems = batchItems;
    this.#isDry = start.isDry ?? false;
    const { end, ...counted } = start.stock;
    this.#counted = { ...counted, textOf: (item) => this.textOf(item) };
    this.#report = new UploadReport(counted.productId);
    this.#next = end;
    this.#tail = this.#readTail();
  }

  /** `text` must not be changed afterwards; `number` is its place in the upload, from 1. */
  add(text: Buffer, number: number): void {
    const key = this.#texts.fingerprints.keyOf(text);
    const rank = key.readUIntBE(0, 6);
    const [known, prior] = [undefined, undefined];
    this.#lines.push({ text, key, rank, number, isNew: false, isHinted: false, known, prior, item: -1 });
    this.#bytes += text.length;
    if (this.#lines.length >= this.#batchItems || this.#bytes >= BATCH_BYTES) this.#writeBatch(false);
  }

  /** When it returns, all items are durable. `bad` are the lines that were passed over. */
  finish(bad?: Omit<SortedOutLines, 'duplicates'>): IntakeResult {
    if (this.#lines.length > 0 || this.#next > this.#stock.end) this.#writeBatch(true);
    const firstItem = this.#stock.end;
    const duplicates = this.#duplicates;
    const { duplicatesOf, lookAlikes, sample, isOfOthers } = this.#report;
    return {
      firstItem,
      added: this.#next - firstItem,
      duplicates: duplicates.count,
      ...(this.#recalled === 0 ? {} : { recalled: this.#recalled }),
      ...(this.#isDry || isOfOthers ? { duplicatesOf } : {}),
      ...(this.#isDry || lookAlikes.count > 0 ? { lookAlikes } : {}),
      ...(this.#isDry ? { sample } : {}),
      ...(bad === undefined ? {} : { lines: { duplicates, ...bad } }),
    };
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
      for (const line of lines) {
        if (line.isNew) line.item = this.#append(line.text);
        else this.#leaveOut(line);
        this.#report.add(line);
      }
      if (isLast) this.#writeTail();
      const { productId } = this.#stock;
      for (const { key, item, isHinted, isNew, known } of sorted) {
        const holder = { productId, hint: item };
        if (isHinted) fingerprints.setItem(key, holder, known?.kept);
        else if (isNew) fingerprints.addItem(key, holder);
      }
    });
  }

  /** Decides which lines are added, and which of them their fingerprint's row will name. */
  #markNew(sorted: readonly Line[]): void {
    let previous: Line | undefined;
    let hinted: Line | undefined;
    /** The first line of each visible form, among lines of one likeness; made when there is a second line. */
    let seen: Map<string, Line> | undefined;
    for (const line of sorted) {
      if (previous !== undefined && line.key.equals(previous.key)) {
        seen ??= new Map([[formOf(previous), previous]]);
        const same = seen.get(formOf(line));
        line.prior = same ?? previous;
        line.known = same === undefined ? this.#lookUp(line) : this.#knownBy(same);
        if (same === undefined) seen.set(formOf(line), line);
      } else {
        seen = undefined;
        if (hinted !== undefined) hinted.isHinted = true;
        hinted = undefined;
        line.known = this.#lookUp(line);
      }
      previous = line;
      line.isNew = this.#isNew(line.known);
      // An order or a reservation may come to nothing while the item is on sale.
      if (line.isNew && !isItem(line.known)) hinted = line;
    }
    if (hinted !== undefined) hinted.isHinted = true;
  }

  #isNew({ had }: KnownText = {}): boolean {
    if (had === 'recalled') return false;
    if (had === undefined || this.#allowDuplicates) return true;
    return had === 'alike' && this.#stock.isAlike === true;
  }

  #lookUp({ key, text }: Line): KnownText | undefined {
    const known = lookUp(this.#texts, this.#counted, key, text);
    if (known?.had !== undefined && known.had !== 'alike') return known;
    const claimant = claimantOf(this.#texts, this.#stock.productId, text);
    // Like an order's: it may come to nothing.
    const holder = { productId: claimant ?? 0, hint: hintOfOrder(0) };
    return claimant === undefined ? known : { ...known, had: 'order', holder };
  }

  /** The outcome for a line that is the same as one before it. */
  #knownBy({ isNew, known }: Line): KnownText | undefined {
    const { productId, isAlike } = this.#stock;
    const holder = { productId, hint: this.#next };
    return isNew ? { had: isAlike === true ? 'alike' : 'item', holder } : known;
  }

  #leaveOut({ number, known }: Line): void {
    this.#duplicates.add(number);
    if (known?.had === 'recalled') this.#recalled += 1;
  }

  /** The text of an item of the product or of this upload; undefined for any other number, whatever lies there. */
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
    if (item >= MAX_ITEMS_PER_PRODUCT)
      throw new StockError('unfit', `a product holds at most ${MAX_ITEMS_PER_PRODUCT} items over its life`);
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

function formOf({ text }: Line): string {
  return visibleForm(text.toString());
}

/** Whether an item has it, so that the row under the fingerprint may stay as it is. */
function isItem(known: KnownText | undefined): boolean {
  const { had, holder } = known ?? {};
  return had !== undefined && holder !== undefined && orderOfHint(holder.hint) === undefined;
}

/** Equal texts stay in the order they came in. */
function byFingerprint(a: Line, b: Line): number {
  return a.rank - b.rank || a.key.compare(b.key);
}
