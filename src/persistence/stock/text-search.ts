/**
 * Finds a text by its fingerprint: which items of which products have it or one that looks like it, and which orders
 * were delivered with it. Texts that are the same to the byte come first.
 *
 * One look-up for all products, and then in slices: between them the thread serves others. A fingerprint's rows are
 * hints, so what they name is read and compared. Nobody keeps the text, or tells it.
 */
import { Slices } from '../../shared/slices.ts';
import { orderTexts } from './delivered/order-texts.ts';
import type { StockFile } from './file/stock-file.ts';
import { Fingerprints, type Holder, orderOfHint } from './file/stock-fingerprints.ts';
import { itemBytes } from './intake/stock-lines.ts';
import { likeness } from './likeness.ts';

/** Rows of one fingerprint that are followed at most: some may lead nowhere. */
const MAX_HINTS = 1_000;

/** Exactly one of `item` and `orderId` is there. */
export interface TextPlace {
  readonly productId: number;
  readonly item?: number;
  readonly orderId?: number;
  /** False when the text there only looks like it. */
  readonly isExact: boolean;
}

export interface TextSearch {
  readonly text: string;
  /** The only product that is searched; default: all. */
  readonly productId?: number | undefined;
  readonly limit: number;
}

export interface TextSearchOptions {
  readonly file: StockFile;
  /** The text of an item of the product; undefined when it has no such item. */
  readonly textOf: (productId: number, item: number) => string | undefined;
}

/** At most `limit` places. Rejects with `bad-item` for what can't be a text, and with `damaged`. */
export async function findText(
  options: TextSearchOptions,
  { text, productId, limit }: TextSearch,
): Promise<TextPlace[]> {
  const { file } = options;
  const bytes = itemBytes(text, 1);
  const wanted = { text: bytes.toString(), like: likeness(bytes.toString()) };
  const fingerprints = new Fingerprints(file);
  file.environment.resetReadTxn();
  const found: TextPlace[] = [];
  const slices = new Slices();
  for (const holder of holdersOf(fingerprints, fingerprints.keyOf(bytes), productId)) {
    if (slices.isFull) {
      await slices.rest();
      file.environment.resetReadTxn();
    }
    const place = placeAt(options, holder, wanted);
    if (place !== undefined) found.push(place);
  }
  return found.sort((a, b) => Number(b.isExact) - Number(a.isExact)).slice(0, limit);
}

interface Wanted {
  readonly text: string;
  readonly like: string;
}

function placeAt(
  { file, textOf }: TextSearchOptions,
  { productId, hint }: Holder,
  { text, like }: Wanted,
): TextPlace | undefined {
  const orderId = orderOfHint(hint);
  if (orderId === undefined) {
    const there = textOf(productId, hint);
    if (there === undefined || (there !== text && likeness(there) !== like)) return undefined;
    return { productId, item: hint, isExact: there === text };
  }
  const texts = orderTexts(file, orderId)?.texts() ?? [];
  const isExact = texts.includes(text);
  if (!isExact && !texts.some((each) => likeness(each) === like)) return undefined;
  return { productId, orderId, isExact };
}

function holdersOf(fingerprints: Fingerprints, key: Buffer, productId: number | undefined): Holder[] {
  const named = fingerprints.get(key);
  if (named === undefined) return [];
  const further = fingerprints.furtherHolders(key, MAX_HINTS, productId);
  // What came to nothing, and then came again, may be named twice.
  const isTwice = further.some(({ productId: of, hint }) => of === named.productId && hint === named.hint);
  const isAsked = productId === undefined || productId === named.productId;
  return isTwice || !isAsked ? further : [named, ...further];
}
