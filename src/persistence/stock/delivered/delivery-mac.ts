/** A keyed hash of what a supplier delivered, by which the same items are known again without being kept. */
import { createHmac } from 'node:crypto';
import { updateWithList } from '../text-portions.ts';

const BYTES = 16;

/** The order of the items doesn't matter. The key is the shop's, so that nobody can guess short texts by it. */
export async function deliveryMac(
  key: Uint8Array,
  reference: string,
  items: readonly string[],
): Promise<string> {
  const mac = createHmac('sha256', key).update(`delivery ${reference}\n`);
  const sorted = items.toSorted();
  await updateWithList(mac, sorted);
  return mac.digest().subarray(0, BYTES).toString('base64url');
}
