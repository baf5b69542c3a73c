/**
 * Finds a text by its fingerprint: which items of which products have it, and which orders were delivered with it.
 *
 * One look-up for each product, in bites: between them the thread serves others. A fingerprint's rows are hints, so what
 * they name is read and compared. Nobody keeps the text, or tells it.
 */
import { setImmediate } from 'node:timers/promises';
import { orderTexts } from './delivered/order-texts.ts';
import type { StockFile } from './file/stock-file.ts';
import { Fingerprints, orderOfHint } from './file/stock-fingerprints.ts';
import { itemBytes } from './intake/stock-lines.ts';

/** Of products, or of places whose texts are read: a millisecond or two. */
const STEPS_PER_BITE = 16;
/** Rows of one fingerprint that are followed at most: some may lead nowhere. */
const MAX_HINTS = 1_000;

/** Exactly one of `item` and `orderId` is there. */
export interface TextPlace {
  readonly productId: number;
  readonly item?: number;
  readonly orderId?: number;
}

export interface SearchedProduct {
  readonly productId: number;
  /** One past its last item. */
  readonly end: number;
}

export interface TextSearchOptions {
  readonly file: StockFile;
  /** The text of an item below the product's `end`. */
  readonly textOf: (product: SearchedProduct, item: number) => string;
}

/** At most `limit` places. Rejects with `BadItemError` for what can't be a text, and with `DamagedRowError`. */
export async function findText(
  { file, textOf }: TextSearchOptions,
  text: string,
  products: readonly SearchedProduct[],
  limit: number,
): Promise<TextPlace[]> {
  const bytes = itemBytes(text, 1);
  const fingerprints = new Fingerprints(file);
  const found: TextPlace[] = [];
  let steps = 0;
  const pause = async () => {
    steps += 1;
    if (steps % STEPS_PER_BITE !== 0) return;
    await setImmediate();
    file.environment.resetReadTxn();
  };
  file.environment.resetReadTxn();
  for (const product of products) {
    await pause();
    for (const hint of hintsOf(fingerprints, fingerprints.keyOf(product.productId, bytes))) {
      if (found.length === limit) return found;
      await pause();
      const { productId, end } = product;
      const orderId = orderOfHint(hint);
      if (orderId === undefined) {
        if (hint < end && textOf(product, hint) === text) found.push({ productId, item: hint });
      } else if (orderTexts(file, orderId)?.texts().includes(text) === true) {
        found.push({ productId, orderId });
      }
    }
  }
  return found;
}

function hintsOf(fingerprints: Fingerprints, key: Buffer): number[] {
  const named = fingerprints.get(key);
  if (named === undefined) return [];
  // What came to nothing, and then came again, may be named twice.
  return [...new Set([named, ...fingerprints.furtherHints(key, MAX_HINTS)])];
}
