/**
 * What can go wrong with item texts, and how it crosses from the intake's thread to the main one: a thrown
 * error loses its class on the way, so each is sent as its class's name and what it was made of.
 */

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

/** An error on its way between the threads. */
export type SentError =
  | readonly ['BadItemError', number, string]
  | readonly ['TooManyItemsError', number]
  | readonly ['DamagedRowError', string, string]
  | readonly ['MissingItemError', number, number]
  | readonly ['StockFullError']
  | readonly ['StockWriteError', string];

/** Undefined for an error that isn't an upload's own trouble. */
export function packError(error: unknown): SentError | undefined {
  if (error instanceof BadItemError) return [error.name, error.lineNumber, error.what];
  if (error instanceof TooManyItemsError) return [error.name, error.limit];
  if (error instanceof DamagedRowError) return [error.name, error.row, error.what];
  if (error instanceof MissingItemError) return [error.name, error.productId, error.item];
  if (error instanceof StockFullError) return [error.name];
  if (error instanceof StockWriteError) return [error.name, error.what];
  return undefined;
}

export function unpackError(sent: SentError): Error {
  switch (sent[0]) {
    case 'BadItemError':
      return new BadItemError(sent[1], sent[2]);
    case 'TooManyItemsError':
      return new TooManyItemsError(sent[1]);
    case 'DamagedRowError':
      return new DamagedRowError(sent[1], sent[2]);
    case 'MissingItemError':
      return new MissingItemError(sent[1], sent[2]);
    case 'StockFullError':
      return new StockFullError();
    case 'StockWriteError':
      return new StockWriteError(sent[1]);
  }
}
