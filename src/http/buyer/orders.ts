/** GET /orders/{id} (SPEC.md §4): the caller's own orders only; there is no list. */
import { apiError } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { sendError } from '../reply.ts';
import { ORDER } from '../schemas/order.ts';
import { type BuyerRoute, type BuyerServices, sendWhenDurable } from './buyer-route.ts';
import { orderJson } from './order-json.ts';

const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order of this account.');

const GET_ORDER: Operation = {
  operationId: 'getOrder',
  tag: 'Orders',
  summary: 'Read an order, with what it delivered',
  description:
    'Orders of this account only. There is no list of orders. Ask every 5 to 10 seconds after one that is under way.',
  answer: {
    status: 200,
    description: 'The order.',
    schema: ORDER,
    examples: {
      completed: {
        success: true,
        orderId: 4711,
        status: 'completed',
        productId: 12,
        quantity: 2,
        totalPriceUsdt: 7,
        createdAt: 1767225600000,
        requestId: 'req_6f1c2a9be04d_4',
        delivery: { items: ['AAAA-BBBB-CCCC', 'DDDD-EEEE-FFFF'] },
      },
    },
  },
  errors: ['NOT_FOUND'],
};

export function orderRoutes({ engine, history, itemsOf }: BuyerServices): BuyerRoute[] {
  return [
    {
      method: 'GET',
      path: '/orders/{id}',
      scope: 'orders:read',
      operation: GET_ORDER,
      handle: (context) => {
        const { exchange, requestId, account, id } = context;
        const order = engine.state.orders.get(id) ?? history.order(id);
        if (order === undefined || order.accountId !== account.accountId) {
          sendError(exchange, requestId, ORDER_NOT_FOUND);
          return;
        }
        const items = order.status === 'completed' ? itemsOf(order) : undefined;
        sendWhenDurable(engine, context, orderJson(order, items, requestId));
      },
    },
  ];
}
