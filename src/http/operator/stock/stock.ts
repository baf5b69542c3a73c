import { countOf, highestOf, type ItemRange } from '../../../engine/item-ranges.ts';
import type { StockStore } from '../../../persistence/stock/stock-store.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { badRequest } from '../../errors.ts';
import { isJsonContentType } from '../../json-body.ts';
import { digestOf } from '../call-digest.ts';
import { LOT_QUERY } from '../lots/lot-label.ts';
import { itemsBody, REASON } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { deleteRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { type Page, pageQuery, parseInteger } from '../page.ts';
import { PRODUCT_NOT_FOUND } from '../products/products.ts';
import { STOCK } from '../roles.ts';
import { ADD_STOCK, LIST_WITHDRAWN, WITHDRAW_STOCK } from './stock-operations.ts';
import { parseStockTable, TABLE_QUERY } from './stock-table.ts';
import { listed, receive, streamed } from './stock-upload.ts';
import { UPLOAD_IDLE_TIMEOUT_MS } from './upload.ts';

/** The most items of a withdrawal: an answer of 160 MB at the greatest length. */
const MAX_WITHDRAWAL = 10_000;

/** Items of one JSON body: they are in memory together. */
const MAX_LISTED_ITEMS = 1_000_000;

const TWO_REASONS = badRequest('reason is in the query and in the body: send it once.');
const STOCK_ITEMS = {
  items: {
    type: 'array',
    maxItems: MAX_LISTED_ITEMS,
    items: { type: 'string' },
    description: 'One text for each item.',
  },
} as const;

const UPLOAD_QUERY = {
  allowDuplicates: {
    type: 'boolean',
    description:
      'Whether a text may be added that a product of the shop had before. Default: what the product says.',
  },
  dryRun: { type: 'boolean', description: 'With `true` nothing is added: the answer says what would be.' },
  leaveOutBadLines: {
    type: 'boolean',
    description:
      'With `true`, lines that can be no item are left out and counted. Default: they refuse the upload.',
  },
  ...TABLE_QUERY,
  ...LOT_QUERY,
  ...REASON,
} as const;

const COUNT_QUERY = {
  count: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_WITHDRAWAL,
    description: 'How many to withdraw.',
    isRequired: true,
  },
} as const;

export function stockRoutes(services: OperatorServices): OperatorRoute[] {
  const { stock, keyedHash } = services;
  const stockItems = itemsBody(STOCK_ITEMS, ['items']);
  return [
    operatorRoute(
      'POST /products/{id}/stock',
      ADD_STOCK,
      (context) => {
        const contentType = context.request.header('content-type');
        const said = parseStockTable(contentType, context.query);
        if (isJsonContentType(contentType)) {
          if ('error' in said) return context.fail(said.error);
          context.readJson(stockItems, ({ items, reason }) => {
            if (reason !== undefined && context.reason !== undefined) return context.fail(TWO_REASONS);
            context.reason ??= reason;
            receive(services, context, (digest) => listed(items, digest));
          });
          return;
        }
        // Asked for even when it is not wanted: the transport bounds how much of such a body it reads.
        const body = context.request.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
        if ('error' in said) return context.fail(said.error);
        const isPlain = contentType !== undefined && /^text\/plain\s*(;|$)/i.test(contentType);
        if (!isPlain && said.table === undefined)
          return context.fail(
            badRequest('The Content-Type must be text/plain, text/csv or application/json.'),
          );
        receive(services, context, (digest) => streamed(body, digest), said.table);
      },
      {
        roles: STOCK,
        query: UPLOAD_QUERY,
        body: stockItems,
      },
    ),
    deleteRoute(
      'DELETE /products/{id}/stock',
      WITHDRAW_STOCK,
      STOCK,
      (context) => {
        const productId = context.id;
        const count = parseInteger(context.query.get('count') ?? '');
        if (!Number.isInteger(count) || count < 1 || count > MAX_WITHDRAWAL) {
          return context.fail(badRequest(`count must be from 1 to ${MAX_WITHDRAWAL}.`));
        }
        if (!context.takeKey(() => digestOf(keyedHash, context.called, {}))) return;
        context.submitOnce({ kind: 'WithdrawStock', productId, count }, ({ result, isRepeated }) => {
          const { ranges, availableStock } = result;
          // They are no higher than the last of them.
          const end = ranges.reduce(
            (last, { firstItem, count: size }) => Math.max(last, firstItem + size),
            0,
          );
          const show = (repeated: Fields) => {
            const items = stock.itemsOf(productId, ranges, end);
            context.succeedInSlices(200, {
              productId,
              withdrawn: countOf(ranges),
              items,
              availableStock,
              ...repeated,
            });
          };
          if (!isRepeated) return show({});
          context.run(async () => {
            await context.record({ action: 'WithdrawnTextsShown', productId });
            show({ repeated: true });
          });
        });
      },
      COUNT_QUERY,
    ),
    operatorRoute(
      'GET /products/{id}/stock/withdrawn',
      LIST_WITHDRAWN,
      (context) =>
        context.withPage((page) => context.run(() => showWithdrawn(services, context, page)), MAX_WITHDRAWAL),
      { roles: STOCK, query: pageQuery(MAX_WITHDRAWAL) },
    ),
  ];
}

/**
 * Answers with a page of the withdrawn items, the last ones first. Recalled ones are left out: they can't be added
 * again.
 */
async function showWithdrawn(
  { engine, stock }: OperatorServices,
  context: OperatorContext,
  { after, limit }: Page,
): Promise<void> {
  const productId = context.id;
  const { state } = engine;
  if (state.products.get(productId) === undefined) return context.failWhenDurable(PRODUCT_NOT_FOUND);
  const before = after === 0 ? Number.MAX_SAFE_INTEGER : after;
  const shelf = state.stock;
  const { end } = shelf.of(productId);
  const ranges = highestOf(shelf.givenBack(productId), shelf.recalled(productId), before, limit + 1);
  await context.record({ action: 'WithdrawnTextsShown', productId });
  const shown = Array.from(itemsFromTheLast(ranges));
  const nextCursor = shown.length > limit ? { nextCursor: String(shown[limit - 1]) } : {};
  const items = textsOfItems(stock, productId, shown.slice(0, limit), end);
  context.succeedInSlices(200, { productId, items, ...nextCursor });
}

function* itemsFromTheLast(ranges: readonly ItemRange[]): Generator<number> {
  for (const { firstItem, count } of ranges) {
    for (let item = firstItem + count - 1; item >= firstItem; item -= 1) yield item;
  }
}

function* textsOfItems(
  stock: StockStore,
  productId: number,
  items: readonly number[],
  end: number,
): Generator<Fields> {
  const texts = stock.itemsOf(
    productId,
    items.map((item) => ({ firstItem: item, count: 1 })),
    end,
  );
  let place = 0;
  for (const text of texts) {
    yield { item: items[place], text };
    place += 1;
  }
}
