/**
 * The texts of an order that was not delivered from stock, as one sealed row under the order's number.
 *
 * Invariant: a row is written before the fact that completes the order, and never after it; a row whose order has no
 * such fact was left by an attempt that came to nothing. Nobody is shown it; while the order may still be completed,
 * its texts count as had, and once it has ended without them, the row goes.
 */
import { Slices } from '../../../shared/slices.ts';
import { numberKey } from '../../codec/number-key.ts';
import { encodeBlock, encodedLength, type ItemBlock } from '../file/stock-block.ts';
import { openBlock, type StockFile } from '../file/stock-file.ts';
import { itemBytes } from '../intake/stock-lines.ts';
import { damagedRow, StockError } from '../stock-errors.ts';

/** Most texts of one order: as many as one order may have items from stock. */
export const MAX_ORDER_TEXTS = 10_000;
/** Most bytes of them together. They are opened as one whenever the order is read. */
export const MAX_ORDER_TEXT_BYTES = 4 * 1024 * 1024;

/** Bytes of the row, made in slices. Rejects with `bad-item`, or `unfit`. */
export async function encodeOrderTexts(texts: readonly string[]): Promise<Buffer> {
  if (texts.length > MAX_ORDER_TEXTS) {
    throw new StockError('unfit', `an order is delivered with at most ${MAX_ORDER_TEXTS} items`);
  }
  const slices = new Slices();
  const items: Buffer[] = [];
  for (const [index, text] of texts.entries()) {
    if (slices.isFull) await slices.rest();
    items.push(itemBytes(text, index + 1));
  }
  if (encodedLength(items) > MAX_ORDER_TEXT_BYTES) {
    throw new StockError('unfit', `an order's items may have at most ${MAX_ORDER_TEXT_BYTES} bytes together`);
  }
  return encodeBlock(items);
}

/** Whether texts that are items are not too many for an order, nor too long. */
export function areOrderTexts(texts: readonly string[]): boolean {
  return texts.length <= MAX_ORDER_TEXTS && encodedLength(texts) <= MAX_ORDER_TEXT_BYTES;
}

/** Throws `damaged` unless the order has just so many. */
export function orderBlock(file: StockFile, orderId: number, count: number): ItemBlock {
  const block = orderTexts(file, orderId);
  if (block === undefined) throw damagedRow(rowOf(orderId), 'they are missing');
  if (block.count !== count) throw damagedRow(rowOf(orderId), `they are ${block.count} instead of ${count}`);
  return block;
}

/** All of them; otherwise like `orderBlock`. */
export function readOrderTexts(file: StockFile, orderId: number, count: number): string[] {
  return orderBlock(file, orderId, count).texts();
}

/** All that lie under its number, whether it was completed with them or not. Throws `damaged`. */
export function orderTexts({ deliveries, cipher }: StockFile, orderId: number): ItemBlock | undefined {
  const key = numberKey(orderId);
  const sealed = deliveries.get(key);
  return sealed && openBlock(cipher, rowOf(orderId), sealed, key, MAX_ORDER_TEXTS);
}

function rowOf(orderId: number): string {
  return `the texts of order ${orderId}`;
}
