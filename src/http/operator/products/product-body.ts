/**
 * A product's settings as operators write them, in a body or in the cells of a table: their form, and the profile that they
 * mean. All that depends on other rows, such as a supplier or a sku that is taken, is the engine's.
 */
import {
  MAX_ATTRIBUTES,
  MAX_CATEGORY_LENGTH,
  MAX_ITEMS_PER_PRODUCT,
  MAX_PRICE_TIERS,
  MAX_SKU_LENGTH,
  MAX_SOURCES,
} from '../../../engine/limits.ts';
import { type PriceTier, roundsToNothing } from '../../../engine/pricing/price.ts';
import {
  PRODUCT_TYPES,
  type ProductProfile,
  type SupplierSource,
  VISIBILITIES,
} from '../../../engine/products.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import type { TypeOf } from '../../schemas/json-schema.ts';
import { ID } from '../../schemas/order.ts';
import { parsePrice, parseUnitPrice } from '../accounts/amounts.ts';
import { notOneLine } from '../one-line.ts';

const MAX_QUANTITY = 1_000_000_000;
/** Characters of an attribute's name, and of its text. */
const MAX_ATTRIBUTE_NAME_LENGTH = 64;
const MAX_ATTRIBUTE_LENGTH = 500;
const MAX_IMAGE_URL_LENGTH = 2_048;

const SUPPLIER_SKU = { type: 'string', minLength: 1, maxLength: 200 } as const;

export const PRODUCT_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200, description: 'The commercial name.' },
  description: { type: 'string', maxLength: 10_000, description: 'What it includes.' },
  instructions: { type: 'string', maxLength: 10_000, description: 'How to use what is delivered.' },
  type: {
    type: 'string',
    enum: PRODUCT_TYPES,
    description: 'How it is delivered: from stock, as a file, or by hand.',
  },
  priceUsdt: { type: 'number', description: 'USDT a unit, up to 2 decimals.' },
  priceTiers: {
    type: 'array',
    description:
      'Volume prices, ascending by `minQuantity`: from that quantity on, every unit has the price.',
    maxItems: MAX_PRICE_TIERS,
    items: {
      type: 'object',
      required: ['minQuantity', 'priceUsdt'],
      properties: {
        minQuantity: { type: 'integer', minimum: 2, maximum: 1_000_000_000 },
        priceUsdt: { type: 'number', description: 'USDT a unit, up to 6 decimals.' },
      },
    },
  },
  requiresRecipient: { type: 'boolean', description: 'Whether a purchase must name a recipient.' },
  allowDuplicates: {
    type: 'boolean',
    description: 'Whether an upload may add a text that was there before.',
  },
  lowStock: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_ITEMS_PER_PRODUCT,
    nullable: true,
    description: 'An alert is raised when its stock falls below this; null: none.',
  },
  active: { type: 'boolean', description: 'Whether it is on sale.' },
  sources: {
    type: 'array',
    maxItems: MAX_SOURCES,
    items: {
      type: 'object',
      required: ['supplierId', 'sku'],
      properties: { supplierId: ID, sku: SUPPLIER_SKU },
    },
    description:
      'Who delivers what own stock does not have, in the order in which they are asked; empty: nobody.',
  },
  supplierId: {
    ...ID,
    nullable: true,
    description: 'The only one of `sources`, together with `supplierSku`; null: none.',
  },
  supplierSku: {
    ...SUPPLIER_SKU,
    nullable: true,
    description: 'What the supplier calls it; null together with `supplierId`.',
  },
  sku: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_SKU_LENGTH,
    nullable: true,
    description: "The shop's own name for it, which no other product has; null: none.",
  },
  category: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_CATEGORY_LENGTH,
    nullable: true,
    description: 'Where it stands in the catalog; null: nowhere.',
  },
  attributes: {
    type: 'object',
    maxProperties: MAX_ATTRIBUTES,
    additionalProperties: { type: 'string', maxLength: MAX_ATTRIBUTE_LENGTH },
    description: `Up to ${MAX_ATTRIBUTES} texts by name, such as region or platform. They replace those of before.`,
  },
  imageUrl: {
    type: 'string',
    maxLength: MAX_IMAGE_URL_LENGTH,
    nullable: true,
    description: 'A picture of it, an https address; null: none.',
  },
  visibility: {
    type: 'string',
    enum: VISIBILITIES,
    description: 'Who sees it: `all`, or `listed`, only accounts whose own prices or price list name it.',
  },
  minQuantity: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_QUANTITY,
    description: 'The least that one order may buy.',
  },
  maxQuantity: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_QUANTITY,
    nullable: true,
    description: 'The most that one order may buy; null: no bound.',
  },
} as const;

export type ProductBody = TypeOf<{
  readonly type: 'object';
  readonly properties: typeof PRODUCT_PROPERTIES;
}>;

