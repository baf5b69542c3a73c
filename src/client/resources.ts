/**
 * The shapes of SPEC.md §2 and §6 by the names this client uses. Fields and values that a later server adds
 * arrive unchanged at run time: read what you know, and give every `switch` a default.
 */

/** One of a known set, or what a later server says. */
export type OrderStatus =
  | 'processing'
  | 'pending_delivery'
  | 'completed'
  | 'failed'
  | 'refunded'
  | (string & {});

export interface Health {
  success: true;
  service: string;
  status: string;
  version?: string;
  requestId: string;
}

export interface Product {
  id: number;
  name: string;
  description: string;
  instructions: string;
  priceUsdt: number;
  availableStock: number | 'unlimited';
  requiresRecipient: boolean;
}

export interface Catalog {
  success: true;
  products: Product[];
  requestId: string;
}

export interface Balance {
  success: true;
  balanceUsdt: number;
  requestId: string;
}

export interface PurchaseRequest {
  productId: number;
  /** Default 1. */
  quantity?: number;
  /** The total for the whole quantity, not per unit. */
  expectedPriceUsdt: number;
  recipient?: { username: string };
}

export interface Order {
  success: true;
  orderId: number;
  status: OrderStatus;
  productId: number;
  quantity: number;
  totalPriceUsdt: number;
  createdAt: number;
  delivery?: { items?: string[]; downloadUrl?: string };
  requestId: string;
}

/** The answer to a purchase. */
export interface PlacedOrder extends Order {
  balanceAfterUsdt: number;
}

export interface WebhookRequest {
  url: string;
  events: string[];
  balanceThresholdUsdt?: number;
}

export interface WebhookConfiguration {
  success: true;
  webhook: { url: string; events: string[]; balanceThresholdUsdt?: number; secretMasked: string };
  requestId: string;
}

export interface RegisteredWebhook {
  success: true;
  webhook: { url: string; events: string[]; balanceThresholdUsdt?: number; secret: string };
  requestId: string;
}
