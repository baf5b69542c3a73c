/**
 * Finds the items of own stock that a receipt says an order had: their numbers and texts.
 *
 * Invariant: an item is found when its text has the hash that the receipt has, and when nobody else has it. Mostly it
 * lies under the number that the receipt says. If not, it may lie under another: its upload was lost and came again,
 * its supplier delivered it again, or the gap had taken it off the shelf and uploaded it anew. So all that nobody has
 * is looked through, what came after the restore first, up to a limit; who is told of that limit is told what it means.
 * One item is found for one receipt at a time, and one receipt at a time searches.
 */

import type { History } from '../engine/decide/history.ts';
import { lotsOf } from '../engine/decide/lot-lookup.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import type { ReceiptClaims } from '../receipts/receipt-claims.ts';
import { ownTick } from '../shared/event-loop.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { allWanted, Search, type SoldItems, type SoldWanted, type Wanted } from './item-search.ts';

/** How many items that came since the restore are looked at for one receipt: that takes about two seconds. */
const MAX_SEARCHED_ITEMS = 500_000;
/**
 * The number of items from before the restore that are looked at for one receipt: each receipt of a lost upload pays
 * for it.
 */
const MAX_SEARCHED_OF_BEFORE = 50_000;
/** For what a supplier delivered, whose late answer may have put it into own stock since. */
const MAX_SEARCHED_FOR_SUPPLIED = 20_000;
const LOTS_AT_ONCE = 100;
/** Takes about a millisecond. */
const LOOKS_AT_ONCE = 256;

export class SoldItemsFinder {
  readonly #engine: Engine;
  readonly #history: History;
  readonly #stock: StockStore;
  /** Found for receipts whose orders are not recovered yet. */
  readonly #taken = new Set<string>();
  readonly #searches = new Semaphore(1);

  constructor(engine: Engine, history: History, stock: StockStore) {
    this.#engine = engine;
    this.#history = history;
    this.#stock = stock;
  }

  /** Rejects with `StockError` when a text can't be read. */
  async find(claims: ReceiptClaims, wanted: SoldWanted): Promise<SoldItems> {
    const search = new Search(claims);
    const all = allWanted(claims, wanted);
    try {
      const rest = await this.#amongIts(claims, search, all, wanted.has);
      for (const each of rest) {
        if (each.item === undefined) search.miss(each);
        else this.#look(claims, search, each.item, each);
        if (search.slices.isFull) await search.slices.rest();
      }
      if (search.overtaken > 0) await this.#amongRecovered(claims, search);
      if (search.missing > 0) await this.#searches.run(() => this.#amongFree(claims, search, rest));
    } catch (error) {
      this.#letGo(claims.productId, search);
      throw error;
    }
    return { ...search.found, letGo: () => this.#letGo(claims.productId, search) };
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
      if (search.slices.isFull) await search.slices.rest();
    }
    return [...left];
  }

  /** Items that the order shows no longer, and that a recovered order has, are there: they are not missing. */
  async #amongRecovered({ productId }: ReceiptClaims, search: Search): Promise<void> {
    const recovered = this.#engine.state.stock.lost(productId)?.recovered.list ?? [];
    let left = MAX_SEARCHED_FOR_SUPPLIED;
    for (const { firstItem, count } of [...recovered]) {
      for (let item = firstItem; item < firstItem + count; item += 1) {
        const text = this.#textOf(productId, item);
        if (text !== undefined) search.takeMissing(search.hashOf(text), true);
        if (search.slices.isFull) await search.slices.rest();
        left -= 1;
        if (search.overtaken === 0 || left === 0) return;
      }
    }
  }

  async #amongFree(claims: ReceiptClaims, search: Search, wanted: readonly Wanted[]): Promise<void> {
    const { productId, epoch } = claims;
    const { epochs, stock } = this.#engine.state;
    const begun = epochs.list.find((later) => later.epoch > epoch);
    if (begun === undefined) return;
    const { end } = stock.of(productId);
    const wasInStock = wanted.some(({ item }) => item !== undefined);
    const since = await this.#firstSince(productId, begun.atMs, end - MAX_SEARCHED_ITEMS);
    const most = wasInStock ? MAX_SEARCHED_ITEMS : MAX_SEARCHED_FOR_SUPPLIED;
    await this.#amongNumbers(claims, search, since, end, most);
    if (wasInStock) await this.#amongNumbers(claims, search, 0, since, MAX_SEARCHED_OF_BEFORE);
  }

  /** Nobody has these, and they are numbers from `from` to `to - 1`. */
  async #amongNumbers(
    claims: ReceiptClaims,
    search: Search,
    from: number,
    to: number,
    most: number,
  ): Promise<void> {
    let left = most;
    for (let at = from; search.missing > 0; ) {
      const free = this.#engine.state.stock.recoverableFrom(claims.productId, at);
      if (free === undefined || free.firstItem >= to) return;
      if (left === 0) {
        search.isCut = true;
        return;
      }
      // Few at a time: while others have their turns, somebody may get some of them.
      at = Math.min(to, free.firstItem + Math.min(free.count, left, LOOKS_AT_ONCE));
      left -= at - free.firstItem;
      for (let item = free.firstItem; item < at && search.missing > 0; item += 1)
        this.#look(claims, search, item);
      await search.slices.rest();
    }
  }

  /** A number below those of all that came since; or `least`, from which on there are enough. */
  async #firstSince(productId: number, sinceMs: number, least: number): Promise<number> {
    for (let before = Number.MAX_SAFE_INTEGER; before > least; ) {
      const lots = lotsOf(this.#engine.state, this.#history, productId, before, LOTS_AT_ONCE);
      const old = lots.find(({ addedAtMs }) => addedAtMs < sinceMs);
      if (old !== undefined) return old.firstItem + old.count;
      const last = lots.at(-1);
      if (last === undefined) return 0;
      before = last.firstItem;
      await ownTick();
    }
    return Math.max(0, least);
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

  #letGo(productId: number, { taken }: Search): void {
    for (const item of taken) this.#taken.delete(nameOf(productId, item));
  }
}

function nameOf(productId: number, item: number): string {
  return `${productId} ${item}`;
}
