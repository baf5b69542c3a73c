/** What a delivery worker is given, and what it needs to know from the start. Plain data: it passes between threads. */
import type { WebhookEventType } from '../../engine/webhook.ts';

/** Of what an operator sends to try an endpoint; see `testPing`. */
export const TEST_TYPE = 'webhook.test';

export interface DeliveryTask {
  readonly accountId: number;
  /** The journal was read so far when `url` and `sealedSecret` were the account's. See `WebhookChanges`. */
  readonly position: number;
  readonly url: string;
  /** See `Webhook`. */
  readonly sealedSecret: string;
  readonly eventType: WebhookEventType | typeof TEST_TYPE;
  readonly eventId: string;
  /** Says which event and which attempt. */
  readonly requestId: string;
  readonly body: string;
}

export interface DeliveryWorkerData {
  /** Of the `DataKeys`. */
  readonly keys: SharedArrayBuffer;
  /** Of the `WebhookChanges`. */
  readonly changes: SharedArrayBuffer;
  readonly timeoutMs: number;
  /** Most attempts under way in one worker. */
  readonly places: number;
  /** See `Settings`. */
  readonly webhookAllow: readonly string[];
  readonly dnsServer: string | undefined;
  /** Of the `Lease` while which attempts may begin; undefined: always. */
  readonly lease?: SharedArrayBuffer | undefined;
}
