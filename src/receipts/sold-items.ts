/**
 * Finds the items of own stock that a receipt says an order had: their numbers and texts.
 *
 * What always holds: an item is found when its text has the hash that the receipt has, and when nobody else has it. Mostly
 * it lies under the number that the receipt says. Items whose upload was lost with the gap may have come again since, under
 * other numbers: so the lots that came after the restore are looked through. One item is found for one
 * receipt at a time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import type { History } from '../engine/history.ts';
import { type ItemRange, ItemRanges } from '../engine/item-ranges.ts';
import { lotsOf } from '../engine/lot-lookup.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { itemHash, type ReceiptClaims } from './receipt-claims.ts';

/** Takes about a millisecond. */
const LOOKS_AT_ONCE = 256;
/** How many items of later lots are looked at for one receipt: that takes about two seconds. */
const MAX_SEARCHED_ITEMS = 500_000;
const LOTS_AT_ONCE = 100;

export interface SoldItems {
  /** Of the places whose item was found, all that are of own stock or fewer. */
  readonly texts: ReadonlyMap<number, string>;
  /** Of those, ascending. */
  readonly items: readonly ItemRange[];
  /** Items that others took the places of, as far as they were found. */
  readonly formerItems: readonly ItemRange[];
  /** Others may find them again. */
  release(): void;
}

interface Wanted {
  readonly hash: string;
  /** Undefined of a former item. */
  readonly place: number | undefined;
}

export class SoldItemsFinder {
  readonly #engine: Engine;
  readonly #history: History;
  readonly #stock: StockStore;
  /** Found for receipts whose orders are not recovered yet. */
  readonly #taken = new Set<string>();

  constructor(engine: Engine, history: History, stock: StockStore) {
    this.#engine = engine;
    this.#history = history;
    this.#stock = stock;
  }

  /** Rejects with `DamagedRowError` when a text can't be read. */
  async find(claims: ReceiptClaims): Promise<SoldItems> {
    const search = new Search(claims);
    try {
      await this.#atTheirNumbers(claims, search);
      if (search.missing > 0) await this.#amongLaterItems(claims, search);
    } catch (error) {
      this.#release(claims.productId, search);
      throw error;
    }
    return { ...search.found, release: () => this.#release(claims.productId, search) };
  }

  async #atTheirNumbers(claims: ReceiptClaims, search: Search): Promise<void> {
    const { items, itemHashes, formerItems = [] } = claims;
    for (const { place, firstItem, count } of items) {
      for (let at = 0; at < count; at += 1) {
        const wanted = { hash: itemHashes[place + at] ?? '', place: place + at };
        this.#look(claims, search, firstItem + at, wanted);
        if (search.isPauseDue) await nextTurn();
      }
    }
    for (const { item, hash } of formerItems) {
      this.#look(claims, search, item, { hash, place: undefined });
      if (search.isPauseDue) await nextTurn();
    }
  }

  async #amongLaterItems(claims: ReceiptClaims, search: Search): Promise<void> {
    const { productId, epoch } = claims;
    const begun = this.#engine.state.epochs.list.find((later) => later.epoch > epoch);
    if (begun === undefined) return;
    let left = MAX_SEARCHED_ITEMS;
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const lots = lotsOf(this.#engine.state, this.#history, productId, before, LOTS_AT_ONCE);
      for (const { firstItem, count, addedAtMs } of lots) {
        if (addedAtMs < begun.atMs) return;
        for (let item = firstItem; item < firstItem + count; item += 1) {
          this.#look(claims, search, item);
          if (search.isPauseDue) await nextTurn();
          left -= 1;
          if (search.missing === 0 || left === 0) return;
        }
      }
      const last = lots.at(-1);
      if (last === undefined) return;
      before = last.firstItem;
    }
  }

  /** At one item, for what is wanted, or for anything that is missing. */
  #look({ productId }: ReceiptClaims, search: Search, item: number, wanted?: Wanted): void {
    const text = this.#isFree(productId, item) ? this.#textOf(productId, item) : undefined;
    const hash = text === undefined ? undefined : search.hashOf(text);
    const isIt = wanted === undefined || hash === wanted.hash;
    const place = hash !== undefined && isIt ? (wanted ?? search.takeMissing(hash)) : undefined;
    if (text !== undefined && place !== undefined) {
      this.#taken.add(nameOf(productId, item));
      search.add(item, place, text);
    } else if (wanted !== undefined) search.miss(wanted);
  }

  #isFree(productId: number, item: number): boolean {
    const { stock } = this.#engine.state;
    return (
      stock.isRecoverable(productId, { firstItem: item, count: 1 }) &&
      !this.#taken.has(nameOf(productId, item))
    );
  }

  #textOf(productId: number, item: number): string | undefined {
    const { end } = this.#engine.state.stock.of(productId);
    return this.#stock.readItems(productId, item, 1, end)[0];
  }

  #release(productId: number, { taken }: Search): void {
    for (const item of taken) this.#taken.delete(nameOf(productId, item));
  }
}

/** What was found for one receipt, and what is still missing. */
class Search {
  readonly taken: number[] = [];
  readonly #texts = new Map<number, string>();
  readonly #items = new ItemRanges();
  readonly #formerItems = new ItemRanges();
  readonly #missing = new Map<string, Wanted[]>();
  readonly #salt: Buffer;
  #looks = 0;
  missing = 0;

  constructor({ salt }: ReceiptClaims) {
    this.#salt = Buffer.from(salt, 'base64url');
  }

  get found(): Omit<SoldItems, 'release'> {
    return { texts: this.#texts, items: this.#items.list, formerItems: this.#formerItems.list };
  }

  hashOf(text: string): string {
    return itemHash(this.#salt, text);
  }

  get isPauseDue(): boolean {
    this.#looks += 1;
    return this.#looks % LOOKS_AT_ONCE === 0;
  }

  add(item: number, { place }: Wanted, text: string): void {
    this.taken.push(item);
    const range = { firstItem: item, count: 1 };
    if (place === undefined) return this.#formerItems.add(range);
    this.#items.add(range);
    this.#texts.set(place, text);
  }

  miss(wanted: Wanted): void {
    this.missing += 1;
    const others = this.#missing.get(wanted.hash);
    if (others === undefined) this.#missing.set(wanted.hash, [wanted]);
    else others.push(wanted);
  }

  /** What has this hash and was not found yet. */
  takeMissing(hash: string): Wanted | undefined {
    const wanted = this.#missing.get(hash)?.shift();
    if (wanted !== undefined) this.missing -= 1;
    return wanted;
  }
}

function nameOf(productId: number, item: number): string {
  return `${productId} ${item}`;
}
