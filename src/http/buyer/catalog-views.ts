/**
 * The catalog as accounts see it: for each price list, and for each account with own prices, which products at which price.
 * A product's texts are made once for all, and a price's when a catalog is written.
 *
 * Invariant: a view is that of the state when it is asked for. Profiles and prices are never changed, but replaced, so an
 * entry holds as long as these are the same objects; and nothing is looked at again while no row has changed. Views share
 * all texts: 10,000 products on 50 lists take some 40 MB. The least lately asked are forgotten beyond `MAX_PRICES`.
 * Rejected: whole bodies for each list, which take four times as much and are old after the next sale; a text for each
 * price of each list, which takes more than all the rest, and spares a microsecond.
 */
import type { Account } from '../../engine/accounts.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { type Price, priceAtPercent } from '../../engine/pricing/price.ts';
import { isVisible, otherPrice } from '../../engine/pricing/price-rule.ts';
import { catalogFields, isOnSale, type ProductProfile } from '../../engine/products.ts';
import type { State } from '../../engine/state.ts';
import { availableStock } from '../../engine/stock.ts';
import { priceTiersView } from '../../views/operator-views.ts';

/** Prices of all views together; one that is larger than this is there alone. */
const MAX_PRICES = 600_000;

/** A product's texts for all accounts, and its own price. */
interface ProductTexts {
  readonly head: string;
  readonly price: string;
  readonly tail: string;
}

/** A product as an account sees it, as long as `profile`, `price` and `percent` are these. */
export interface CatalogEntry {
  readonly productId: number;
  readonly profile: ProductProfile;
  readonly price: Price;
  readonly percent: number | null;
  readonly available: ReturnType<typeof availableStock>;
}

interface View {
  version: number;
  /** By product id; holes for what the account can't see. */
  readonly byProduct: (CatalogEntry | undefined)[];
  entries: readonly CatalogEntry[];
}

export class CatalogViews {
  #state: State | undefined;
  /** The least lately asked first. */
  readonly #views = new Map<string, View>();
  #prices = 0;
  #texts = new WeakMap<ProductProfile, ProductTexts>();

  /** The same list as before while nothing has changed. */
  of(state: State, account: Account): readonly CatalogEntry[] {
    if (state !== this.#state) this.#forget(state);
    const { products, priceLists, listPrices, accountPrices } = state.changed;
    const version = products.version + priceLists.version + listPrices.version + accountPrices.version;
    const hasOwn = state.accountPrices.countOf(account.accountId) > 0;
    const { priceListId = 0 } = account.profile;
    const key = hasOwn ? `account ${account.accountId} ${priceListId}` : `list ${priceListId}`;
    const view = this.#views.get(key) ?? { version: -1, byProduct: [], entries: [] };
    this.#views.delete(key);
    this.#views.set(key, view);
    if (view.version !== version) {
      this.#refresh(view, state, account);
      view.version = version;
      this.#bound(view);
    }
    return view.entries;
  }

  /** The JSON of an entry. */
  textOf({ productId, profile, price, percent, available }: CatalogEntry): string {
    let texts = this.#texts.get(profile);
    if (texts === undefined) {
      texts = textsOf(profile);
      this.#texts.set(profile, texts);
    }
    const stock = typeof available === 'number' ? available : `"${available}"`;
    const isOwn = price === profile && percent === null;
    const shown = isOwn ? texts.price : priceText(percent === null ? price : priceAtPercent(price, percent));
    return `{"id":${productId},${texts.head},${shown},"availableStock":${stock},${texts.tail}}`;
  }

  #refresh(view: View, state: State, account: Account): void {
    const { byProduct } = view;
    const entries: CatalogEntry[] = [];
    for (const product of state.products.values()) {
      const { productId, profile } = product;
      if (!isOnSale(product) || !isVisible(state, account, product)) {
        byProduct[productId] = undefined;
        continue;
      }
      const other = otherPrice(state, account, product);
      const price = other?.price ?? profile;
      const percent = other?.percent ?? null;
      const available = availableStock(state.stock, product);
      const before = view.byProduct[productId];
      const isSame = before?.profile === profile && before.price === price && before.percent === percent;
      let entry = before;
      if (!isSame || before.available !== available) {
        entry = { productId, profile, price, percent, available };
      }
      byProduct[productId] = entry;
      if (entry !== undefined) entries.push(entry);
    }
    this.#prices += entries.length - view.entries.length;
    if (!isSameList(view.entries, entries)) view.entries = entries;
  }

  #bound(kept: View): void {
    for (const [key, view] of this.#views) {
      if (this.#prices <= MAX_PRICES || view === kept) return;
      this.#views.delete(key);
      this.#prices -= view.entries.length;
    }
  }

  /** A rebuilt state counts its changes anew. */
  #forget(state: State): void {
    this.#state = state;
    this.#views.clear();
    this.#prices = 0;
  }
}

/** Another list has another tag, and is compressed anew. */
function isSameList(a: readonly CatalogEntry[], b: readonly CatalogEntry[]): boolean {
  return a.length === b.length && a.every((entry, at) => entry === b[at]);
}

function priceText({ priceMicros, priceTiers }: Price): string {
  const fields = { priceUsdt: usdtFromMicros(priceMicros), priceTiers: priceTiersView(priceTiers) };
  return JSON.stringify(fields).slice(1, -1);
}

function textsOf(profile: ProductProfile): ProductTexts {
  const { name, description, instructions, type, requiresRecipient, active } = profile;
  const { visibility: _, ...shown } = catalogFields(profile);
  return {
    head: JSON.stringify({ name, description, instructions, type }).slice(1, -1),
    price: priceText(profile),
    tail: JSON.stringify({ requiresRecipient, active, ...shown }).slice(1, -1),
  };
}
