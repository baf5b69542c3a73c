/**
 * Orders as operators see them and move them on: GET /orders, GET /orders/{id}, orders from the bot by
 * POST /orders, and the steps of docs/orders.md.
 */
import { PurchaseInProgress } from '../../engine/command.ts';
import { orderOf } from '../../engine/history.ts';
import type { Order } from '../../engine/orders.ts';
import { MAX_ORDER_TEXTS, TooManyTextsError } from '../../persistence/stock/delivered/order-texts.ts';
import { BadItemError, StockFullError } from '../../persistence/stock/stock-errors.ts';
import { type Fields, orderView } from '../../views/operator-views.ts';
import { apiError, badRequest } from '../errors.ts';
import { deliveryOf } from '../order-delivery.ts';
import { USERNAME } from '../schemas/order.ts';
import { noFields, operatorBody, optionalBody } from './operator-body.ts';
import {
  commandRoute,
  type OperatorContext,
  type OperatorRoute,
  type OperatorServices,
} from './operator-route.ts';
import { pageOfOrders, parseOrderFilter } from './order-list.ts';

const ID = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

const NEW_ORDER = {
  type: 'object',
  required: ['accountId', 'productId'],
  properties: {
    accountId: ID,
    productId: ID,
    quantity: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    recipient: { type: 'object', properties: { username: USERNAME } },
  },
} as const;
const PAYMENT = {
  type: 'object',
  properties: { expectedPriceUsdt: { type: 'number', minimum: 0 } },
} as const;
const COMPLETION = {
  type: 'object',
  properties: { items: { type: 'array', maxItems: MAX_ORDER_TEXTS, items: { type: 'string' } } },
} as const;

interface NewOrderBody {
  readonly accountId: number;
  readonly productId: number;
  readonly quantity?: number;
  readonly recipient?: { readonly username?: string };
}

const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order. Check the id.');

export function orderRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, history } = services;
  const nothing = noFields();
  const answer = (order: Order) => fieldsWithDelivery(services, order);
  return [
    {
      method: 'GET',
      path: '/orders',
      handle: (context) => {
        const filter = parseOrderFilter(context.query);
        if ('error' in filter) return context.fail(filter.error);
        const { orders, nextCursor } = pageOfOrders(engine.state, history, filter);
        context.succeedWhenDurable(200, { orders: orders.map(orderView), ...nextCursor });
      },
    },
    commandRoute('POST', '/orders', 'OpenOrder', {
      body: operatorBody<NewOrderBody>(NEW_ORDER),
      command: ({ accountId, productId, quantity = 1, recipient }) => {
        const recipientUsername = recipient?.username ?? null;
        return { accountId, productId, quantity, recipientUsername };
      },
      answer: orderView,
      status: 201,
    }),
    {
      method: 'GET',
      path: '/orders/{id}',
      handle: (context) => {
        const order = orderOf(engine.state, history, context.id);
        if (order === undefined) return context.fail(ORDER_NOT_FOUND);
        context.succeedWhenDurable(200, answer(order));
      },
    },
    paymentRoute(services),
    completionRoute(services),
    commandRoute('POST', '/orders/{id}/fail', 'FailOrder', {
      body: nothing,
      command: (_, { id }) => ({ orderId: id }),
      answer,
    }),
    commandRoute('POST', '/orders/{id}/refund', 'RefundOrder', {
      body: nothing,
      command: (_, { id }) => ({ orderId: id }),
      answer,
    }),
  ];
}

/** Answers now, or when the supplier has. */
function paymentRoute(services: OperatorServices): OperatorRoute {
  const payment = optionalBody<{ readonly expectedPriceUsdt?: number }>(PAYMENT);
  return {
    method: 'POST',
    path: '/orders/{id}/pay',
    handle: (context) =>
      context.readJson(payment, ({ expectedPriceUsdt = null }) => {
        const succeed = (order: Order) => context.succeed(200, fieldsWithDelivery(services, order));
        context.submit({ kind: 'PayOrder', orderId: context.id, expectedPriceUsdt }, (result) => {
          if (!(result instanceof PurchaseInProgress)) return succeed(result);
          services.supplied.wait(result, (ended) =>
            context.handleResult(ended, ({ order }) => succeed(order)),
          );
        });
      }),
  };
}

function completionRoute(services: OperatorServices): OperatorRoute {
  const completion = optionalBody<{ readonly items?: readonly string[] }>(COMPLETION);
  return {
    method: 'POST',
    path: '/orders/{id}/complete',
    handle: (context) =>
      context.readJson(completion, ({ items = [] }) => {
        services.fulfilment.complete(context.id, items).then(
          (result) =>
            context.handleResult(result, (order) =>
              context.succeed(200, fieldsWithDelivery(services, order)),
            ),
          (error: unknown) => failCompletion(context, error),
        );
      }),
  };
}

function failCompletion(context: OperatorContext, error: unknown): void {
  if (error instanceof BadItemError) {
    context.fail(badRequest(`items: number ${error.lineNumber} ${error.what}.`));
  } else if (error instanceof TooManyTextsError) context.fail(badRequest(`${error.message}.`));
  else if (error instanceof StockFullError) context.fail(apiError('INTERNAL_ERROR', error.message));
  else context.fault(error);
}

function fieldsWithDelivery({ itemsOf }: OperatorServices, order: Order): Fields {
  return { ...orderView(order), delivery: deliveryOf(order, itemsOf) };
}
