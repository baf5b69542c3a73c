/** GET /products (SPEC.md §2, §4): what is on sale, with what is left of it. */
import { usdtFromMicros } from '../../engine/money.ts';
import { isOnSale, type Product } from '../../engine/products.ts';
import type { State } from '../../engine/state.ts';
import { availableStock } from '../../engine/stock.ts';
import { type BuyerRoute, type BuyerServices, sendWhenDurable } from './buyer-route.ts';

export function productRoutes({ engine }: BuyerServices): BuyerRoute[] {
  return [
    {
      method: 'GET',
      path: '/products',
      scope: 'catalog:read',
      handle: (context) => sendWhenDurable(engine, context, catalogJson(engine.state, context.requestId)),
    },
  ];
}

function catalogJson(state: State, requestId: string): string {
  const products = [];
  for (const product of state.products.values()) {
    if (isOnSale(product)) products.push(catalogEntry(state, product));
  }
  return JSON.stringify({ success: true, products, requestId });
}

function catalogEntry(state: State, product: Product) {
  const { profile } = product;
  return {
    id: product.productId,
    name: profile.name,
    description: profile.description,
    instructions: profile.instructions,
    type: profile.type,
    priceUsdt: usdtFromMicros(profile.priceMicros),
    availableStock: availableStock(state.stock, product),
    requiresRecipient: profile.requiresRecipient,
    active: profile.active,
  };
}
