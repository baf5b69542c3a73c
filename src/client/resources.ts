/**
 * The shapes of SPEC.md §2, most of them from the server's own document by way of `api-types.ts`, under the names
 * this client uses. Fields and values that a later server adds arrive unchanged at run time: read what you know,
 * and give every `switch` a default.
 */
import type { components } from './api-types.ts';

export type Schemas = components['schemas'];

export type Health = Schemas['Health'];
export type Balance = Schemas['Balance'];
export type Catalog = Schemas['Catalog'];
export type Product = Schemas['Product'];
export type PurchaseRequest = Schemas['PurchaseRequest'];
export type Order = Schemas['Order'];
export type OrderStatus = Order['status'];
/** The order as the purchase answers it: with the balance after it. */
export type PlacedOrder = Schemas['Purchase'];

export type WebhookEventType =
  | 'order.completed'
  | 'order.failed'
  | 'catalog.updated'
  | 'stock.changed'
  | 'balance.low';

export interface WebhookRequest {
  /** Public `https`, port 443 or 8443. */
  readonly url: string;
  /** At least one. */
  readonly events: readonly WebhookEventType[];
  /** At least 0; for `balance.low`. */
  readonly balanceThresholdUsdt?: number;
}

interface WebhookAnswer<Secret> {
  readonly success: true;
  readonly webhook: WebhookRequest & Secret;
  readonly requestId: string;
}

/** The secret is masked: three asterisks and its last 4 characters. */
export type WebhookConfiguration = WebhookAnswer<{ readonly secretMasked: string }>;
/** The secret in full, this once. */
export type RegisteredWebhook = WebhookAnswer<{ readonly secret: string }>;
