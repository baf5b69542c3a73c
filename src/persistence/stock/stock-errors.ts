/** What can go wrong with item texts. */

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

/** The product would come to hold more items, sold ones included, than there are numbers for. */
export class TooManyItemsError extends Error {
  override readonly name = 'TooManyItemsError';
  readonly limit: number;

  constructor(limit: number) {
    super(`a product holds at most ${limit} items over its life`);
    this.limit = limit;
  }
}

/** A row of the stock file is not what was written. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';
  readonly row: string;
  readonly what: string;

  constructor(row: string, what: string, options?: ErrorOptions) {
    super(`${row}: ${what}`, options);
    this.row = row;
    this.what = what;
  }
}

/** An item that the product holds has no text on disk. */
export class MissingItemError extends Error {
  override readonly name = 'MissingItemError';
  readonly productId: number;
  readonly item: number;

  constructor(productId: number, item: number) {
    super(`product ${productId} has no text for its item ${item}`);
    this.productId = productId;
    this.item = item;
  }
}

/** No room on the disk. Passes when there is; the upload has to be sent again. */
export class StockFullError extends Error {
  override readonly name = 'StockFullError';

  constructor() {
    super('the disk is full: no items can be added');
  }
}

/** The disk failed. The upload may be sent again. */
export class StockWriteError extends Error {
  override readonly name = 'StockWriteError';
  readonly what: string;

  constructor(what: string) {
    super(`items could not be written: ${what}`);
    this.what = what;
  }
}

/** Too many uploads wait for this product, or for any. */
export class IntakeQueueFullError extends Error {
  override readonly name = 'IntakeQueueFullError';

  constructor() {
    super('too many uploads of items are waiting');
  }
}

export class IntakeAbortedError extends Error {
  override readonly name = 'IntakeAbortedError';

  constructor() {
    super('the upload was aborted');
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
  TooManyItemsError,
  DamagedRowError,
  MissingItemError,
  StockFullError,
  StockWriteError,
];

export function isAnswered(error: unknown): error is Error {
  return ANSWERED_STOCK_ERRORS.some((type) => error instanceof type);
}
