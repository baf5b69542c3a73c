/**
 * The Order body of SPEC.md §2, serialised by functions that are compiled from its schemas. A field that doesn't apply
 * is absent, never null.
 *
 * The answer to a purchase that is completed with items, the most frequent thing the server writes, is put together by
 * hand, which takes a third less: its fields are all there and of known types. Its texts are what `stringifyPurchase`
 * would give, byte for byte; a test holds one against the other. Rejected: bytes written into one buffer, which leave
 * less garbage and took no less time.
 */
import fastJson, { type ObjectSchema } from 'fast-json-stringify';
import { usdtFromMicros, usdtText } from '../../engine/money.ts';
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

/** The body of POST /orders, a replay's too. `delivery` is `deliveryOf` the order. */
export function purchaseJson(order: Order, delivery: Delivery | undefined, requestId: string): string {
  return delivery?.items === undefined
    ? purchaseJsonBySchema(order, delivery, requestId)
    : itemsJson(order, delivery.items, requestId);
}

export function purchaseJsonBySchema(
  order: Order,
  delivery: Delivery | undefined,
  requestId: string,
): string {
  return stringifyPurchase(orderBody(order, delivery, usdtFromMicros(order.balanceAfterMicros), requestId));
}

/** Of the texts in it, `requestId` is ours, and the status one of five words: nothing to escape. */
function itemsJson(order: Order, items: readonly string[], requestId: string): string {
  const { orderId, status, productId, quantity, totalMicros, createdAtMs, balanceAfterMicros } = order;
  return (
    `{"success":true,"orderId":${orderId},"status":"${status}","productId":${productId},"quantity":${quantity}` +
    `,"totalPriceUsdt":${usdtText(totalMicros)},"createdAt":${createdAtMs}` +
    `,"balanceAfterUsdt":${usdtText(balanceAfterMicros)},"requestId":"${requestId}"` +
    `,"delivery":{"items":${textsJson(items)}}}`
  );
}

/** Nothing in it has to be escaped. */
const PLAIN_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function textsJson(texts: readonly string[]): string {
  const [only] = texts;
  if (texts.length === 1 && only !== undefined && PLAIN_TEXT.test(only)) return `["${only}"]`;
  return JSON.stringify(texts);
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
