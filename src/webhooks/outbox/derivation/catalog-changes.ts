/**
 * The changes of the catalog in the open group: for whom each product looks another way than before.
 *
 * Accounts that have the same list and no own prices are told the same, so a change is looked at once for each list that a
 * subscriber has. An account is looked at by itself, in this group, once it was given another list or own prices, or has an
 * own price of a product that changes; it begins with what its list was told so far.
 */
import type { FactOf } from '../../../engine/fact.ts';
import { type BuyerViews, NOBODY } from './buyer-views.ts';
import type { OpenEventGroup } from './open-event-group.ts';

/** One whose view of some products may change. */
interface Watcher {
  readonly accountId: number;
  readonly listId: number;
  /** Takes a product that it sees another way. */
  readonly tell: (productId: number) => void;
}

export interface CatalogChangesOptions {
  readonly views: BuyerViews;
  readonly group: OpenEventGroup;
  readonly hasWebhook: (accountId: number) => boolean;
}

export class CatalogChanges {
  readonly #options: CatalogChangesOptions;
  /** How many subscribers have each list, and none. */
  readonly #subscribersOf = new Map<number, number>();

  constructor(options: CatalogChangesOptions) {
    this.#options = options;
  }

  /** An account with this list has a webhook, or none any more. */
  count(listId: number, change: 1 | -1): void {
    const count = (this.#subscribersOf.get(listId) ?? 0) + change;
    if (count === 0) this.#subscribersOf.delete(listId);
    else this.#subscribersOf.set(listId, count);
  }

  /** Makes a change of products that some see: all, or those who have one list. */
  change(productIds: readonly number[], listId: number | 'all', atMs: number, make: () => void): void {
    if (this.#subscribersOf.size === 0) return make();
    const { views, hasWebhook } = this.#options;
    const isMeant = (accountId: number) =>
      hasWebhook(accountId) && (listId === 'all' || views.listOf(accountId) === listId);
    for (const productId of productIds)
      for (const owner of views.ownersOf(productId)) if (isMeant(owner)) this.#watch(owner);
    const lists = listId === 'all' ? [...this.#subscribersOf.keys()] : [listId];
    const watchers = [
      ...lists.filter((list) => this.#subscribersOf.has(list)).map((list) => this.#classOf(list, atMs)),
      ...this.#options.group.watched.filter(isMeant).map((accountId) => this.#single(accountId, atMs)),
    ];
    this.#compare(productIds, watchers, make);
  }

  /** A name changes nothing that buyers see. */
  changeList({ priceListId, profile, before, atMs }: FactOf<'PriceListUpdated'>): void {
    const { views } = this.#options;
    const products = before?.percent === undefined ? [] : [...views.products];
    this.change(products, priceListId, atMs, () => views.setPercent(priceListId, profile.percent));
  }

  changePrices({ priceListId, accountId = 0, prices, atMs }: FactOf<'PricesChanged'>): void {
    const { views } = this.#options;
    const productIds = prices.map(({ productId }) => productId);
    const set = () => {
      for (const { productId, price } of prices) {
        if (priceListId === undefined) views.setOwnPrice(accountId, productId, price);
        else views.setListPrice(priceListId, productId, price);
      }
    };
    if (priceListId === undefined) this.#changeOf(accountId, productIds, atMs, set);
    else this.change(productIds, priceListId, atMs, set);
  }

  /** Makes a change of what one account alone sees. */
  #changeOf(accountId: number, productIds: readonly number[], atMs: number, make: () => void): void {
    if (!this.#options.hasWebhook(accountId)) return make();
    this.#watch(accountId);
    this.#compare(productIds, [this.#single(accountId, atMs)], make);
  }

  /** Gives an account another list. */
  moveTo(accountId: number, listId: number, atMs: number): void {
    const { views, hasWebhook } = this.#options;
    const before = views.listOf(accountId);
    if (before === listId) return;
    const move = () => views.setListOf(accountId, listId);
    if (!hasWebhook(accountId)) return move();
    this.#watch(accountId);
    const told = this.#single(accountId, atMs).tell;
    const products = [...views.products];
    const was = products.map((productId) => views.viewOf(accountId, before, productId));
    move();
    for (const [at, productId] of products.entries())
      if (views.viewOf(accountId, listId, productId) !== was[at]) told(productId);
    this.count(before, -1);
    this.count(listId, 1);
    this.#options.group.tidy();
  }

  /** An account with own prices that subscribes is told of what happens from then on. */
  subscribed(accountId: number): void {
    const { views, group } = this.#options;
    if (!group.isEmpty && views.hasOwnPrices(accountId)) group.watch(accountId, []);
  }

  #compare(productIds: readonly number[], watchers: readonly Watcher[], make: () => void): void {
    const { views, group } = this.#options;
    const viewsNow = () =>
      watchers.map(({ accountId, listId }) =>
        productIds.map((productId) => views.viewOf(accountId, listId, productId)),
      );
    const before = viewsNow();
    make();
    for (const [at, after] of viewsNow().entries())
      for (const [index, view] of after.entries())
        if (view !== before[at]?.[index]) watchers[at]?.tell(productIds[index] ?? 0);
    group.tidy();
  }

  /** Looks at the account by itself from now on. */
  #watch(accountId: number): void {
    const { views, group } = this.#options;
    if (!group.isWatched(accountId)) group.watch(accountId, group.catalogOfList(views.listOf(accountId)));
  }

  #classOf(listId: number, atMs: number): Watcher {
    const tell = (productId: number) => this.#options.group.addOfList(listId, productId, atMs);
    return { accountId: NOBODY, listId, tell };
  }

  #single(accountId: number, atMs: number): Watcher {
    const { views, group } = this.#options;
    const tell = (productId: number) => group.addOf(accountId, productId, atMs);
    return { accountId, listId: views.listOf(accountId), tell };
  }
}
