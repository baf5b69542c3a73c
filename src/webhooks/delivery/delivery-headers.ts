/**
 * Headers of a delivery (SPEC.md §6), and beside them those of Standard Webhooks (standardwebhooks.com), which libraries in
 * many languages verify. Both signatures have one key: the bytes of the whole secret.
 */
import { createHmac } from 'node:crypto';
import { signatureOf } from '../../outgoing/signature.ts';
import type { DeliveryTask } from './delivery-task.ts';

const USER_AGENT = 'Purser-BuyerAPI/1.0';

/** The headers of one attempt, under the names that they are sent with. `signedAtMs`: Unix milliseconds. */
export function deliveryHeaders(
  { eventType, eventId, requestId }: Pick<DeliveryTask, 'eventType' | 'eventId' | 'requestId'>,
  secret: string,
  body: Uint8Array,
  signedAtMs: number,
): Readonly<Record<string, string>> {
  const signedAtSeconds = Math.floor(signedAtMs / 1_000);
  const standardHmac = createHmac('sha256', secret).update(`${eventId}.${signedAtSeconds}.`).update(body);
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Request-Id': requestId,
    'X-Service-Event': eventType,
    'X-Service-Delivery': eventId,
    'X-Service-Signature': signatureOf(secret, signedAtMs, eventId, body),
    'webhook-id': eventId,
    'webhook-timestamp': String(signedAtSeconds),
    'webhook-signature': `v1,${standardHmac.digest('base64')}`,
  };
}
