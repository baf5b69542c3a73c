/** GET /products (SPEC.md §2, §4): what is on sale, with what is left of it. */
import type { Operation } from '../operation.ts';
import { CATALOG_ANSWER } from '../schemas/product.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { type CatalogEntry, CatalogViews } from './catalog-views.ts';

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
  const views = new CatalogViews();
  return [
    buyerRoute('GET /products', 'catalog:read', LIST_PRODUCTS, (context) => {
      const entries = views.of(engine.state, context.account);
      context.whenDurable(() => context.sendInSlices(200, partsOf(views, entries, context.requestId)));
    }),
  ];
}

function* partsOf(
  views: CatalogViews,
  entries: readonly CatalogEntry[],
  requestId: string,
): Generator<string, undefined> {
  let before = '{"success":true,"products":[';
  for (const entry of entries) {
    yield before + views.textOf(entry);
    before = ',';
  }
  const end = `],"requestId":${JSON.stringify(requestId)}}`;
  yield entries.length === 0 ? before + end : end;
}
