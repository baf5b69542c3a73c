/** Products: POST, GET and PATCH /products. */
import { MAX_PRICE_TIERS } from '../../engine/limits.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { PRODUCT_TYPES, type PriceTier, type Product, type ProductProfile } from '../../engine/products.ts';
import { type ProductSnapshot, productSnapshot } from '../../engine/snapshot.ts';
import { type ApiError, apiError, badRequest } from '../errors.ts';
import { parsePrice, parseUnitPrice } from './amounts.ts';
import { notOneLine } from './one-line.ts';
import { operatorBody } from './operator-body.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';
import { pageOf, parsePage } from './page.ts';

const PRODUCT_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  description: { type: 'string', maxLength: 10_000 },
  instructions: { type: 'string', maxLength: 10_000 },
  type: { type: 'string', enum: PRODUCT_TYPES },
  priceUsdt: { type: 'number' },
  priceTiers: {
    type: 'array',
    maxItems: MAX_PRICE_TIERS,
    items: {
      type: 'object',
      required: ['minQuantity', 'priceUsdt'],
      properties: {
        minQuantity: { type: 'integer', minimum: 2, maximum: 1_000_000_000 },
        priceUsdt: { type: 'number' },
      },
    },
  },
  requiresRecipient: { type: 'boolean' },
  allowDuplicates: { type: 'boolean' },
  active: { type: 'boolean' },
  supplierId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, nullable: true },
  supplierSku: { type: 'string', minLength: 1, maxLength: 200, nullable: true },
} as const;

const NEW_PRODUCT = {
  type: 'object',
  required: ['name', 'priceUsdt'],
  properties: PRODUCT_PROPERTIES,
} as const;
const PRODUCT_CHANGES = { type: 'object', properties: PRODUCT_PROPERTIES } as const;

export const PRODUCT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such product. Check the id.');

interface ProductBody extends Partial<Omit<ProductProfile, 'priceMicros' | 'priceTiers' | 'source'>> {
  readonly supplierId?: number | null;
  readonly supplierSku?: string | null;
  readonly priceUsdt?: number;
  readonly priceTiers?: readonly { readonly minQuantity: number; readonly priceUsdt: number }[];
}

export function productRoutes({ engine, suppliers }: OperatorServices): OperatorRoute[] {
  const newProduct = operatorBody<ProductBody & { name: string; priceUsdt: number }>(NEW_PRODUCT);
  const productChanges = operatorBody<ProductBody>(PRODUCT_CHANGES);
  const fieldsNow = (product: Product) => productFields(productSnapshot(engine.state.stock, product));
  return [
    {
      method: 'POST',
      path: '/products',
      handle: (context) =>
        context.readJson(newProduct, (body) => {
          const parsed = parseProfile(body);
          if ('error' in parsed) return context.fail(parsed.error);
          // Where a recipient is named, the good goes to him, and the text is a receipt, which may be like another.
          const allowDuplicates = parsed.changes.requiresRecipient ?? false;
          const profile = { ...EMPTY_PROFILE, allowDuplicates, ...parsed.changes };
          context.submit({ kind: 'CreateProduct', profile }, (product) => {
            suppliers.lookForStock(product.productId);
            context.succeed(201, productFields(product));
          });
        }),
    },
    {
      method: 'GET',
      path: '/products',
      handle: (context) => {
        const page = parsePage(context.query);
        if ('error' in page) return context.fail(page.error);
        const { rows, nextCursor } = pageOf(engine.state.products.values(), page, (row) => row.productId);
        context.succeedWhenDurable(200, { products: rows.map(fieldsNow), ...nextCursor });
      },
    },
    {
      method: 'GET',
      path: '/products/{id}',
      handle: (context) => {
        const product = engine.state.products.get(context.id);
        if (product === undefined) context.fail(PRODUCT_NOT_FOUND);
        else context.succeedWhenDurable(200, fieldsNow(product));
      },
    },
    {
      method: 'PATCH',
      path: '/products/{id}',
      handle: (context) =>
        context.readJson(productChanges, (body) => {
          const parsed = parseProfile(body);
          if ('error' in parsed) return context.fail(parsed.error);
          context.submit(
            { kind: 'UpdateProduct', productId: context.id, changes: parsed.changes },
            (product) => {
              suppliers.lookForStock(product.productId);
              context.succeed(200, productFields(product));
            },
          );
        }),
    },
  ];
}

const EMPTY_PROFILE: ProductProfile = {
  name: '',
  description: '',
  instructions: '',
  type: 'standard',
  priceMicros: 0,
  priceTiers: [],
  requiresRecipient: false,
  allowDuplicates: false,
  active: true,
  source: null,
};

/** The fields that the body names, with prices in micro-USDT. */
function parseProfile(
  body: ProductBody,
): { readonly changes: Partial<ProductProfile> } | { readonly error: ApiError } {
  const { name, description, instructions, type, requiresRecipient, allowDuplicates, active } = body;
  const given = { name, description, instructions, type, requiresRecipient, allowDuplicates, active };
  const changes: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(given)) if (value !== undefined) changes[field] = value;
  if (body.priceUsdt !== undefined) {
    const price = parsePrice('priceUsdt', body.priceUsdt);
    if ('error' in price) return price;
    changes.priceMicros = price.amountMicros;
  }
  if (body.priceTiers !== undefined) {
    const tiers = parseTiers(body.priceTiers);
    if ('error' in tiers) return tiers;
    changes.priceTiers = tiers.tiers;
  }
  const { supplierId, supplierSku } = body;
  const unfit = notOneLine('supplierSku', supplierSku);
  if (unfit !== undefined) return { error: unfit };
  if ((supplierId ?? null) === null && (supplierSku ?? null) === null) {
    if (supplierId === null || supplierSku === null) changes.source = null;
  } else if (supplierId == null || supplierSku == null) {
    return { error: badRequest('supplierId and supplierSku belong together: name both, or null for both.') };
  } else changes.source = { supplierId, sku: supplierSku };
  return { changes };
}

function parseTiers(
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
    tiers.push({ minQuantity, priceMicros: price.amountMicros });
  }
  return { tiers };
}

/** The product as operators see it. */
export function productFields(product: ProductSnapshot): Record<string, unknown> {
  const { productId, profile, file, createdAtMs, availableStock } = product;
  const { priceMicros, priceTiers, source, ...plain } = profile;
  return {
    productId,
    ...plain,
    priceUsdt: usdtFromMicros(priceMicros),
    priceTiers: priceTiers.map((tier) => ({
      minQuantity: tier.minQuantity,
      priceUsdt: usdtFromMicros(tier.priceMicros),
    })),
    ...(source == null ? {} : { supplierId: source.supplierId, supplierSku: source.sku }),
    ...(file === null ? {} : { file }),
    createdAt: createdAtMs,
    availableStock,
  };
}
