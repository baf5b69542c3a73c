/** A whole price as operators write it, of a list or an account: `priceUsdt` and `priceTiers`, as a product has them. */
import type { Price } from '../../../engine/pricing/price.ts';
import type { ApiError } from '../../errors.ts';
import { parsePrice } from '../accounts/amounts.ts';
import { PRODUCT_PROPERTIES, type ProductBody, parseTiers } from '../products/product-body.ts';

const { priceUsdt, priceTiers } = PRODUCT_PROPERTIES;
export const PRICE_PROPERTIES = { priceUsdt, priceTiers } as const;

/** Without tiers it has none, whatever the product has. */
export function parseOwnPrice(
  unitUsdt: number,
  tierBodies: NonNullable<ProductBody['priceTiers']> = [],
): { readonly price: Price } | { readonly error: ApiError } {
  const unit = parsePrice('priceUsdt', unitUsdt);
  if ('error' in unit) return unit;
  const parsed = parseTiers(tierBodies);
  if ('error' in parsed) return parsed;
  return { price: { priceMicros: unit.amountMicros, priceTiers: parsed.tiers } };
}
