/** Products: POST, GET and PATCH /products. */
import { ChangedMeanwhile } from '../../../engine/decide/changed-meanwhile.ts';
import type { Rejection } from '../../../engine/decide/rejection.ts';
import { MAX_ITEMS_PER_PRODUCT, MAX_PRICE_TIERS } from '../../../engine/limits.ts';
import { type ProductCopy, productCopy } from '../../../engine/loop/row-copy.ts';
import {
  PRODUCT_TYPES,
  type PriceTier,
  type ProductProfile,
  roundsToNothing,
} from '../../../engine/products.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import type { TypeOf } from '../../schemas/json-schema.ts';
import { ID } from '../../schemas/order.ts';
import { parsePrice, parseUnitPrice } from '../accounts/amounts.ts';
import { notOneLine } from '../one-line.ts';
import { MAX_PRODUCT_BODY_BYTES, operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, onceRoute, operatorRoute } from '../operator-route.ts';
import { STOCK } from '../roles.ts';
import { readRoutes } from '../table-routes.ts';
import { CREATE_PRODUCT, GET_PRODUCT, LIST_PRODUCTS, UPDATE_PRODUCT } from './product-operations.ts';
import { productFields } from './product-row.ts';
import { parseIfMatch, tagHeaders } from './product-tag.ts';

const PRODUCT_PROPERTIES = {
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
  supplierId: {
    ...ID,
    nullable: true,
    description: 'Who delivers what own stock does not have; null: nobody.',
  },
  supplierSku: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    nullable: true,
    description: 'What the supplier calls it; null together with `supplierId`.',
  },
} as const;

const NEW_PRODUCT = {
  productId: {
    ...ID,
    description: 'Of a product that was lost before a restore: it gets this number again. Else leave it out.',
  },
  ...PRODUCT_PROPERTIES,
} as const;

export const PRODUCT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such product. Check the id.');

type ProductBody = TypeOf<{ readonly type: 'object'; readonly properties: typeof PRODUCT_PROPERTIES }>;

export function productRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, suppliers } = services;
  const changedFields = operatorBody(PRODUCT_PROPERTIES, [], MAX_PRODUCT_BODY_BYTES);
  const succeed = (context: OperatorContext, product: ProductCopy) => {
    suppliers.lookForStock(product.productId);
    context.succeed(200, productFields(product, services), tagHeaders(product.profile));
  };
  return [
    onceRoute(
      'POST /products',
      CREATE_PRODUCT,
      STOCK,
      operatorBody(NEW_PRODUCT, ['name', 'priceUsdt'], MAX_PRODUCT_BODY_BYTES),
      services,
      (context, { productId, ...body }) => {
        const parsed = parseProfile(body);
        if ('error' in parsed) return context.fail(parsed.error);
        // Where a recipient is named, the good goes to him, and the text is a receipt, which may be like another.
        const allowDuplicates = parsed.changes.requiresRecipient ?? false;
        const profile = { ...EMPTY_PROFILE, allowDuplicates, ...parsed.changes };
        const id = productId === undefined ? {} : { productId };
        context.submitOnce({ kind: 'CreateProduct', profile, ...id }, (once) => {
          const { result: product } = once;
          suppliers.lookForStock(product.productId);
          context.succeedOnce(once, productFields(product, services), {}, tagHeaders(product.profile));
        });
      },
    ),
    ...readRoutes('products', {
      rows: () => engine.state.products,
      idOf: (product) => product.productId,
      createdAtOf: (product) => product.createdAtMs,
      nameOf: (product) => product.profile.name,
      view: (product) => productFields(productCopy(engine.state.stock, product), services),
      headersOfOne: (product) => tagHeaders(product.profile),
      notFound: PRODUCT_NOT_FOUND,
      list: LIST_PRODUCTS,
      one: GET_PRODUCT,
    }),
    operatorRoute(
      'PATCH /products/{id}',
      UPDATE_PRODUCT,
      (context) => {
        const ifMatch = context.request.headerValues('if-match');
        context.readBody(changedFields, (body) => {
          const parsed = parseProfile(body);
          if ('error' in parsed) return context.fail(parsed.error);
          const product = engine.state.products.get(context.id);
          if (product === undefined) return context.failWhenDurable(PRODUCT_NOT_FOUND);
          const expected = parseIfMatch(ifMatch, product.profile);
          if ('error' in expected) return context.fail(expected.error);
          const { changes } = parsed;
          const command = { kind: 'UpdateProduct', productId: context.id, changes, ...expected } as const;
          const answer = (result: ProductCopy | Rejection) =>
            result instanceof ChangedMeanwhile
              ? context.fail(changedMeanwhile(result.product, services))
              : context.handleResult(result, (changed) => succeed(context, changed));
          engine.submit(command, answer, context.origin);
        });
      },
      { roles: STOCK, body: changedFields },
    ),
  ];
}

/**
 * The refusal of a change to a product that was changed meanwhile. The product is in it, so that nobody has to ask
 * again before he decides.
 */
function changedMeanwhile(product: ProductCopy, services: OperatorServices): ApiError {
  return {
    ...apiError('CHANGED_MEANWHILE'),
    fields: { product: productFields(product, services) },
    headers: tagHeaders(product.profile),
  };
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
function parseProfile({
  priceUsdt,
  priceTiers,
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
    const tier = { minQuantity, priceMicros: price.amountMicros };
    if (roundsToNothing(tier)) {
      const what = `priceTiers: ${minQuantity} at ${priceUsdt} would cost 0.00 together`;
      return { error: badRequest(`${what}, and a total must be at least 0.01. A price of 0 is for gifts.`) };
    }
    tiers.push(tier);
  }
  return { tiers };
}
