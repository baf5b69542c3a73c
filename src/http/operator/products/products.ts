/** Products: POST, GET and PATCH /products. */
import { ChangedMeanwhile } from '../../../engine/decide/changed-meanwhile.ts';
import type { Rejection } from '../../../engine/decide/rejection.ts';
import { type ProductCopy, productCopy } from '../../../engine/loop/row-copy.ts';
import { type ApiError, apiError } from '../../errors.ts';
import { ID } from '../../schemas/order.ts';
import { SlicedAnswer } from '../../sliced-answer.ts';
import { replyCsv } from '../csv-listing.ts';
import { MAX_PRODUCT_BODY_BYTES, operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, onceRoute, operatorRoute } from '../operator-route.ts';
import { STOCK } from '../roles.ts';
import { readRoutes } from '../table-routes.ts';
import { newProfile, PRODUCT_PROPERTIES, parseProfile } from './product-body.ts';
import { productTable } from './product-columns.ts';
import { productImportRoutes } from './product-import.ts';
import { CREATE_PRODUCT, GET_PRODUCT, LIST_PRODUCTS, UPDATE_PRODUCT } from './product-operations.ts';
import { productFields } from './product-row.ts';
import { parseIfMatch, tagHeaders } from './product-tag.ts';

const NEW_PRODUCT = {
  productId: {
    ...ID,
    description: 'Of a product that was lost before a restore: it gets this number again. Else leave it out.',
  },
  ...PRODUCT_PROPERTIES,
} as const;

export const PRODUCT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such product. Check the id.');

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
        const profile = newProfile(parsed.changes);
        const id = productId === undefined ? {} : { productId };
        context.submitOnce({ kind: 'CreateProduct', profile, ...id }, (once) => {
          const { result: product } = once;
          suppliers.lookForStock(product.productId);
          context.succeedOnce(once, productFields(product, services), {}, tagHeaders(product.profile));
        });
      },
    ),
    ...productImportRoutes(services),
    ...readRoutes('products', {
      rows: () => engine.state.products,
      idOf: (product) => product.productId,
      createdAtOf: (product) => product.createdAtMs,
      nameOf: (product) => product.profile.name,
      view: (product) => productFields(productCopy(engine.state.stock, product), services),
      csv: (context) => sendTable(context, services),
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

/** The whole catalog as it is now. Profiles are never changed, but replaced. */
function sendTable(context: OperatorContext, { engine }: OperatorServices): void {
  const profiles = Array.from(engine.state.products.values(), ({ profile }) => profile);
  context.whenDurable(() => {
    if (!context.request.finished) replyCsv(context, new SlicedAnswer('', productTable(profiles)));
  });
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
