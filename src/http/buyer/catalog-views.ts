/**
 * The catalog as accounts see it, in texts that are made once: those of a product for all, and its price once for each
 * price list, and for each account with own prices. A change makes its own texts anew and no others.
 *
 * Invariant: a view is that of the state when it is asked for. Profiles and prices are never changed, but replaced, so a
 * text holds as long as these are the same objects; and nothing is looked at again while no row has changed. Views share
 * all but the prices: 10,000 products on 50 lists take some 120 MB. The least lately asked are forgotten beyond
 * `MAX_PRICES`. Rejected: whole bodies for each list, which take three times as much and are old after the next sale.
 */
import type { Account } from '../../engine/accounts.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import type { Price } from '../../engine/pricing/price.ts';
import { isVisible, otherPrice, shownPrice } from '../../engine/pricing/price-rule.ts';
import { catalogFields, isOnSale, type ProductProfile } from '../../engine/products.ts';
import type { State } from '../../engine/state.ts';
import { availableStock } from '../../engine/stock.ts';
import { priceTiersView } from '../../views/operator-views.ts';

/** Prices of all views together; one that is larger than this is there alone. */
const MAX_PRICES = 600_000;

/** A product's texts for all accounts: what is before its price, and behind its stock. */
interface ProductTexts {
  readonly head: string;
  readonly tail: string;
}

/** A product as an account sees it. `text` is its price, as long as `profile`, `price` and `percent` are these. */
export interface CatalogEntry {
  readonly productId: number;
  readonly profile: ProductProfile;
  readonly price: Price;
  readonly percent: number | null;
  readonly text: string;
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
  /** Texts of prices that are shown as they are: lists that don't name a product share the product's. */
  #priceTexts = new WeakMap<Price, string>();

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
  textOf({ productId, profile, text, available }: CatalogEntry): string {
    let texts = this.#texts.get(profile);
    if (texts === undefined) {
      texts = textsOf(profile);
      this.#texts.set(profile, texts);
    }
    const stock = typeof available === 'number' ? available : `"${available}"`;
    // Without its braces only here: what `slice` gives keeps the whole alive, and as much again.
    const price = text.slice(1, -1);
    return `{"id":${productId},${texts.head},${price},"availableStock":${stock},${texts.tail}}`;
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
        const text = isSame ? before.text : this.#priceText(price, percent, shownPrice(other, product));
        entry = { productId, profile, price, percent, text, available };
      }
      byProduct[productId] = entry;
      if (entry !== undefined) entries.push(entry);
    }
    this.#prices += entries.length - view.entries.length;
    if (!isSameList(view.entries, entries)) view.entries = entries;
  }

  #priceText(price: Price, percent: number | null, shown: Price): string {
    if (percent !== null) return priceText(shown);
    const text = this.#priceTexts.get(price) ?? priceText(shown);
    this.#priceTexts.set(price, text);
    return text;
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
  return JSON.stringify(fields);
}

function textsOf(profile: ProductProfile): ProductTexts {
  const { name, description, instructions, type, requiresRecipient, active } = profile;
  const { visibility: _, ...shown } = catalogFields(profile);
  return {
    head: JSON.stringify({ name, description, instructions, type }).slice(1, -1),
    tail: JSON.stringify({ requiresRecipient, active, ...shown }).slice(1, -1),
  };
}
