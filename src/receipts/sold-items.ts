/**
 * Finds the items of own stock that a receipt says an order had: their numbers and texts.
 *
 * What always holds: an item is found when its text has the hash that the receipt has, and when nobody else has it. Mostly
 * it lies under the number that the receipt says. Items whose upload was lost with the gap may have come again since, under
 * other numbers: so the lots that came after the restore are looked through, also for what a supplier delivered in the gap,
 * and again after it. One item is found for one receipt at a time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import type { History } from '../engine/history.ts';
import { type ItemRange, ItemRanges } from '../engine/item-ranges.ts';
import { lotsOf } from '../engine/lot-lookup.ts';
import { itemHash } from '../persistence/stock/owed-texts.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import type { FormerItem, ReceiptClaims } from './receipt-claims.ts';

/** Takes about a millisecond. */
const LOOKS_AT_ONCE = 256;
/** How many items of later lots are looked at for one receipt: that takes about two seconds. */
const MAX_SEARCHED_ITEMS = 500_000;
/** The same for what a supplier delivered, whose late answer may have put it into own stock since. */
const MAX_SEARCHED_FOR_SUPPLIED = 20_000;
const LOTS_AT_ONCE = 100;

export interface SoldItems {
  /** Of the places whose item was found, all that were wanted or fewer. */
  readonly texts: ReadonlyMap<number, string>;
  /** Their numbers in own stock. */
  readonly numbers: ReadonlyMap<number, number>;
  /** Of what was found, all that the order doesn't have yet, former items, too; ascending. */
  readonly items: readonly ItemRange[];
  /** Former items that weren't found, and that nobody has. */
  readonly missingFormer: readonly FormerItem[];
  /** Others may find them again. */
  release(): void;
}

/** What of a receipt is looked for. */
export interface SoldWanted {
  /** Places of the order. */
  readonly places: readonly number[];
  /** Items that others took the places of. */
  readonly former: readonly FormerItem[];
  /** Numbers of items that the order has already: these are looked at first. */
  readonly has: readonly number[];
}

interface Wanted {
  readonly hash: string;
  /** Of the shelf where it was sold; undefined when that isn't known. */
  readonly item: number | undefined;
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
  async find(claims: ReceiptClaims, wanted: SoldWanted): Promise<SoldItems> {
    const search = new Search(claims);
    const all = allWanted(claims, wanted);
    try {
      const rest = await this.#amongIts(claims, search, all, wanted.has);
      for (const each of rest) {
        if (each.item === undefined) search.miss(each);
        else this.#look(claims, search, each.item, each);
        if (search.isPauseDue) await nextTurn();
      }
      if (search.missing > 0) await this.#amongLaterItems(claims, search, rest);
    } catch (error) {
      this.#release(claims.productId, search);
      throw error;
    }
    return { ...search.found, release: () => this.#release(claims.productId, search) };
  }

  /** The order's own: they were found for an earlier receipt. Returns what is wanted still. */
  async #amongIts(
    { productId }: ReceiptClaims,
    search: Search,
    all: readonly Wanted[],
    has: readonly number[],
  ): Promise<readonly Wanted[]> {
    if (has.length === 0) return all;
    const left = new Set(all);
    const byHash = new Map<string, Wanted[]>();
    for (const one of all) byHash.set(one.hash, [...(byHash.get(one.hash) ?? []), one]);
    for (const item of has) {
      const text = this.#textOf(productId, item);
      const one = text === undefined ? undefined : byHash.get(search.hashOf(text))?.shift();
      if (text !== undefined && one !== undefined) {
        search.has(item, one, text);
        left.delete(one);
      }
      if (search.isPauseDue) await nextTurn();
    }
    return [...left];
  }

  async #amongLaterItems(claims: ReceiptClaims, search: Search, wanted: readonly Wanted[]): Promise<void> {
    const { productId, epoch } = claims;
    const begun = this.#engine.state.epochs.list.find((later) => later.epoch > epoch);
    if (begun === undefined) return;
    const wasInStock = wanted.some(({ item }) => item !== undefined);
    let left = wasInStock ? MAX_SEARCHED_ITEMS : MAX_SEARCHED_FOR_SUPPLIED;
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
    const isFree = this.#isFree(productId, item);
    const isAsked = isFree || (wanted !== undefined && wanted.place === undefined);
    const text = isAsked ? this.#textOf(productId, item) : undefined;
    const hash = text === undefined ? undefined : search.hashOf(text);
    // A former item that is gone is an order's already.
    if (!isFree && wanted !== undefined && hash === wanted.hash) return;
    const isIt = isFree && (wanted === undefined || hash === wanted.hash);
    const found = hash !== undefined && isIt ? (wanted ?? search.takeMissing(hash)) : undefined;
    if (text !== undefined && found !== undefined) {
      this.#taken.add(nameOf(productId, item));
      search.add(item, found, text);
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
    return item < end ? this.#stock.readItems(productId, item, 1, end)[0] : undefined;
  }

  #release(productId: number, { taken }: Search): void {
    for (const item of taken) this.#taken.delete(nameOf(productId, item));
  }
}

/** What was found for one receipt, and what is still missing. */
class Search {
  readonly taken: number[] = [];
  readonly #texts = new Map<number, string>();
  readonly #numbers = new Map<number, number>();
  readonly #items = new ItemRanges();
  readonly #missing = new Map<string, Wanted[]>();
  readonly #salt: Buffer;
  #looks = 0;
  missing = 0;

  constructor({ salt }: ReceiptClaims) {
    this.#salt = Buffer.from(salt, 'base64url');
  }

  get found(): Omit<SoldItems, 'release'> {
    const missingFormer = Array.from(this.#missing.values())
      .flat()
      .filter(({ place }) => place === undefined)
      .map(({ item = 0, hash }) => ({ item, hash }));
    return { texts: this.#texts, numbers: this.#numbers, items: this.#items.list, missingFormer };
  }

  hashOf(text: string): string {
    return itemHash(this.#salt, text);
  }

  get isPauseDue(): boolean {
    this.#looks += 1;
    return this.#looks % LOOKS_AT_ONCE === 0;
  }

  /** Nobody has it. */
  add(item: number, wanted: Wanted, text: string): void {
    this.taken.push(item);
    this.#items.add({ firstItem: item, count: 1 });
    this.has(item, wanted, text);
  }

  /** The order has it. */
  has(item: number, { place }: Wanted, text: string): void {
    if (place === undefined) return;
    this.#numbers.set(place, item);
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

function allWanted({ items, itemHashes }: ReceiptClaims, { places, former }: SoldWanted): Wanted[] {
  const numbers = new Map<number, number>();
  for (const { place, firstItem, count } of items) {
    for (let at = 0; at < count; at += 1) numbers.set(place + at, firstItem + at);
  }
  return [
    ...places.map((place) => ({ place, item: numbers.get(place), hash: itemHashes[place] ?? '' })),
    ...former.map(({ item, hash }) => ({ place: undefined, item, hash })),
  ];
}

function nameOf(productId: number, item: number): string {
  return `${productId} ${item}`;
}
