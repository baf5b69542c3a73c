/**
 * The views of buyers: what GET /products shows an account of a product, stock aside, as far as the facts have been read.
 * Price lists, prices, and which account has which list are kept as the facts say them, and each of them is told to the sink
 * to be written, since a start doesn't read the journal again.
 *
 * Invariant: who sees a product, and at which price, is asked of the engine's own rule (`price-rule.ts`), so a buyer is told
 * of a change exactly when his catalog has one. Accounts without own prices see the same by their list, so they are asked
 * for together, as account `NOBODY`.
 */
import { hash } from 'node:crypto';
import { ChangedRows } from '../../../engine/apply/changed-rows.ts';
import type { Price } from '../../../engine/pricing/price.ts';
import type { PriceList } from '../../../engine/pricing/price-lists.ts';
import { PriceRows } from '../../../engine/pricing/price-rows.ts';
import { isVisible, otherPrice, shownPrice } from '../../../engine/pricing/price-rule.ts';
import { catalogFields, type ProductProfile } from '../../../engine/products.ts';
import { NOT_THERE, type PricedKind } from '../../../persistence/webhooks/groups/pricing-before.ts';
import type { PricingRow } from '../../../persistence/webhooks/outbox-rows.ts';

/** The account of those that have no own prices, and the list of those that have none. */
export const NOBODY = 0;
export const NO_LIST = 0;

const NO_OWNERS: ReadonlySet<number> = new Set();

/** A product as far as its view follows from itself. */
interface Look {
  /** The digest of all that buyers see of it, but its price and stock. */
  readonly digest: string;
  /** False until a file product has its file. */
  readonly isReady: boolean;
  readonly active: boolean;
  readonly profile: Price & Pick<ProductProfile, 'visibility'>;
}

export interface ViewSink {
  look(productId: number, text: string): void;
  /** A row that is there from now on, or no more when its value is undefined. */
  pricing(row: PricingRow): void;
  /** A value that is another one from now on; see `PricingBefore`. */
  pricingBefore(kind: PricedKind, a: number, b: number, before: number): void;
}

export class BuyerViews {
  readonly #sink: ViewSink;
  readonly #looks: Map<number, Look>;
  readonly #priceLists = new Map<number, PriceList>();
  readonly #listPrices = new PriceRows(new ChangedRows());
  readonly #accountPrices = new PriceRows(new ChangedRows());
  readonly #listOf = new Map<number, number>();
  /** How many accounts have each list. */
  readonly #accountsOf = new Map<number, number>();
  /** Accounts with an own price, by product. */
  readonly #owners = new Map<number, Set<number>>();
  #version = 0;

  constructor(
    sink: ViewSink,
    looks: Iterable<[productId: number, text: string]>,
    rows: Iterable<PricingRow>,
  ) {
    this.#sink = sink;
    this.#looks = new Map(Array.from(looks, ([productId, text]) => [productId, JSON.parse(text) as Look]));
    for (const row of rows) this.#take(row);
  }

  /** The products that were ever there. */
  get products(): Iterable<number> {
    return this.#looks.keys();
  }

  /** Another number whenever somebody may see something another way, but for accounts that got another list. */
  get version(): number {
    return this.#version;
  }

