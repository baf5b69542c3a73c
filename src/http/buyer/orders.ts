/** GET /orders/{id} (SPEC.md §4): the caller's own orders only; there is no list. */
import { apiError, INTERNAL_ERROR } from '../errors.ts';
import { sendError, sendJson } from '../reply.ts';
import type { BuyerRoute, BuyerServices } from './buyer-route.ts';
import { orderJson } from './order-json.ts';

const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order of this account.');

export function orderRoutes({ engine, history, itemsOf }: BuyerServices): BuyerRoute[] {
  return [
    {
      method: 'GET',
      path: '/orders/{id}',
      scope: 'orders:read',
      handle: ({ exchange, requestId, account, id }) => {
        const order = engine.state.orders.get(id) ?? history.order(id);
        if (order === undefined || order.accountId !== account.accountId) {
          sendError(exchange, requestId, ORDER_NOT_FOUND);
          return;
        }
        const items = order.status === 'completed' ? itemsOf(order) : undefined;
        const json = orderJson(order, items, requestId);
        engine.whenDurable((durable) => {
          if (durable) sendJson(exchange, requestId, 200, json);
          else sendError(exchange, requestId, INTERNAL_ERROR);
        });
      },
    },
  ];
}
