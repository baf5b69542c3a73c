/**
 * Lots: GET /products/{id}/lots, GET /lots/{id}, GET /lots/{id}/sold and POST /lots/{id}/recall.
 *
 * A recall answers with the first page of what was sold, and GET …/sold has the others, also of a lot that isn't recalled.
 * Its rows are in the order of items, and an order has one, on whatever page: where it first took of the lot.
 */
import { orderOf } from '../../../engine/decide/history.ts';
import { lotFigures, lotOf, lotsOf } from '../../../engine/decide/lot-lookup.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import type { Lot } from '../../../engine/lots.ts';
import { NO_ITEM, type Order } from '../../../engine/orders.ts';
import type { Stock } from '../../../engine/stock.ts';
import type { Unreached } from '../../../persistence/checkpoint/checkpointer.ts';
import { Slices } from '../../../shared/slices.ts';
import { type Fields, lotView } from '../../../views/operator-views.ts';
import { apiError, badRequest } from '../../errors.ts';
import { errorOfRejection } from '../../reply.ts';
import { behind } from '../checkpoint-answer.ts';
import { ALL_TIME, PERIOD_QUERY, type Period, parsePeriod } from '../moment.ts';
import { noFields } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { type Page, pageQuery } from '../page.ts';
import { PRODUCT_NOT_FOUND } from '../products/products.ts';
import { COSTS, STOCK } from '../roles.ts';
import { GET_LOT, LIST_LOT_SOLD, LIST_LOTS, RECALL_LOT } from './lot-operations.ts';
import { withdrawCopies } from './recalled-copies.ts';

const MAX_LOTS = 250;
const MAX_SOLD = 500;

const LOT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such lot. Check the id.');
const WRONG_CURSOR = badRequest('cursor must be the nextCursor of the previous page.');
const NOT_TOLD = 'Who bought of the lot cannot be told now. ';
const RECALLED_ONLY = 'The lot is recalled. Who bought of it cannot be told now: repeat the call later. ';
const COPIES_LEFT = 'The lot is recalled, but other lots may have texts of it for sale: repeat the recall.';

export function lotRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, history } = services;
  const lotById = (lotId: number) => lotOf(engine.state, history, lotId);
  return [
    operatorRoute(
      'GET /products/{id}/lots',
      LIST_LOTS,
      (context) =>
        context.withPage((page) => {
          const productId = context.id;
          const period = parsePeriod(context.query);
          if ('error' in period) return context.fail(period.error);
          if (engine.state.products.get(productId) === undefined) return context.fail(PRODUCT_NOT_FOUND);
          const last = page.after === 0 ? undefined : lotById(page.after);
          if (page.after !== 0 && last?.productId !== productId) return context.fail(WRONG_CURSOR);
          const before = last?.firstItem ?? Number.MAX_SAFE_INTEGER;
          const withCost = context.isFor(COSTS);
          context.run(async () => {
            const lots = await lotsWithin(services, productId, before, period, page.limit + 1);
            const shown = lots.slice(0, page.limit);
            const nextCursor = lots.length > page.limit ? { nextCursor: String(shown.at(-1)?.lotId) } : {};
            const rows = shown.map((lot) => lotFields(services, lot, withCost));
            context.succeedWhenDurable(200, { lots: rows, ...nextCursor });
          });
        }, MAX_LOTS),
      { query: { ...PERIOD_QUERY, ...pageQuery(MAX_LOTS) } },
    ),
    operatorRoute('GET /lots/{id}', GET_LOT, (context) => {
      const lot = lotById(context.id);
      if (lot === undefined) context.fail(LOT_NOT_FOUND);
      else context.succeedWhenDurable(200, lotFields(services, lot, context.isFor(COSTS)));
    }),
    operatorRoute(
      'GET /lots/{id}/sold',
      LIST_LOT_SOLD,
      (context) =>
        context.withPeriodPage((period, page) => {
          const lot = lotById(context.id);
          if (lot === undefined) return context.fail(LOT_NOT_FOUND);
          context.run(async () => {
            const sold = await soldOf(services, lot, period, page);
            if (typeof sold === 'string') context.fail(behind(sold, NOT_TOLD));
            else context.succeed(200, sold);
          });
        }, MAX_SOLD),
      { query: { ...PERIOD_QUERY, ...pageQuery(MAX_SOLD) } },
    ),
    bodyRoute('POST /lots/{id}/recall', RECALL_LOT, STOCK, noFields(), (context) =>
      context.submit({ kind: 'RecallLot', lotId: context.id }, ({ lot }) =>
        context.run(() => finishRecall(services, context, lot)),
      ),
    ),
  ];
}

