/** GET /orders/{id}/file: the file that a completed order bought, for who may see what orders deliver. */
import { orderOf } from '../../../engine/decide/history.ts';
import { FileReplies, NO_FILE } from '../../file-replies.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { SUPPORT } from '../roles.ts';
import { READ_ORDER_FILE } from './order-operations.ts';
import { ORDER_NOT_FOUND } from './orders.ts';

export function orderFileRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, history } = services;
  const replies = new FileReplies(services);
  return [
    operatorRoute(
      'GET /orders/{id}/file',
      READ_ORDER_FILE,
      (context) => {
        const order = orderOf(engine.state, history, context.id);
        if (order === undefined) return context.failWhenDurable(ORDER_NOT_FOUND);
        const fileId = order.status === 'completed' ? order.fileId : null;
        if (fileId === null) return context.failWhenDurable(NO_FILE);
        replies.send(context, context.caller.operatorId, fileId);
      },
      { roles: SUPPORT },
    ),
  ];
}
