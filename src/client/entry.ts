/**
 * The exports of `purser/client`. The only file that gathers others, because a package has one address; inside the
 * repository everything is imported from where it is.
 */
export type { CallOptions, RetryNotice } from './api-caller.ts';
export type { Download } from './download.ts';
export type { EventPlace, EventStream, EventsOptions, PlaceFile } from './event-stream.ts';
export type { WaitOptions } from './order-wait.ts';
export type { Purchase, PurchaseOptions } from './purchase.ts';
export type { PurchaseFile, PurchaseStore, StoredPurchase } from './purchase-store.ts';
export { type ProductsOptions, PurserClient, type PurserClientOptions } from './purser-client.ts';
export { type ApiErrorCode, type ClientErrorCode, type IsCharged, PurserError } from './purser-error.ts';
export type { KeepReceipt, OnReceiptError, ReceiptFile } from './receipt-store.ts';
export type {
  Balance,
  Catalog,
  Health,
  Order,
  OrderStatus,
  PlacedOrder,
  PriceTier,
  Product,
  PurchaseRequest,
  Receipt,
  RegisteredWebhook,
  WebhookConfiguration,
  WebhookEventType,
  WebhookRequest,
} from './resources.ts';
export type { Timing } from './timing.ts';
export type {
  BalanceCreditedEvent,
  BalanceLowEvent,
  OrderEvent,
  OrderItemsReplacedEvent,
  OrderRefundedEvent,
  ProductsEvent,
  ReadEvent,
  WebhookEvent,
} from './webhook-event.ts';
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhook-signature.ts';
