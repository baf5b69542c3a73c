/**
 * What an operator sends to try an endpoint: a delivery like every other, signed and to the same address, of a type
 * that nobody subscribes to. A receiver that goes by SPEC.md verifies it, answers 2xx, and ignores it, as it does
 * every type that it doesn't know (§9). It has no place in the order of events, so its id is of another form, and
 * it is attempted once: whoever tests wants to know how it is now, not in six hours.
 */
import { randomBytes } from 'node:crypto';
import type { Webhook } from '../engine/webhook.ts';
import { type DeliveryTask, TEST_TYPE } from './delivery/delivery-task.ts';

const ID_BYTES = 8;

/** A new one each time. */
export function testPing(accountId: number, { url, sealedSecret }: Webhook): Omit<DeliveryTask, 'position'> {
  const id = `test_${randomBytes(ID_BYTES).toString('hex')}`;
  const eventId = `evt_${id}`;
  const body = JSON.stringify({ eventId, type: TEST_TYPE });
  return { accountId, url, sealedSecret, eventType: TEST_TYPE, eventId, requestId: `${id}-1`, body };
}
