/**
 * Items that an order of a gap delivered by its receipt, and that the node doesn't have: the salted hashes of their
 * texts.
 *
 * Invariant: an order has one of these at most, of the newest of its receipts that was taken in; whoever brings items
 * (an upload, a late delivery) has them compared with it before they are for sale, and who delivers the order again by
 * hand has to bring the same texts. Rejected: to look the receipt up in the journal, where a purchase's neighbours
 * would have to wait for it.
 */
export interface OutstandingItems {
  readonly orderId: number;
  /** Where the journal was when the receipt was made: a later one says more. */
  readonly epoch: number;
  readonly position: number;
  /** base64url */
  readonly salt: string;
  /** By place: the salted hash of each text (`itemHash`). None of them when all that is missing is `former`. */
  readonly itemHashes: readonly string[];
  /** The places whose items aren't there, ascending. */
  readonly missing: readonly number[];
  /** Hashes of items that others took the places of, and that aren't there either. */
  readonly former: readonly string[];
  /** The numbers of those of its items that are there. */
  readonly found: readonly number[];
}

/** How many hashes it takes to keep. */
export function hashCountOf({ itemHashes, former }: OutstandingItems): number {
  return itemHashes.length + former.length;
}

/** When the order has been delivered again. */
export function withoutItems(outstanding: OutstandingItems): OutstandingItems | undefined {
  return outstanding.former.length === 0
    ? undefined
    : { ...outstanding, itemHashes: [], missing: [], found: [] };
}

/** Whether a receipt that was made there is older than the one that says this. */
export function isNewerThan(
  { epoch, position }: OutstandingItems,
  made: { readonly epoch: number; readonly position: number },
): boolean {
  return epoch > made.epoch || (epoch === made.epoch && position > made.position);
}