/** The newest of the period whose items come before `before`. Lots come in the order of their times. */
async function lotsWithin(
  { engine, history }: OperatorServices,
  productId: number,
  before: number,
  { fromMs, toMs }: Period,
  limit: number,
): Promise<Lot[]> {
  const slices = new Slices();
  const found: Lot[] = [];
  for (let below = before; ; ) {
    const lots = lotsOf(engine.state, history, productId, below, MAX_LOTS);
    for (const lot of lots) {
      if (lot.addedAtMs < fromMs || found.length === limit) return found;
      if (lot.addedAtMs < toMs) found.push(lot);
    }
    const last = lots.at(-1);
    if (last === undefined || lots.length < MAX_LOTS) return found;
    below = last.firstItem;
    await slices.rest();
  }
}

async function finishRecall(services: OperatorServices, context: OperatorContext, lot: Lot): Promise<void> {
  const copies = await withdrawCopies(services, lot, context.origin);
  if (copies instanceof Rejection) {
    const error = errorOfRejection(copies);
    return context.fail({ ...error, message: `${COPIES_LEFT} ${error.message}` });
  }
  const sold = await soldOf(services, lot, ALL_TIME, { after: 0, limit: MAX_SOLD });
  if (typeof sold === 'string') return context.fail(behind(sold, RECALLED_ONLY));
  const { withdrawn, atMs } = lot.recall ?? { withdrawn: 0, atMs: 0 };
  context.succeed(200, {
    ...lotView(lot),
    productId: lot.productId,
    added: lot.count,
    withdrawn,
    ...(copies === 0 ? {} : { copiesWithdrawn: copies }),
    recalledAt: atMs,
    ...sold,
  });
}

/**
 * A page of the orders that have items of the lot, or why there is none. The cursor is an item's number. Rows are
 * by item, not by time, so of a period a page may be short, and still have a `nextCursor`.
 */
async function soldOf(
  { engine, history, checkpointer, itemOrders }: OperatorServices,
  { productId, firstItem, count }: Lot,
  { fromMs, toMs }: Period,
  { after, limit }: Page,
): Promise<Fields | Unreached> {
  const reached = await checkpointer.reachDecided();
  if (reached !== 'reached') return reached;
  const from = Math.max(firstItem, after);
  const taken = itemOrders.taken(productId, from, firstItem + count - 1, limit + 1);
  const next = taken[limit];
  const sold: Fields[] = [];
  const slices = new Slices();
  for (const { orderId, firstItem: item } of taken.slice(0, limit)) {
    if (slices.isFull) await slices.rest();
    const order = orderOf(engine.state, history, orderId);
    if (order === undefined) throw new Error(`order ${orderId}, which has items of a lot, does not exist`);
    if (order.createdAtMs < fromMs || order.createdAtMs >= toMs) continue;
    if (hasEarlierItem(engine.state.stock, order, firstItem, item)) continue;
    sold.push({ orderId, accountId: order.accountId, at: order.createdAtMs });
  }
  return {
    sold,
    ...(next === undefined ? {} : { nextCursor: String(next.firstItem) }),
  };
}

/** Whether the order took an item from `first` on and below `item`: what it was sold, or what replaced that before. */
function hasEarlierItem(
  stock: Stock,
  { productId, firstItem, quantity, adjustments }: Order,
  first: number,
  item: number,
): boolean {
  if (adjustments.length === 0 || item <= first) return false;
  const isEarlier = (from: number, count: number) => from < item && from + count > first;
  const isSoldEarlier =
    firstItem !== NO_ITEM &&
    firstItem < item &&
    stock.itemsFrom(productId, firstItem, quantity).some((range) => isEarlier(range.firstItem, range.count));
  if (isSoldEarlier) return true;
  return adjustments.some(
    (adjustment) =>
      adjustment.kind === 'replacement' && adjustment.newItems.some((newItem) => isEarlier(newItem, 1)),
  );
}

function lotFields({ engine }: OperatorServices, lot: Lot, withCost: boolean): Fields {
  return {
    ...lotView(lot, withCost),
    productId: lot.productId,
    ...lotFigures(engine.state, lot),
    at: lot.addedAtMs,
    ...(lot.recall === undefined ? {} : { recalledAt: lot.recall.atMs }),
  };
}
