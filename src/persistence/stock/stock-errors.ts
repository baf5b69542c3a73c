/** Errors of item texts. */
import { DamagedDataError } from '../codec/byte-reader.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';

/**
 * `bad-item`: an item can't be sold as it was sent; the whole upload is refused, nothing of it is visible. `unfit`: items
 * can't be taken as a whole, because they are too many or too much, or are a table without the column; the message is for
 * the sender. `damaged`: a row of the stock file is missing, or is not what was written. `full`: no room on the disk; the
 * upload may be sent again when there is room. `limited`: the file may not grow further, by a limit of the process or of
 * the file system. `queue`: too many uploads wait for this product, or for any. `closed`: the store is.
 */
export type StockReason = 'bad-item' | 'unfit' | 'damaged' | 'full' | 'limited' | 'queue' | 'closed';

const SENTENCES: { readonly [reason in StockReason]?: string } = {
  full: 'the disk is full: no items can be added',
  queue: 'too many uploads of items are waiting',
  closed: 'the store of item texts is closed',
};

interface StockErrorOptions extends ErrorOptions {
  readonly lineNumber?: number;
  readonly what?: string;
}

export class StockError extends Error {
  override readonly name = 'StockError';
  readonly reason: StockReason;
  readonly code: 'ENOSPC' | undefined;
  /** The line of a bad item: counts from 1, empty lines too; in a list of items, the item's place. */
  readonly lineNumber: number;
  /** The end of the sentence "line 17 …" about a bad item. */
  readonly what: string;

  constructor(reason: StockReason, message = SENTENCES[reason] ?? '', options: StockErrorOptions = {}) {
    const { lineNumber = 0, what = message } = options;
    super(message, options);
    this.reason = reason;
    this.code = reason === 'full' ? 'ENOSPC' : undefined;
    this.lineNumber = lineNumber;
    this.what = what;
  }

  static is(error: unknown, ...reasons: readonly StockReason[]): error is StockError {
    return error instanceof StockError && reasons.includes(error.reason);
  }
}

export function badItem(lineNumber: number, what: string): StockError {
  return new StockError('bad-item', `line ${lineNumber} ${what}`, { lineNumber, what });
}

export function damagedRow(row: string, what: string, options?: ErrorOptions): StockError {
  return new StockError('damaged', `${row}: ${what}`, options);
}

/** An item that the product holds has no text on disk. */
export function missingItem(productId: number, item: number): StockError {
  return damagedRow(`product ${productId}`, `the text of item ${item} is missing`);
}

/** An upload's or a delivery's own trouble, which the thread that writes answers with. All else ends that thread. */
const ANSWERED_STOCK_ERRORS = [StockError, DamagedFileError];

/** Errors that the thread answers with; those of rows from another node as well. */
export const STOCK_THREAD_ERRORS = [...ANSWERED_STOCK_ERRORS, DamagedDataError];

export function isAnswered(error: unknown): error is Error {
  return ANSWERED_STOCK_ERRORS.some((type) => error instanceof type);
}
