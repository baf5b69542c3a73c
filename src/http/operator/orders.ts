/**
 * Orders as operators see them and move them on: GET /orders, GET /orders/{id}, orders from the bot by
 * POST /orders, and the steps of docs/orders.md.
 */
import { type Command, PurchaseInProgress, type Results } from '../../engine/command.ts';
import { orderOf } from '../../engine/history.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { NO_KEY, type Order } from '../../engine/orders.ts';
import { MAX_ORDER_TEXTS, TooManyTextsError } from '../../persistence/stock/delivered/order-texts.ts';
import { BadItemError, StockFullError } from '../../persistence/stock/stock-errors.ts';
import { apiError, badRequest } from '../errors.ts';
import { deliveryOf } from '../order-delivery.ts';
import { USERNAME } from '../schemas/order.ts';
import { type OperatorBody, operatorBody } from './operator-body.ts';
import type { OperatorContext, OperatorRoute, OperatorServices } from './operator-route.ts';
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
const NOTHING = { type: 'object' } as const;

interface NewOrderBody {
  readonly accountId: number;
  readonly productId: number;
  readonly quantity?: number;
  readonly recipient?: { readonly username?: string };
}

const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order. Check the id.');

export function orderRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, history } = services;
  const nothing = operatorBody<object>(NOTHING);
  return [
    {
      method: 'GET',
      path: '/orders',
      handle: (context) => {
        const filter = parseOrderFilter(context.query);
        if ('error' in filter) return context.fail(filter.error);
        const { orders, nextCursor } = pageOfOrders(engine.state, history, filter);
        context.succeedWhenDurable(200, { orders: orders.map(orderFields), ...nextCursor });
      },
    },
    openingRoute(),
    {
      method: 'GET',
      path: '/orders/{id}',
      handle: (context) => {
        const order = orderOf(engine.state, history, context.id);
        if (order === undefined) return context.fail(ORDER_NOT_FOUND);
        context.succeedWhenDurable(200, fieldsWithDelivery(services, order));
      },
    },
    paymentRoute(services),
    completionRoute(services),
    stepRoute(services, 'fail', nothing, (orderId) => ({ kind: 'FailOrder', orderId })),
    stepRoute(services, 'refund', nothing, (orderId) => ({ kind: 'RefundOrder', orderId })),
  ];
}

function openingRoute(): OperatorRoute {
  const newOrder = operatorBody<NewOrderBody>(NEW_ORDER);
  return {
    method: 'POST',
    path: '/orders',
    handle: (context) =>
      context.readJson(newOrder, ({ accountId, productId, quantity = 1, recipient }) => {
        const recipientUsername = recipient?.username ?? null;
        context.submit({ kind: 'OpenOrder', accountId, productId, quantity, recipientUsername }, (order) =>
          context.succeed(201, orderFields(order)),
        );
      }),
  };
}

/** Answers now, or when the supplier has. */
function paymentRoute(services: OperatorServices): OperatorRoute {
  const payment = operatorBody<{ readonly expectedPriceUsdt?: number }>(PAYMENT);
  return {
    method: 'POST',
    path: '/orders/{id}/pay',
    handle: (context) =>
      context.readOptionalJson(payment, ({ expectedPriceUsdt = null }) => {
        const succeed = (order: Order) => context.succeed(200, fieldsWithDelivery(services, order));
        context.submit({ kind: 'PayOrder', orderId: context.id, expectedPriceUsdt }, (result) => {
          if (!(result instanceof PurchaseInProgress)) return succeed(result);
          services.supplied.wait(result, (settled) => context.settle(settled, ({ order }) => succeed(order)));
        });
      }),
  };
}

type StepCommand = Extract<Command, { readonly kind: 'FailOrder' | 'RefundOrder' }>;

/** POST /orders/{id}/`step`, whose body may be left out. */
function stepRoute<Body>(
  services: OperatorServices,
  step: string,
  body: OperatorBody<Body>,
  commandOf: (orderId: number, body: Body) => StepCommand,
): OperatorRoute {
  return {
    method: 'POST',
    path: `/orders/{id}/${step}`,
    handle: (context) =>
      context.readOptionalJson(body, (fields) =>
        context.submit(commandOf(context.id, fields), (order: Results[StepCommand['kind']]) =>
          context.succeed(200, fieldsWithDelivery(services, order)),
        ),
      ),
  };
}

function completionRoute(services: OperatorServices): OperatorRoute {
  const completion = operatorBody<{ readonly items?: readonly string[] }>(COMPLETION);
  return {
    method: 'POST',
    path: '/orders/{id}/complete',
    handle: (context) =>
      context.readOptionalJson(completion, ({ items = [] }) => {
        services.deliveries.complete(context.id, items).then(
          (result) =>
            context.settle(result, (order) => context.succeed(200, fieldsWithDelivery(services, order))),
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

function fieldsWithDelivery({ itemsOf }: OperatorServices, order: Order): Record<string, unknown> {
  return { ...orderFields(order), delivery: deliveryOf(order, itemsOf) };
}

function orderFields(order: Order): Record<string, unknown> {
  const { idempotencyKey, recipientUsername } = order;
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    status: order.status,
    productId: order.productId,
    quantity: order.quantity,
    totalPriceUsdt: usdtFromMicros(order.totalMicros),
    balanceAfterUsdt: usdtFromMicros(order.balanceAfterMicros),
    createdAt: order.createdAtMs,
    ...(idempotencyKey === NO_KEY ? {} : { idempotencyKey }),
    ...(recipientUsername === null ? {} : { recipientUsername }),
  };
}