  /** The lists that accounts have, and none. */
  get lists(): number[] {
    return [NO_LIST, ...this.#accountsOf.keys()];
  }

  hasAccounts(listId: number): boolean {
    return listId === NO_LIST || this.#accountsOf.has(listId);
  }

  listOf(accountId: number): number {
    return this.#listOf.get(accountId) ?? NO_LIST;
  }

  /** Accounts that have an own price of the product. */
  ownersOf(productId: number): ReadonlySet<number> {
    return this.#owners.get(productId) ?? NO_OWNERS;
  }

  hasOwnPrices(accountId: number): boolean {
    return this.#accountPrices.countOf(accountId) > 0;
  }

  /** A text that is the same exactly while the account sees the same; undefined while it sees nothing of the product. */
  viewOf(accountId: number, listId: number, productId: number): string | undefined {
    const look = this.#looks.get(productId);
    if (look === undefined || !isOnSale(look)) return undefined;
    const buyer = buyerOf(accountId, listId);
    const product = { productId, profile: look.profile };
    if (!isVisible(this.#pricing, buyer, product)) return undefined;
    const { priceMicros, priceTiers } = shownPrice(otherPrice(this.#pricing, buyer, product), product);
    return JSON.stringify([look.digest, priceMicros, priceTiers]);
  }

  /** Nobody sees a product that isn't. One that nobody knows is taken to be. */
  isOnSale(productId: number): boolean {
    const look = this.#looks.get(productId);
    return look === undefined || isOnSale(look);
  }

  /** Whether the account may see the product, on sale or not. A product that nobody knows is hidden from nobody. */
  isVisible(accountId: number, listId: number, productId: number): boolean {
    const look = this.#looks.get(productId);
    if (look === undefined) return true;
    return isVisible(this.#pricing, buyerOf(accountId, listId), { productId, profile: look.profile });
  }

  /** Whether some account may not see the product. */
  isListed(productId: number): boolean {
    return this.#looks.get(productId)?.profile.visibility === 'listed';
  }

  setProfile(productId: number, profile: ProductProfile): void {
    const isReady = profile.type !== 'file' || this.#looks.get(productId)?.isReady === true;
    const { active, priceMicros, priceTiers, visibility = 'all' } = profile;
    const look = { digest: digestOf(profile), isReady, active };
    this.#setLook(productId, { ...look, profile: { priceMicros, priceTiers, visibility } });
  }

  /** A file product goes on sale with its first file; another one changes nothing that the catalog says. */
  setFile(productId: number): void {
    const look = this.#looks.get(productId);
    if (look?.isReady === false) this.#setLook(productId, { ...look, isReady: true });
  }

  setPercent(priceListId: number, percent: number | null): void {
    this.#put({ kind: 'list', a: priceListId, b: 0, value: { percent } });
  }

  /** With all its prices. */
  deleteList(priceListId: number): void {
    for (const productId of [...this.#listPrices.pricesOf(priceListId).keys()])
      this.setListPrice(priceListId, productId, null);
    this.#put({ kind: 'list', a: priceListId, b: 0, value: undefined });
  }

  setListPrice(priceListId: number, productId: number, price: Price | null): void {
    this.#toldPresence('listPrice', this.#listPrices, priceListId, productId, price);
    this.#put({ kind: 'listPrice', a: priceListId, b: productId, value: price ?? undefined });
  }

  setOwnPrice(accountId: number, productId: number, price: Price | null): void {
    this.#toldPresence('ownPrice', this.#accountPrices, accountId, productId, price);
    this.#put({ kind: 'ownPrice', a: accountId, b: productId, value: price ?? undefined });
  }

  /** `isNew`: the account didn't exist before. */
  setListOf(accountId: number, priceListId: number, isNew: boolean): void {
    const before = isNew ? NOT_THERE : this.listOf(accountId);
    if (before === priceListId) return;
    this.#sink.pricingBefore('account', accountId, 0, before);
    if (isNew && priceListId === NO_LIST) return;
    const value = priceListId === NO_LIST ? undefined : { priceListId };
    this.#put({ kind: 'account', a: accountId, b: 0, value });
  }

  get #pricing() {
    return {
      priceLists: this.#priceLists,
      listPrices: this.#listPrices,
      accountPrices: this.#accountPrices,
    };
  }

  #toldPresence(kind: PricedKind, rows: PriceRows, a: number, productId: number, price: Price | null): void {
    const had = rows.has(a, productId);
    if (had !== (price !== null)) this.#sink.pricingBefore(kind, a, productId, Number(had));
  }

  #setLook(productId: number, look: Look): void {
    this.#version += 1;
    this.#looks.set(productId, look);
    this.#sink.look(productId, JSON.stringify(look));
  }

  #put(row: PricingRow): void {
    this.#take(row);
    this.#sink.pricing(row);
  }

  #take({ kind, a, b, value }: PricingRow): void {
    if (kind !== 'account') this.#version += 1;
    if (kind === 'list') {
      if (value === undefined) this.#priceLists.delete(a);
      else this.#priceLists.set(a, { priceListId: a, profile: { name: '', ...value }, createdAtMs: 0 });
    } else if (kind === 'account') {
      this.#count(this.listOf(a), -1);
      if (value === undefined) this.#listOf.delete(a);
      else this.#listOf.set(a, value.priceListId);
      this.#count(this.listOf(a), 1);
    } else {
      const rows = kind === 'listPrice' ? this.#listPrices : this.#accountPrices;
      if (value === undefined) rows.delete(a, b);
      else rows.set(a, b, value);
      if (kind === 'ownPrice') this.#own(a, b, value !== undefined);
    }
  }

  #count(listId: number, change: 1 | -1): void {
    if (listId === NO_LIST) return;
    const count = (this.#accountsOf.get(listId) ?? 0) + change;
    if (count === 0) this.#accountsOf.delete(listId);
    else this.#accountsOf.set(listId, count);
  }

  #own(accountId: number, productId: number, owns: boolean): void {
    const owners = this.#owners.get(productId) ?? new Set();
    if (owns) this.#owners.set(productId, owners.add(accountId));
    else if (owners.delete(accountId) && owners.size === 0) this.#owners.delete(productId);
  }
}

function isOnSale({ active, isReady }: Look): boolean {
  return active && isReady;
}

function buyerOf(accountId: number, listId: number) {
  return { accountId, profile: listId === NO_LIST ? {} : { priceListId: listId } };
}

/** The digest of the fields that buyers see (SPEC.md §6), but for price and state, which are kept as they are. */
function digestOf(profile: ProductProfile): string {
  const { name, description, instructions, type, requiresRecipient } = profile;
  const { visibility: _, ...shown } = catalogFields(profile);
  const text = JSON.stringify([name, description, instructions, type, requiresRecipient, shown]);
  return hash('sha256', text, 'base64url').slice(0, 22);
}
