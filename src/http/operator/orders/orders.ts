/**
 * Orders as operators see them and move them on: GET /orders, GET /orders/{id}, orders from the bot by
 * POST /orders, and the steps of docs/orders.md but those in order-adjustments.ts.
 */
import { PurchaseInProgress } from '../../../engine/decide/command.ts';
import { orderOf } from '../../../engine/decide/history.ts';
import { NO_ITEM, type Order } from '../../../engine/orders.ts';
import { MAX_ORDER_TEXTS } from '../../../persistence/stock/delivered/order-texts.ts';
import { StockError } from '../../../persistence/stock/stock-errors.ts';
import { adjustmentsView, type Fields, orderView } from '../../../views/operator-views.ts';
import { apiError, badRequest } from '../../errors.ts';
import { deliveryOf } from '../../order-delivery.ts';
import { ID, USERNAME } from '../../schemas/order.ts';
import { csvFormOf, replyCsv } from '../csv-listing.ts';
import { itemsBody, noFields, operatorBody, optionalBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import {
  bodyRoute,
  type OperatorRoute,
  type OperatorServices,
  onceRoute,
  operatorRoute,
} from '../operator-route.ts';
import { SUPPORT, TEXTS } from '../roles.ts';
import { OrderCsv } from './order-csv.ts';
import { ORDER_QUERY, parseOrderFilter } from './order-filter.ts';
import { pageOfOrders } from './order-list.ts';
import {
  COMPLETE_ORDER,
  FAIL_ORDER,
  GET_ORDER,
  LIST_ORDERS,
  OPEN_ORDER,
  PAY_ORDER,
} from './order-operations.ts';

const NEW_ORDER = {
  accountId: ID,
  productId: ID,
  quantity: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default: 1.' },
  recipient: { type: 'object', properties: { username: USERNAME } },
} as const;
const PAYMENT = {
  expectedPriceUsdt: {
    type: 'number',
    minimum: 0,
    description: 'The total. When it is different now, nothing is charged.',
  },
} as const;
const COMPLETION = {
  items: {
    type: 'array',
    maxItems: MAX_ORDER_TEXTS,
    items: { type: 'string' },
    description: 'What the buyer gets.',
  },
} as const;

export const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order. Check the id.');

const ITEMS_QUERY = {
  items: { type: 'boolean', description: 'With `false` the answer has no `delivery`. Default: `true`.' },
} as const;

export function orderRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, history, supplied, fulfilment, texts } = services;
  const withDelivery = (order: Order) => ({
    ...singleOrder(order),
    delivery: deliveryOf(order, texts.textsOf),
  });
  const succeed = (context: OperatorContext, order: Order) =>
    context.succeedInSlices(200, withDelivery(order));
  const show = (context: OperatorContext, order: Order) =>
    whenShown(context, order, () => succeed(context, order));
  return [
    operatorRoute(
      'GET /orders',
      LIST_ORDERS,
      (context) => {
        const filter = parseOrderFilter(context.query);
        if ('error' in filter) return context.fail(filter.error);
        const csv = csvFormOf(context);
        if ('error' in csv) return context.fail(csv.error);
        if (csv.form !== undefined) return replyCsv(context, new OrderCsv(services, filter, csv.form));
        context.run(async () => {
          const { orders, nextCursor } = await pageOfOrders(services, filter);
          const rows = orders.map(orderView);
          const zone = context.query.has('timeZone') ? { timeZone: filter.zone.name } : {};
          context.whenDurable(() => context.succeedInSlices(200, { ...zone, orders: rows, ...nextCursor }));
        });
      },
      { query: ORDER_QUERY },
    ),
    onceRoute(
      'POST /orders',
      OPEN_ORDER,
      SUPPORT,
      operatorBody(NEW_ORDER, ['accountId', 'productId']),
      services,
      (context, body) => {
        const { accountId, productId, quantity = 1 } = body;
        const recipientUsername = body.recipient?.username ?? null;
        const { requestNumber } = context;
        context.submitOnce(
          { kind: 'OpenOrder', accountId, productId, quantity, recipientUsername, requestNumber },
          (once) => context.succeedOnce(once, orderView(once.result)),
        );
      },
    ),
    operatorRoute(
      'GET /orders/{id}',
      GET_ORDER,
      (context) => {
        const withItems = context.flag('items', true);
        if (withItems === undefined) return;
        const order = orderOf(engine.state, history, context.id);
        if (order === undefined) return context.fail(ORDER_NOT_FOUND);
        const maySee = context.isFor(TEXTS);
        if (!withItems || !maySee) return context.succeedWhenDurable(200, singleOrder(order));
        if (!hasTexts(order)) return context.succeedWhenDurable(200, withDelivery(order));
        show(context, order);
      },
      { query: ITEMS_QUERY },
    ),
    // Answers now, or when the supplier has.
    bodyRoute(
      'POST /orders/{id}/pay',
      PAY_ORDER,
      SUPPORT,
      optionalBody(PAYMENT),
      (context, { expectedPriceUsdt = null }) =>
        context.submit({ kind: 'PayOrder', orderId: context.id, expectedPriceUsdt }, (result) => {
          if (!(result instanceof PurchaseInProgress)) return show(context, result);
          supplied.wait(result, (ended) => context.handleResult(ended, ({ order }) => show(context, order)));
        }),
    ),
    bodyRoute(
      'POST /orders/{id}/complete',
      COMPLETE_ORDER,
      SUPPORT,
      { ...itemsBody(COMPLETION), isOptional: true },
      (context, { items = [] }) => {
        const completed = fulfilment.complete(context.id, items, context.origin).then(
          (result) => context.handleResult(result, (order) => succeed(context, order)),
          (error: unknown) => failCompletion(context, error),
        );
        context.keep(completed);
      },
    ),
    bodyRoute('POST /orders/{id}/fail', FAIL_ORDER, SUPPORT, noFields(), (context) =>
      context.submit({ kind: 'FailOrder', orderId: context.id }, (order) => succeed(context, order)),
    ),
  ];
}

function failCompletion(context: OperatorContext, error: unknown): void {
  if (StockError.is(error, 'bad-item')) {
    context.fail(badRequest(`items: number ${error.lineNumber} ${error.what}.`));
  } else if (StockError.is(error, 'unfit')) context.fail(badRequest(`${error.message}.`));
  else if (StockError.is(error, 'full')) context.fail(apiError('INTERNAL_ERROR', error.message));
  else context.fault(error);
}

/** The envelope has a `requestId` of its own. */
export function singleOrder(order: Order): Fields {
  const { requestId, ...view } = orderView(order);
  const fields = { ...view, ...adjustmentsView(order) };
  return requestId === undefined ? fields : { ...fields, purchaseRequestId: requestId };
}

/** Calls `answer`, which shows the order's texts, once a record that they were shown is durable. */
export function whenShown(context: OperatorContext, order: Order, answer: () => void): void {
  if (!hasTexts(order)) answer();
  else context.submit({ kind: 'ShowItemTexts', orderId: order.orderId }, answer);
}

function hasTexts({ status, firstItem, textCount }: Order): boolean {
  return status === 'completed' && (firstItem !== NO_ITEM || textCount > 0);
}
