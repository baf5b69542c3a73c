/**
 * Where an account wants its events sent (SPEC.md §2, webhook configuration). One per account.
 *
 * The secret is sealed before it comes here: neither the engine nor the journal ever holds it readable.
 */

export const WEBHOOK_EVENTS = [
  'order.completed',
  'order.failed',
  'catalog.updated',
  'stock.changed',
  'balance.low',
  'order.refunded',
  'order.items_replaced',
  'balance.credited',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

export interface Webhook {
  /** As the account wrote it. */
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** As the account wrote it, in USDT; null when it named none, and then nothing is ever low. */
  readonly balanceThresholdUsdt: number | null;
  /** Base64 of what a data key opens. */
  readonly sealedSecret: string;
  /** When it became the account's, in Unix milliseconds. Facts of old nodes don't say it. */
  readonly setAtMs?: number;
}
