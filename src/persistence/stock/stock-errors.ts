/** Errors of item texts. */
import { DamagedDataError } from '../codec/byte-reader.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';

/** An item that can't be sold as it was sent: the whole upload is refused, nothing of it is visible. */
export class BadItemError extends Error {
  override readonly name = 'BadItemError';
  /** Counts from 1, empty lines too; in a list of items, the item's place. */
  readonly lineNumber: number;
  readonly what: string;

  /** `what` completes the sentence "line 17 …". */
  constructor(lineNumber: number, what: string) {
    super(`line ${lineNumber} ${what}`);
    this.lineNumber = lineNumber;
    this.what = what;
  }
}

/**
 * Items that can't be taken as a whole: too many or too much of them, or a table without the column. The message is for
 * the sender.
 */
export class UnfitItemsError extends Error {
  override readonly name = 'UnfitItemsError';
}

/** A row of the stock file is missing, or is not what was written. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';

  constructor(row: string, what: string, options?: ErrorOptions) {
    super(`${row}: ${what}`, options);
  }
}

/** An item that the product holds has no text on disk. */
export function missingItem(productId: number, item: number): DamagedRowError {
  return new DamagedRowError(`product ${productId}`, `the text of item ${item} is missing`);
}

/** No room on the disk. The upload may be sent again when there is room. */
export class StockFullError extends Error {
  override readonly name = 'StockFullError';
  readonly code = 'ENOSPC';

  constructor() {
    super('the disk is full: no items can be added');
  }
}

/** The file may not grow further: a limit of the process or of the file system. */
export class StockFileLimitError extends Error {
  override readonly name = 'StockFileLimitError';
}

/** Too many uploads wait for this product, or for any. */
export class IntakeQueueFullError extends Error {
  override readonly name = 'IntakeQueueFullError';

  constructor() {
    super('too many uploads of items are waiting');
  }
}

export class StockClosedError extends Error {
  override readonly name = 'StockClosedError';

  constructor() {
    super('the store of item texts is closed');
  }
}

/** An upload's or a delivery's own trouble, which the thread that writes answers with. All else ends that thread. */
export const ANSWERED_STOCK_ERRORS = [
  BadItemError,
  UnfitItemsError,
  DamagedRowError,
  StockFullError,
  StockFileLimitError,
  DamagedFileError,
];

/** Errors that the thread answers with; those of rows from another node as well. */
export const STOCK_THREAD_ERRORS = [...ANSWERED_STOCK_ERRORS, DamagedDataError];

export function isAnswered(error: unknown): error is Error {
  return ANSWERED_STOCK_ERRORS.some((type) => error instanceof type);
}
