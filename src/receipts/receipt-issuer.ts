/**
 * Makes receipts, when somebody asks for one: no purchase pays for it.
 *
 * Invariant: a receipt says how the order was at a durable position. The hashes of an order of many items are made in
 * slices, between which others have their turns, and of one such order at a time.
 */
import { randomBytes } from 'node:crypto';
import type { ItemRange } from '../engine/item-ranges.ts';
import { NO_ITEM, type Order } from '../engine/orders.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { itemHash } from '../persistence/stock/item-hash.ts';
import { Slices } from '../shared/slices.ts';
import { signJws } from './compact-jws.ts';
import { claimsOf, formerNumbers, type HashedItems, RECEIPT_TYPE } from './receipt-claims.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

const SALT_BYTES = 16;

export interface ReceiptIssuerOptions {
  readonly key: SigningKey;
  /** `KeyRing.shop` */
  readonly shop: string;
  /** The epoch of the journal now. */
  readonly epoch: () => number;
  /** The durable end of the journal. */
  readonly head: () => LogHead;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** The texts that an order delivers. Throws when they can't be read. */
  readonly textsOf: (order: Order) => Iterable<string>;
  /** Whether reading them takes long. */
  readonly areMany: (order: Order) => boolean;
  /** The texts of single items of own stock. Throws when they can't be read. */
  readonly textsOfItems: (productId: number, items: readonly number[]) => Iterable<string>;
  /** The numbers that an order took which took `count` items of own stock from `firstItem` on. */
  readonly itemsFrom: (productId: number, firstItem: number, count: number) => ItemRange[];
}

export class ReceiptIssuer {
  readonly #options: ReceiptIssuerOptions;
  /** Settles when the last large order has its receipt. */
  #large: Promise<unknown> = Promise.resolve();

  constructor(options: ReceiptIssuerOptions) {
    this.#options = options;
  }

  /** The public keys that prove what is issued. */
  get keys(): readonly PublicJwk[] {
    return [this.#options.key.jwk];
  }

  /** Not while nothing is charged for it: not paid yet, or failed. */
  hasReceipt({ status }: Order): boolean {
    return status === 'completed' || status === 'pending_delivery' || status === 'refunded';
  }

  /**
   * A compact JWS of at most `MAX_RECEIPT_BYTES`. `order` is durable as it is, and `hasReceipt`. Rejects with what
   * reading its texts throws.
   */
  async issue(order: Order): Promise<string> {
    const { key, shop, epoch, head, clock, itemsFrom } = this.#options;
    const { productId, firstItem, quantity } = order;
    const { position, hash } = head();
    const context = {
      shop,
      epoch: epoch(),
      position: { seq: position, hash: hash.toString('hex') },
      issuedAt: clock(),
    };
    const sold = firstItem === NO_ITEM ? [] : itemsFrom(productId, firstItem, quantity);
    const hashed = await this.#hashed(order);
    return signJws(key, RECEIPT_TYPE, JSON.stringify(claimsOf(order, sold, hashed, context)));
  }

  #hashed(order: Order): Promise<HashedItems> {
    if (!this.#options.areMany(order)) return this.#hashItems(order);
    const hashed = this.#large.then(() => this.#hashItems(order));
    this.#large = hashed.catch(() => undefined);
    return hashed;
  }

  async #hashItems(order: Order): Promise<HashedItems> {
    const { textsOf, textsOfItems } = this.#options;
    const isDelivered = order.status !== 'pending_delivery' && order.fileId === null;
    const former = formerNumbers(order);
    const salt = randomBytes(SALT_BYTES);
    const itemHashes = await hashesOf(isDelivered ? textsOf(order) : [], salt);
    const formerHashes = await hashesOf(textsOfItems(order.productId, former), salt);
    return {
      salt: salt.toString('base64url'),
      itemHashes,
      formerItems: former.map((item, index) => ({ item, hash: formerHashes[index] ?? '' })),
    };
  }
}

async function hashesOf(texts: Iterable<string>, salt: Buffer): Promise<string[]> {
  const hashes: string[] = [];
  const slices = new Slices();
  for (const text of texts) {
    hashes.push(itemHash(salt, text));
    if (slices.isFull) await slices.rest();
  }
  return hashes;
}
