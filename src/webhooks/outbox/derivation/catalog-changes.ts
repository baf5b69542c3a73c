/**
 * The changes of the catalog in the open group: for whom each product looks another way than before.
 *
 * Accounts that have the same list and no own price of a product see it the same, so a change is looked at once for each
 * list that an account has. An account is told by itself, in this group, once it was given another list or own prices, or
 * has an own price of a product that changes; it begins with what its list was told so far.
 */
import type { FactOf } from '../../../engine/fact.ts';
import { type BuyerViews, NOBODY } from './buyer-views.ts';
import type { OpenEventGroup } from './open-event-group.ts';

export interface CatalogChangesOptions {
  readonly views: BuyerViews;
  readonly group: OpenEventGroup;
}

export class CatalogChanges {
  readonly #views: BuyerViews;
  readonly #group: OpenEventGroup;
  /** The products that two lists show in different ways: many accounts are given another list at once. */
  #apart = { key: '', productIds: [] as readonly number[] };

  constructor({ views, group }: CatalogChangesOptions) {
    this.#views = views;
    this.#group = group;
  }

  /** Makes a change of products that some see: all, or those who have one list. Not of own prices. */
  change(productIds: readonly number[], listId: number | 'all', atMs: number, make: () => void): void {
    const [views, group] = [this.#views, this.#group];
    if (listId !== 'all' && !views.hasAccounts(listId)) return make();
    const lists = listId === 'all' ? views.lists : [listId];
    const ownersOf = new Map(
      productIds.map((productId) => {
        const owners = [...views.ownersOf(productId)];
        const meant = owners.filter((owner) => listId === 'all' || views.listOf(owner) === listId);
        for (const owner of meant) this.#watch(owner);
        return [productId, meant];
      }),
    );
    const looks = () =>
      productIds.map((productId) => ({
        ofLists: lists.map((list) => views.viewOf(NOBODY, list, productId)),
        ofOwners: ownersOf.get(productId)?.map((owner) => this.#viewOf(owner, productId)),
      }));
    const before = looks();
    make();
    for (const [index, { ofLists, ofOwners }] of looks().entries()) {
      const productId = productIds[index] ?? 0;
      const changed = new Set(lists.filter((_, at) => ofLists[at] !== before[index]?.ofLists[at]));
      for (const list of changed) group.addOfList(list, productId, atMs);
      if (changed.size > 0) this.#tellWatched(productId, changed, atMs);
      for (const [at, owner] of ownersOf.get(productId)?.entries() ?? [])
        if (ofOwners?.[at] !== before[index]?.ofOwners?.[at]) group.addOf(owner, productId, atMs);
    }
    group.tidy();
  }

  /** A name changes nothing that buyers see. */
  changeList({ priceListId, profile, before, atMs }: FactOf<'PriceListUpdated'>): void {
    const products = before?.percent === undefined ? [] : [...this.#views.products];
    this.change(products, priceListId, atMs, () => this.#views.setPercent(priceListId, profile.percent));
  }

  changePrices({ priceListId, accountId = 0, prices, atMs }: FactOf<'PricesChanged'>): void {
    const views = this.#views;
    const productIds = prices.map(({ productId }) => productId);
    const set = () => {
      for (const { productId, price } of prices) {
        if (priceListId === undefined) views.setOwnPrice(accountId, productId, price);
        else views.setListPrice(priceListId, productId, price);
      }
    };
    if (priceListId !== undefined) return this.change(productIds, priceListId, atMs, set);
    const before = productIds.map((productId) => this.#viewOf(accountId, productId));
    this.#watch(accountId);
    set();
    for (const [at, productId] of productIds.entries())
      if (this.#viewOf(accountId, productId) !== before[at]) this.#group.addOf(accountId, productId, atMs);
    this.#group.tidy();
  }

  /** Gives an account another list. Products with an own price of it look as before. */
  moveTo(accountId: number, listId: number, atMs: number): void {
    const views = this.#views;
    const before = views.listOf(accountId);
    if (before === listId) return;
    this.#watch(accountId);
    for (const productId of this.#productsApart(before, listId))
      if (!views.ownersOf(productId).has(accountId)) this.#group.addOf(accountId, productId, atMs);
    views.setListOf(accountId, listId, false);
    this.#group.tidy();
  }

  #productsApart(one: number, other: number): readonly number[] {
    const views = this.#views;
    const key = `${one} ${other} ${views.version}`;
    if (this.#apart.key !== key) {
      const isApart = (productId: number) =>
        views.viewOf(NOBODY, one, productId) !== views.viewOf(NOBODY, other, productId);
      this.#apart = { key, productIds: [...views.products].filter(isApart) };
    }
    return this.#apart.productIds;
  }

  /** Tells of a product that looks another way to some lists those accounts of them that are told by themselves. */
  #tellWatched(productId: number, lists: ReadonlySet<number>, atMs: number): void {
    const owners = this.#views.ownersOf(productId);
    for (const accountId of this.#group.watched)
      if (lists.has(this.#views.listOf(accountId)) && !owners.has(accountId))
        this.#group.addOf(accountId, productId, atMs);
  }

  #viewOf(accountId: number, productId: number): string | undefined {
    return this.#views.viewOf(accountId, this.#views.listOf(accountId), productId);
  }

  /** Tells the account by itself from now on. */
  #watch(accountId: number): void {
    const [views, group] = [this.#views, this.#group];
    if (!group.isWatched(accountId)) group.watch(accountId, group.catalogOfList(views.listOf(accountId)));
  }
}
