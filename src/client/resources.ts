/**
 * The shapes of SPEC.md §2, from the server's own document by way of `api-types.ts`, under the names
 * this client uses. Fields and values that a later server adds arrive unchanged at run time: read what you know,
 * and give every `switch` a default.
 */
import type { components } from './api-types.ts';

type Schemas = components['schemas'];

export type Health = Schemas['Health'];
export type Balance = Schemas['Balance'];
export type Catalog = Schemas['Catalog'];
export type Product = Schemas['Product'];
export type PriceTier = Schemas['PriceTier'];
export type PurchaseRequest = Schemas['PurchaseRequest'];
export type Order = Schemas['Order'];
export type OrderStatus = Order['status'];
/** The order as the purchase answers it: with the balance after it. */
export type PlacedOrder = Schemas['Purchase'];

/** `receipt` is a compact JWS. */
export type Receipt = Schemas['Receipt'];

export type WebhookRequest = Schemas['WebhookRequest'];
export type WebhookEventType = WebhookRequest['events'][number];
/** The secret is masked: three asterisks and its last 4 characters. */
export type WebhookConfiguration = Schemas['WebhookConfiguration'];
/** The secret in full, this once. */
export type RegisteredWebhook = Schemas['RegisteredWebhook'];
