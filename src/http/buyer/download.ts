/**
 * GET /orders/{id}/download (SPEC.md §4): the bytes of the file that the order bought, whatever its product
 * delivers now.
 *
 * An order that failed or was refunded has no delivery and never will: 404, because `DELIVERY_NOT_READY` tells
 * clients to wait.
 */

import type { Order } from '../../engine/orders.ts';
import type { State } from '../../engine/state.ts';
import { type ApiError, apiError } from '../errors.ts';
import { FileReplies, NO_FILE } from '../file-replies.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { DOWNLOAD_FILE } from './order-operations.ts';
import { findOrder, ORDER_NOT_FOUND } from './orders.ts';

const NOT_READY = apiError('DELIVERY_NOT_READY');

export function downloadRoutes(services: BuyerServices): BuyerRoute[] {
  const { engine } = services;
  const replies = new FileReplies(services);
  return [
    buyerRoute('GET /orders/{id}/download', 'orders:read', DOWNLOAD_FILE, (context) => {
      const order = findOrder(services, context);
      if (order === undefined) return context.fail(ORDER_NOT_FOUND);
      const wanted = fileOf(order, engine.state);
      if (typeof wanted !== 'string') return context.failWhenDurable(wanted);
      replies.send(context, context.account.accountId, wanted);
    }),
  ];
}

/** The file's id, or why there is none. */
function fileOf({ productId, status, fileId }: Order, state: State): string | ApiError {
  if (status === 'completed') return fileId ?? NO_FILE;
  const isOpen = status === 'processing' || status === 'pending_delivery';
  return isOpen && state.products.get(productId)?.profile.type === 'file' ? NOT_READY : NO_FILE;
}
