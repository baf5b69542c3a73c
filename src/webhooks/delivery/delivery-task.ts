/** A delivery worker's task, and the data that it starts with. Plain data: it passes between threads. */
import type { WebhookEventType } from '../../engine/webhook.ts';

/** The type of an operator's test of an endpoint; see `testPing`. */
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
  /** The shared memory of the `DataKeys`. */
  readonly keys: SharedArrayBuffer;
  /** The shared memory of the `WebhookChanges`. */
  readonly changes: SharedArrayBuffer;
  readonly timeoutMs: number;
  /** Most attempts under way in one worker. */
  readonly places: number;
  /** See `Settings`. */
  readonly webhookAllow: readonly string[];
  readonly dnsServer: string | undefined;
  /** The shared memory of the `Lease`: attempts begin only while it is held. Undefined: always. */
  readonly lease?: SharedArrayBuffer | undefined;
}
