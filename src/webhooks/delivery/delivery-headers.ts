/** What a delivery carries besides its body (SPEC.md §6). */
import { signatureOf } from '../../outgoing/signature.ts';

export const USER_AGENT = 'Purser-BuyerAPI/1.0';

/** The headers of one attempt, under the names that they are sent with. */
export type DeliveryHeaders = Readonly<Record<string, string>>;

export interface SignedAttempt {
  /** `order.completed` and so on. */
  readonly eventType: string;
  /** `evt_…`: the same for all attempts. */
  readonly deliveryId: string;
  /** For support: which attempt it was. */
  readonly requestId: string;
  readonly secret: string;
  readonly body: Uint8Array;
  /** Unix milliseconds. */
  readonly signedAtMs: number;
}

export function deliveryHeaders(attempt: SignedAttempt): DeliveryHeaders {
  const { secret, signedAtMs, deliveryId, body } = attempt;
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Request-Id': attempt.requestId,
    'X-Service-Event': attempt.eventType,
    'X-Service-Delivery': deliveryId,
    'X-Service-Signature': signatureOf(secret, signedAtMs, deliveryId, body),
  };
}
