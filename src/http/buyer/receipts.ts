/**
 * GET /orders/{id}/receipt and GET /receipt-keys: what the shop signs that it sold, and the keys that prove it
 * (docs/receipts.md). Beyond SPEC.md; a purchase knows nothing of them.
 */
import { apiError } from '../errors.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute, type OpenRoute } from './buyer-route.ts';
import { findOrder, ORDER_NOT_FOUND } from './orders.ts';
import { GET_RECEIPT, GET_RECEIPT_KEYS } from './receipt-operations.ts';

const NO_RECEIPT = apiError(
  'NOT_FOUND',
  'The order has no receipt: it is not paid yet, or it failed, and nothing is charged for it.',
);

export function receiptRoutes(services: BuyerServices): BuyerRoute[] {
  const { receipts } = services;
  return [
    buyerRoute('GET /orders/{id}/receipt', 'orders:read', GET_RECEIPT, (context) => {
      const order = findOrder(services, context);
      if (order === undefined) return context.fail(ORDER_NOT_FOUND);
      if (!receipts.hasReceipt(order)) return context.failWhenDurable(NO_RECEIPT);
      context.whenDurable(() => answer(context, receipts.issue(order)));
    }),
  ];
}

export function receiptKeysRoute({ receipts }: Pick<BuyerServices, 'receipts'>): OpenRoute {
  return {
    method: 'GET',
    path: '/receipt-keys',
    operation: GET_RECEIPT_KEYS,
    handle: (context) => context.succeed(200, { keys: receipts.keys }),
  };
}

function answer(context: BuyerContext, issued: Promise<string>): void {
  issued.then((receipt) => context.succeed(200, { receipt })).catch((error: unknown) => context.fault(error));
}
