/** Orders as operators see them: GET /orders/{id}. */
import { usdtFromMicros } from '../../engine/money.ts';
import { apiError } from '../errors.ts';
import { deliveryOf } from '../order-delivery.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';

const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order.');

export function orderRoutes({ engine, history, itemsOf }: OperatorServices): OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: '/orders/{id}',
      handle: (context) => {
        const order = engine.state.orders.get(context.id) ?? history.order(context.id);
        if (order === undefined) return context.fail(ORDER_NOT_FOUND);
        context.succeedWhenDurable(200, {
          orderId: order.orderId,
          accountId: order.accountId,
          status: order.status,
          productId: order.productId,
          quantity: order.quantity,
          totalPriceUsdt: usdtFromMicros(order.totalMicros),
          balanceAfterUsdt: usdtFromMicros(order.balanceAfterMicros),
          idempotencyKey: order.idempotencyKey,
          createdAt: order.createdAtMs,
          ...(order.recipientUsername === null ? {} : { recipientUsername: order.recipientUsername }),
          delivery: deliveryOf(order, itemsOf),
        });
      },
    },
  ];
}