const ONE_OR_ALL =
  'Name either sources, or supplierId and supplierSku, which stand for the only one of them.';

export const EMPTY_PROFILE: ProductProfile = {
  name: '',
  description: '',
  instructions: '',
  type: 'standard',
  priceMicros: 0,
  priceTiers: [],
  requiresRecipient: false,
  allowDuplicates: false,
  active: true,
  sources: [],
};

/** A new product's profile. */
export function newProfile(changes: Partial<ProductProfile>): ProductProfile {
  // Where a recipient is named, the good goes to him, and the text is a receipt, which may be like another.
  const allowDuplicates = changes.requiresRecipient ?? false;
  return { ...EMPTY_PROFILE, allowDuplicates, ...changes };
}

/** The fields that the body names, with prices in micro-USDT. */
export function parseProfile({
  priceUsdt,
  priceTiers,
  sources,
  supplierId,
  supplierSku,
  ...plain
}: ProductBody): { readonly changes: Partial<ProductProfile> } | { readonly error: ApiError } {
  const changes: Record<string, unknown> = { ...plain };
  if (priceUsdt !== undefined) {
    const price = parsePrice('priceUsdt', priceUsdt);
    if ('error' in price) return price;
    changes.priceMicros = price.amountMicros;
  }
  if (priceTiers !== undefined) {
    const tiers = parseTiers(priceTiers);
    if ('error' in tiers) return tiers;
    changes.priceTiers = tiers.tiers;
  }
  const named = parseSources(sources, supplierId, supplierSku);
  if ('error' in named) return named;
  const unfit = unfitCatalogField(plain);
  if (unfit !== undefined) return { error: unfit };
  return { changes: { ...changes, ...named } };
}

/** Nothing when the body names none of the fields. */
function parseSources(
  sources: ProductBody['sources'],
  supplierId: number | null | undefined,
  sku: string | null | undefined,
): { readonly sources?: readonly SupplierSource[] } | { readonly error: ApiError } {
  const isOneNamed = supplierId !== undefined || sku !== undefined;
  if (sources !== undefined && isOneNamed) return { error: badRequest(ONE_OR_ALL) };
  if (supplierId == null && sku == null && sources === undefined) return isOneNamed ? { sources: [] } : {};
  if (sources === undefined && (supplierId == null || sku == null))
    return { error: badRequest('supplierId and supplierSku belong together: name both, or null for both.') };
  const all = sources ?? [{ supplierId, sku } as SupplierSource];
  const unfit = all.map((one) => notOneLine(isOneNamed ? 'supplierSku' : 'sources.sku', one.sku));
  const error = unfit.find((each) => each !== undefined);
  return error === undefined ? { sources: all } : { error };
}

export function parseTiers(
  bodies: NonNullable<ProductBody['priceTiers']>,
): { readonly tiers: PriceTier[] } | { readonly error: ApiError } {
  const tiers: PriceTier[] = [];
  for (const { minQuantity, priceUsdt } of bodies) {
    const before = tiers.at(-1);
    if (before !== undefined && minQuantity <= before.minQuantity) {
      return { error: badRequest('priceTiers must be ascending by minQuantity, without repeats.') };
    }
    const price = parseUnitPrice('priceTiers.priceUsdt', priceUsdt);
    if ('error' in price) return price;
    const tier = { minQuantity, priceMicros: price.amountMicros };
    if (roundsToNothing(tier)) {
      const what = `priceTiers: ${minQuantity} at ${priceUsdt} would cost 0.00 together`;
      return { error: badRequest(`${what}, and a total must be at least 0.01. A price of 0 is for gifts.`) };
    }
    tiers.push(tier);
  }
  return { tiers };
}

function unfitCatalogField({ sku, category, attributes, imageUrl }: ProductBody): ApiError | undefined {
  for (const [name, text] of Object.entries(attributes ?? {})) {
    const unfit = unfitAttributeName(name) ?? notOneLine(`attributes.${name}`, text);
    if (unfit !== undefined) return unfit;
  }
  if (imageUrl != null && !isHttps(imageUrl))
    return badRequest('imageUrl must be an https address, such as https://shop.example/card.png.');
  return notOneLine('sku', sku) ?? notOneLine('category', category);
}

/** The error of a name that no attribute can have: with blanks around it, it would come back from a table without them. */
export function unfitAttributeName(name: string): ApiError | undefined {
  if (name !== name.trim()) return badRequest('A name in attributes must not begin or end with a blank.');
  if (name !== '' && name.length <= MAX_ATTRIBUTE_NAME_LENGTH)
    return notOneLine('A name in attributes', name);
  return badRequest(`A name in attributes must have 1 to ${MAX_ATTRIBUTE_NAME_LENGTH} characters.`);
}

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s/]/i.test(text) && !/\s/.test(text) && URL.canParse(text);
}
