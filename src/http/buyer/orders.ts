/** GET /orders/{id} (SPEC.md §4): the caller's own orders only; there is no list. */
import { orderOf } from '../../engine/history.ts';
import { apiError } from '../errors.ts';
import { deliveryOf } from '../order-delivery.ts';
import { sendError } from '../reply.ts';
import { type BuyerRoute, type BuyerServices, sendWhenDurable } from './buyer-route.ts';
import { orderJson } from './order-json.ts';

const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order of this account.');

export function orderRoutes({ engine, history, itemsOf }: BuyerServices): BuyerRoute[] {
  return [
    {
      method: 'GET',
      path: '/orders/{id}',
      scope: 'orders:read',
      handle: (context) => {
        const { exchange, requestId, account, id } = context;
        const order = orderOf(engine.state, history, id);
        if (order === undefined || order.accountId !== account.accountId) {
          sendError(exchange, requestId, ORDER_NOT_FOUND);
          return;
        }
        sendWhenDurable(engine, context, orderJson(order, deliveryOf(order, itemsOf), requestId));
      },
    },
  ];
}
