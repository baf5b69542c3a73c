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

/** A table has no such column, or more than one. The message is for the sender, and names those that there are. */
export class UnknownColumnError extends Error {
  override readonly name = 'UnknownColumnError';
}

/** The product would come to hold more items, sold ones included, than there are numbers for. */
export class TooManyItemsError extends Error {
  override readonly name = 'TooManyItemsError';

  constructor(limit: number) {
    super(`a product holds at most ${limit} items over its life`);
  }
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
  UnknownColumnError,
  TooManyItemsError,
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
