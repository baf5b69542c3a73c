/**
 * Messages between the process of the receivers and its parent, over the channel that `fork` gives them. Every request
 * has one answer.
 */
export type ToReceivers =
  | { readonly kind: 'listen'; readonly keyFile: string; readonly certFile: string; readonly host: string }
  /** The secrets of the receivers, by their numbers. */
  | { readonly kind: 'secrets'; readonly secrets: readonly string[] }
  /** Receivers below `below` take requests and never answer. */
  | { readonly kind: 'hang'; readonly below: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'collect' }
  /** The next part of what is collected. */
  | { readonly kind: 'more' }
  | { readonly kind: 'stop' };

export type FromReceivers =
  | { readonly kind: 'done' }
  /** Requests that were received whole by those that answer, since the last `collect`. */
  | { readonly kind: 'counted'; readonly count: number }
  /** The last part is empty. */
  | { readonly kind: 'receipts'; readonly receipts: readonly CheckedReceipt[] }
  | { readonly kind: 'failed'; readonly message: string };

export interface CheckedReceipt {
  readonly receiver: number;
  readonly receivedAtMs: number;
  readonly orderId: number;
  /** From 1; the last part of the request's id. */
  readonly attempt: number;
  /** The fault of the request; absent when there is none. */
  readonly fault?: string;
}
