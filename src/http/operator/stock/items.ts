/**
 * POST /items/search: the place where a text is or went: its product, lot, order and buyer.
 *
 * Invariant: the text is in the body alone, never in a path, a log or a fact; a record of the search, with what it
 * found, is durable before the answer leaves.
 */
import { orderOf } from '../../../engine/decide/history.ts';
import { lotOfItem } from '../../../engine/decide/lot-lookup.ts';
import { MAX_FOUND_ITEMS } from '../../../engine/limits.ts';
import type { Order } from '../../../engine/orders.ts';
import { StockError } from '../../../persistence/stock/stock-errors.ts';
import type { TextPlace } from '../../../persistence/stock/text-search.ts';
import { Slices } from '../../../shared/slices.ts';
import { badRequest, rateLimited } from '../../errors.ts';
import { ID } from '../../schemas/order.ts';
import { behind } from '../checkpoint-answer.ts';
import { operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices } from '../operator-route.ts';
import { PRODUCT_NOT_FOUND } from '../products/products.ts';
import { STOCK, SUPPORT } from '../roles.ts';
import { SEARCH_ITEMS } from './item-operations.ts';

/** Each looks through all products. */
const MAX_SEARCHES = 4;
const BUSY = rateLimited('Other searches are under way: try again in a second.', 1);
const NOT_TOLD = 'The text is found, but not who bought it. ';

type FoundState = 'available' | 'sold' | 'withdrawn';

interface Found {
  readonly productId: number;
  readonly lotId?: number;
  readonly state: FoundState;
  readonly isExact: boolean;
  /** The number of an item that was bought, and whose buyer isn't known yet. */
  readonly item?: number;
  readonly order?: Order;
}

const SEARCH = {
  text: {
    type: 'string',
    minLength: 1,
    description: 'The whole text of an item. What only looks like it is found, too, behind it.',
  },
  productId: { ...ID, description: 'In this product only.' },
} as const;

interface Searched {
  readonly text: string;
  readonly productId?: number | undefined;
}

export function itemRoutes(services: OperatorServices): OperatorRoute[] {
  let searches = 0;
  const body = operatorBody(SEARCH, ['text']);
  return [
    bodyRoute('POST /items/search', SEARCH_ITEMS, [...SUPPORT, ...STOCK], body, (context, searched) => {
      if (searches >= MAX_SEARCHES) return context.fail(BUSY);
      searches += 1;
      context.run(() =>
        search(services, context, searched).finally(() => {
          searches -= 1;
        }),
      );
    }),
  ];
}

async function search(
  services: OperatorServices,
  context: OperatorContext,
  { text, productId }: Searched,
): Promise<void> {
  const { engine, stock } = services;
  const { products } = engine.state;
  if (productId !== undefined && products.get(productId) === undefined)
    return context.fail(PRODUCT_NOT_FOUND);
  let places: TextPlace[];
  try {
    places = await stock.find(
      { text, productId, limit: MAX_FOUND_ITEMS },
      (of) => engine.state.stock.of(of).end,
    );
  } catch (error) {
    if (StockError.is(error, 'bad-item')) return context.fail(badRequest(`text ${error.what}.`));
    throw error;
  }
  const slices = new Slices();
  const rows: Found[] = [];
  for (const place of places) {
    if (slices.isFull) await slices.rest();
    rows.push(...foundAt(services, place));
  }
  const isAnyOpen = rows.some(({ item }) => item !== undefined);
  const reached = isAnyOpen ? await services.checkpointer.reachDecided() : 'reached';
  if (reached !== 'reached') return context.fail(behind(reached, NOT_TOLD));
  const items: ReturnType<typeof itemFields>[] = [];
  for (const row of rows) {
    if (slices.isFull) await slices.rest();
    const found = withBuyer(services, row);
    // A recovered order keeps its texts besides.
    const isTold = row.item !== undefined && isAmong(rows, found.order);
    if (!isTold) items.push(itemFields(found));
  }
  const found = items.map(({ state: _state, exact: _exact, at: _at, ...ids }) => ids);
  const more = places.length === MAX_FOUND_ITEMS ? { more: true } : {};
  const asked = productId === undefined ? {} : { productId };
  context.submit({ kind: 'SearchItems', ...asked, found }, () => context.succeed(200, { items, ...more }));
}

/** Nothing for texts that were written for an order and never delivered. */
function foundAt(
  { engine, history }: OperatorServices,
  { productId, item, orderId = 0, isExact }: TextPlace,
): Found[] {
  const { state } = engine;
  if (item === undefined) {
    const order = orderOf(state, history, orderId);
    return order !== undefined && order.textCount > 0 ? [{ productId, isExact, state: 'sold', order }] : [];
  }
  const lot = lotOfItem(state, history, productId, item);
  const where = { productId, isExact, ...(lot === undefined ? {} : { lotId: lot.lotId }) };
  if (state.stock.lost(productId)?.recovered.countIn(item, item + 1) === 1) {
    return [{ ...where, state: 'sold', item }];
  }
  if (state.stock.withdrawnIn(productId, item, 1) > 0) return [{ ...where, state: 'withdrawn' }];
  if (item >= state.stock.of(productId).next) return [{ ...where, state: 'available' }];
  return [{ ...where, state: 'sold', item }];
}

/** Whether a text that the order itself keeps was found. */
function isAmong(rows: readonly Found[], order: Order | undefined): boolean {
  return rows.some((row) => row.item === undefined && row.order?.orderId === order?.orderId);
}

function withBuyer({ engine, history, itemOrders }: OperatorServices, row: Found): Found {
  if (row.item === undefined) return row;
  const orderId = itemOrders.orderOf(row.productId, row.item);
  const order = orderId === undefined ? undefined : orderOf(engine.state, history, orderId);
  if (order === undefined) throw new Error(`item ${row.item} of product ${row.productId} has no order`);
  return { ...row, order };
}

function itemFields({ productId, lotId, state, isExact, order }: Found) {
  return {
    productId,
    ...(lotId === undefined ? {} : { lotId }),
    state,
    exact: isExact,
    ...(order === undefined
      ? {}
      : { orderId: order.orderId, accountId: order.accountId, at: order.createdAtMs }),
  };
}
