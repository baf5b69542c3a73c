/** GET /products (SPEC.md §2, §4): what is on sale, with what is left of it. */
import type { Account } from '../../engine/accounts.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { isVisible, type OtherPrice, otherPrice, shownPrice } from '../../engine/pricing/price-rule.ts';
import { catalogFields, isOnSale, type Product } from '../../engine/products.ts';
import type { State } from '../../engine/state.ts';
import { availableStock } from '../../engine/stock.ts';
import { priceTiersView } from '../../views/operator-views.ts';
import type { Operation } from '../operation.ts';
import { CATALOG_ANSWER } from '../schemas/product.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';

const LIST_PRODUCTS: Operation = {
  operationId: 'listProducts',
  tag: 'Catalog',
  summary: 'List what is on sale',
  description: 'Load it at the start, and refresh it every 10 to 15 minutes.',
  answers: [
    {
      status: 200,
      description: 'Every product on sale, with its price and stock.',
      schema: CATALOG_ANSWER,
    },
  ],
  errors: [],
};

export function productRoutes({ engine }: BuyerServices): BuyerRoute[] {
  return [
    buyerRoute('GET /products', 'catalog:read', LIST_PRODUCTS, (context) => {
      const onSale = onSaleNow(engine.state, context.account);
      context.whenDurable(() => context.succeedInSlices(200, { products: entriesOf(onSale) }));
    }),
  ];
}

/** A product as a catalog shows it. Profiles and prices are never changed, but replaced. */
interface OnSale extends Pick<Product, 'productId' | 'profile'> {
  readonly other: OtherPrice | undefined;
  readonly available: ReturnType<typeof availableStock>;
}

function onSaleNow(state: State, account: Account): OnSale[] {
  const onSale: OnSale[] = [];
  for (const product of state.products.values()) {
    if (!isOnSale(product) || !isVisible(state, account, product)) continue;
    const { productId, profile } = product;
    const other = otherPrice(state, account, product);
    onSale.push({ productId, profile, other, available: availableStock(state.stock, product) });
  }
  return onSale;
}

function* entriesOf(onSale: readonly OnSale[]) {
  for (const product of onSale) yield catalogEntry(product);
}

function catalogEntry({ productId, profile, other, available }: OnSale) {
  const { priceMicros, priceTiers } = shownPrice(other, { profile });
  const { visibility: _, ...shown } = catalogFields(profile);
  return {
    id: productId,
    name: profile.name,
    description: profile.description,
    instructions: profile.instructions,
    type: profile.type,
    priceUsdt: usdtFromMicros(priceMicros),
    priceTiers: priceTiersView(priceTiers),
    availableStock: available,
    requiresRecipient: profile.requiresRecipient,
    active: profile.active,
    ...shown,
  };
}
