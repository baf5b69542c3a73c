/** The account's one webhook (SPEC.md §4). */
import type { ApiCaller, CallOptions } from './api-caller.ts';
import { PurserError } from './purser-error.ts';
import type { RegisteredWebhook, WebhookConfiguration, WebhookRequest } from './resources.ts';

const JSON_HEADERS = { 'content-type': 'application/json' } as const;

export class WebhookCalls {
  readonly #caller: ApiCaller;

  constructor(caller: ApiCaller) {
    this.#caller = caller;
  }

  /** `NOT_FOUND` when there is none. */
  get(options?: CallOptions): Promise<WebhookConfiguration> {
    return this.#caller.json({ method: 'GET', path: '/webhook' }, options);
  }

  /** Replaces it. The secret in the answer is shown this once; the one before no longer signs anything. */
  set(webhook: WebhookRequest, options?: CallOptions): Promise<RegisteredWebhook> {
    const body = JSON.stringify(webhook);
    return this.#caller.json({ method: 'POST', path: '/webhook', headers: JSON_HEADERS, body }, options);
  }

  /** Also cancels what is waiting to be delivered. `NOT_FOUND` when there is none. */
  async delete(options?: CallOptions): Promise<void> {
    const body = JSON.stringify({ confirm: true });
    try {
      await this.#caller.json({ method: 'DELETE', path: '/webhook', headers: JSON_HEADERS, body }, options);
    } catch (error) {
      // It was an earlier attempt that deleted it, and its answer that got lost.
      if (error instanceof PurserError && error.code === 'NOT_FOUND' && error.attempts > 1) return;
      throw error;
    }
  }
}
