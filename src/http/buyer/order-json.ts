/**
 * The Order body of SPEC.md §2, serialised by a function that is compiled from its schema: a purchase's answer
 * is the most frequent thing the server writes.
 *
 * A field that doesn't apply is absent, never null.
 */
import fastJson, { type ObjectSchema } from 'fast-json-stringify';
import { usdtFromMicros } from '../../engine/money.ts';
import type { Order } from '../../engine/orders.ts';
import type { Delivery } from '../order-delivery.ts';

const ORDER_SCHEMA: ObjectSchema = {
  type: 'object',
  required: ['success', 'orderId', 'status', 'productId', 'quantity', 'totalPriceUsdt', 'createdAt'],
  properties: {
    success: { type: 'boolean' },
    orderId: { type: 'integer' },
    status: { type: 'string' },
    productId: { type: 'integer' },
    quantity: { type: 'integer' },
    totalPriceUsdt: { type: 'number' },
    createdAt: { type: 'integer' },
    delivery: {
      type: 'object',
      properties: {
        items: { type: 'array', items: { type: 'string' } },
        downloadUrl: { type: 'string' },
      },
    },
    balanceAfterUsdt: { type: 'number' },
    requestId: { type: 'string' },
  },
};

interface OrderBody {
  readonly success: true;
  readonly orderId: number;
  readonly status: string;
  readonly productId: number;
  readonly quantity: number;
  readonly totalPriceUsdt: number;
  readonly createdAt: number;
  readonly delivery: Delivery | undefined;
  readonly balanceAfterUsdt: number | undefined;
  readonly requestId: string;
}

const stringify = fastJson(ORDER_SCHEMA) as (body: OrderBody) => string;

/** The body of GET /orders/{id}. `delivery` is `deliveryOf` the order. */
export function orderJson(order: Order, delivery: Delivery | undefined, requestId: string): string {
  return stringify(orderBody(order, delivery, undefined, requestId));
}

/** The body of POST /orders, a replay's too. */
export function purchaseJson(order: Order, delivery: Delivery | undefined, requestId: string): string {
  return stringify(orderBody(order, delivery, usdtFromMicros(order.balanceAfterMicros), requestId));
}

function orderBody(
  order: Order,
  delivery: Delivery | undefined,
  balanceAfterUsdt: number | undefined,
  requestId: string,
): OrderBody {
  return {
    success: true,
    orderId: order.orderId,
    status: order.status,
    productId: order.productId,
    quantity: order.quantity,
    totalPriceUsdt: usdtFromMicros(order.totalMicros),
    createdAt: order.createdAtMs,
    delivery,
    balanceAfterUsdt,
    requestId,
  };
}
