/**
 * The Order body of SPEC.md §2, serialised by functions that are compiled from its schemas: a purchase's answer
 * is the most frequent thing the server writes.
 *
 * A field that doesn't apply is absent, never null.
 */
import fastJson, { type ObjectSchema } from 'fast-json-stringify';
import { usdtFromMicros } from '../../engine/money.ts';
import type { Order } from '../../engine/orders.ts';
import type { Delivery } from '../order-delivery.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { ORDER, PURCHASE } from '../schemas/order.ts';

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

const stringifyOrder = serializer(ORDER);
const stringifyPurchase = serializer(PURCHASE);

function serializer(schema: JsonSchema): (body: OrderBody) => string {
  return fastJson(schema as ObjectSchema);
}

/** The body of GET /orders/{id}. `delivery` is `deliveryOf` the order. */
export function orderJson(order: Order, delivery: Delivery | undefined, requestId: string): string {
  return stringifyOrder(orderBody(order, delivery, undefined, requestId));
}

/** The body of POST /orders, a replay's too. */
export function purchaseJson(order: Order, delivery: Delivery | undefined, requestId: string): string {
  return stringifyPurchase(orderBody(order, delivery, usdtFromMicros(order.balanceAfterMicros), requestId));
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
