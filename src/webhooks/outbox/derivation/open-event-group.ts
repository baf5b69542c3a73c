/**
 * The group that is open: which products have changed, in the catalog or in stock, since its first change; and how long
 * groups last, as the journal says. None is open while it has no products.
 *
 * The catalog changes by list, for accounts that have it, and for some accounts by themselves (`catalog-changes.ts`). Stock
 * changes for all, and who can't see a product isn't told when the group closes.
 */
import type { EventGroupRow } from '../../../persistence/webhooks/outbox-rows.ts';

/** A group closes behind the fact that makes it this many products of one type: a body of some 60 KB. */
const MAX_PRODUCTS = 10_000;
/** So many, of all lists and of all accounts that are told by themselves, bound its memory and its row. */
const MAX_TOLD = 50_000;

const NONE = -1;

export class OpenEventGroup {
  /** By list; without those that have none. */
  readonly #ofLists: Map<number, Set<number>>;
  /** By account, of those that are looked at by themselves, if only to be told nothing. */
  readonly #ofAccounts: Map<number, Set<number>>;
  readonly #stock: Set<number>;
  /** How long groups last. */
  windowMs: number;
  /** The epoch of the fact that was added last. */
  epoch: number;
  /** The time of the fact that opened the group, Unix milliseconds. */
  #openedAtMs: number;
  /** Groups that were opened, so that each has a number here. */
  #groups = 1;
  /** The most products of a list or an account. */
  #most: number;
  /** How many of these have products. */
  #filled: number;
  /** The products of all lists and accounts. */
  #told: number;
  /** The product whose stock changed last. */
  #lastStock = NONE;

  constructor({ catalog, accounts, stock, openedAtMs, windowMs, epoch }: EventGroupRow) {
    this.#ofLists = new Map(catalog.map(([listId, products]) => [listId, new Set(products)]));
    this.#ofAccounts = new Map(accounts.map(([accountId, products]) => [accountId, new Set(products)]));
    this.#stock = new Set(stock);
    const sizes = [...catalog, ...accounts].map(([, products]) => products.length);
    this.#most = Math.max(0, ...sizes);
    this.#filled = sizes.filter((size) => size > 0).length;
    this.#told = sizes.reduce((sum, size) => sum + size, 0);
    this.#openedAtMs = openedAtMs;
    this.windowMs = windowMs;
    this.epoch = epoch;
  }

  get row(): EventGroupRow {
    const catalog = Array.from(this.#ofLists, ([listId, products]) => [listId, [...products]] as const);
    const accounts = Array.from(this.#ofAccounts, ([id, products]) => [id, [...products]] as const);
    const { windowMs, epoch } = this;
    return { catalog, accounts, stock: [...this.#stock], openedAtMs: this.#openedAtMs, windowMs, epoch };
  }

  get stock(): readonly number[] {
    return [...this.#stock];
  }

  /** Another number for each group; undefined while none is open. */
  get openEventGroup(): number | undefined {
    return this.isEmpty ? undefined : this.#groups;
  }

  get isEmpty(): boolean {
    return this.#filled === 0 && this.#stock.size === 0;
  }

  /** Whether the group closes behind the fact that was added last. */
  get isFull(): boolean {
    const isLong = Math.max(this.#most, this.#stock.size) >= MAX_PRODUCTS;
    return isLong || this.#told >= MAX_TOLD || this.windowMs === 0;
  }

  /**
   * Whether a window has passed by `atMs`; also when the wall clock was set back: nobody knows when it will be a window
   * later again.
   */
  isOver(atMs: number): boolean {
    const passedMs = atMs - this.#openedAtMs;
    return passedMs >= this.windowMs || passedMs < 0;
  }

  /** The accounts that are told by themselves. */
  get watched(): number[] {
    return [...this.#ofAccounts.keys()];
  }

  isWatched(accountId: number): boolean {
    return this.#ofAccounts.has(accountId);
  }

  /** Looks at the account by itself; it has been told of these so far. */
  watch(accountId: number, products: readonly number[]): void {
    this.#told += products.length;
    this.#ofAccounts.set(accountId, new Set(products));
    if (products.length > 0) this.#filled += 1;
  }

  /** The lists that have products. */
  get lists(): number[] {
    return [...this.#ofLists.keys()];
  }

  /** Products are in the order of their latest change, here and below. */
  catalogOfList(listId: number): readonly number[] {
    return [...(this.#ofLists.get(listId) ?? [])];
  }

  /** Undefined for an account that isn't told by itself. */
  catalogOf(accountId: number): readonly number[] | undefined {
    const products = this.#ofAccounts.get(accountId);
    return products && [...products];
  }

  addOfList(listId: number, productId: number, atMs: number): void {
    const products = this.#ofLists.get(listId) ?? new Set();
    this.#ofLists.set(listId, products);
    this.#add(products, productId, atMs);
  }

  addOf(accountId: number, productId: number, atMs: number): void {
    const products = this.#ofAccounts.get(accountId);
    if (products !== undefined) this.#add(products, productId, atMs);
  }

  addStock(productId: number, atMs: number): void {
    // Most sales follow one of the same product.
    if (productId === this.#lastStock) return;
    this.#lastStock = productId;
    this.#open(atMs);
    this.#stock.delete(productId);
    this.#stock.add(productId);
  }

  /** Forgets whom it looks at while there is nothing to tell. */
  tidy(): void {
    if (!this.isEmpty) return;
    this.#ofAccounts.clear();
  }

  clear(): void {
    this.#ofLists.clear();
    this.#ofAccounts.clear();
    this.#stock.clear();
    this.#most = 0;
    this.#filled = 0;
    this.#told = 0;
    this.#lastStock = NONE;
  }

  #add(products: Set<number>, productId: number, atMs: number): void {
    this.#open(atMs);
    if (products.size === 0) this.#filled += 1;
    if (!products.delete(productId)) this.#told += 1;
    products.add(productId);
    this.#most = Math.max(this.#most, products.size);
  }

  #open(atMs: number): void {
    if (!this.isEmpty) return;
    this.#openedAtMs = atMs;
    this.#groups += 1;
  }
}
