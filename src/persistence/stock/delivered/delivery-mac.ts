/** A keyed hash of what a supplier delivered, by which the same items are known again without being kept. */
import { createHmac } from 'node:crypto';

const BYTES = 16;

/** The order of the items doesn't matter. The key is the shop's, so that nobody can guess short texts by it. */
export function deliveryMac(key: Uint8Array, reference: string, items: readonly string[]): string {
  const mac = createHmac('sha256', key).update(`delivery ${reference}\n`);
  mac.update(JSON.stringify(items.toSorted()));
  return mac.digest().subarray(0, BYTES).toString('base64url');
}
