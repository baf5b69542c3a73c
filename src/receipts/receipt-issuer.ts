/**
 * Makes receipts, when somebody asks for one: no purchase pays for it.
 *
 * What always holds: a receipt says how the order was at a durable position. The hashes of an order of many
 * items are made in bites, between which others have their turns, and one such order at a time, so that the texts of
 * few are in memory.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemRange } from '../engine/item-ranges.ts';
import { NO_ITEM, type Order } from '../engine/orders.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { itemHash } from '../persistence/stock/item-hash.ts';
import { signJws } from './compact-jws.ts';
import { claimsOf, formerNumbers, type HashedItems, RECEIPT_TYPE } from './receipt-claims.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

const SALT_BYTES = 16;
/** Takes less than a millisecond. */
const HASHES_AT_ONCE = 512;

export interface ReceiptIssuerOptions {
  readonly key: SigningKey;
  /** `KeyRing.shop` */
  readonly shop: string;
  /** The epoch of the journal now. */
  readonly epoch: () => number;
  /** Of the journal: durable. */
  readonly head: () => LogHead;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** The texts that an order delivers. Throws when they can't be read. */
  readonly itemsOf: (order: Order) => string[];
  /** The texts of single items of own stock. Throws when they can't be read. */
  readonly textsOf: (productId: number, items: readonly number[]) => string[];
  /** What an order took that took `count` items of own stock from `firstItem` on. */
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
   * `itemsOf` throws.
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
    if (Math.max(order.quantity, order.textCount) <= HASHES_AT_ONCE) return this.#hashItems(order);
    const hashed = this.#large.then(() => this.#hashItems(order));
    this.#large = hashed.catch(() => undefined);
    return hashed;
  }

  async #hashItems(order: Order): Promise<HashedItems> {
    const { itemsOf, textsOf } = this.#options;
    const isDelivered = order.status !== 'pending_delivery' && order.fileId === null;
    const former = formerNumbers(order);
    const texts = isDelivered ? itemsOf(order) : [];
    const all = former.length === 0 ? texts : [...texts, ...textsOf(order.productId, former)];
    const salt = randomBytes(SALT_BYTES);
    const hashes: string[] = [];
    for (const text of all) {
      if (hashes.length > 0 && hashes.length % HASHES_AT_ONCE === 0) await nextTurn();
      hashes.push(itemHash(salt, text));
    }
    return {
      salt: salt.toString('base64url'),
      itemHashes: hashes.slice(0, texts.length),
      formerItems: former.map((item, index) => ({ item, hash: hashes[texts.length + index] ?? '' })),
    };
  }
}
