/** GET /orders/{id} (SPEC.md §4): the caller's own orders only; there is no list. */
import { orderOf } from '../../engine/decide/history.ts';
import type { Order } from '../../engine/orders.ts';
import { apiError } from '../errors.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { orderAnswer } from './order-answer.ts';
import { orderHead } from './order-json.ts';
import { GET_ORDER } from './order-operations.ts';

export const ORDER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such order of this account. Check the id.');

/** The order that the path names; undefined when there is none or it is another account's. */
export function findOrder(
  { engine, history }: BuyerServices,
  { account, id }: BuyerContext,
): Order | undefined {
  const order = orderOf(engine.state, history, id);
  return order?.accountId === account.accountId ? order : undefined;
}

export function orderRoutes(services: BuyerServices): BuyerRoute[] {
  return [
    buyerRoute('GET /orders/{id}', 'orders:read', GET_ORDER, (context) => {
      const order = findOrder(services, context);
      if (order === undefined) return context.fail(ORDER_NOT_FOUND);
      const send = orderAnswer(services, context, order, orderHead(order, context.requestId));
      context.whenDurable(() => send(200));
    }),
  ];
}
