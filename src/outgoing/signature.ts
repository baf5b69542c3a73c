/**
 * How bodies that leave the node are signed: webhooks (SPEC.md §6), and requests to suppliers. The signature covers
 * the bytes that are sent, so a body is made once, before; each attempt signs it anew, for whoever receives it
 * refuses a signature older than 5 minutes.
 */
import { createHmac } from 'node:crypto';

/** `t=<ms>,v1=<hex>`: HMAC-SHA256 over `t`, a dot, `reference`, a dot, and the body. */
export function signatureOf(secret: string, signedAtMs: number, reference: string, body: Uint8Array): string {
  const hmac = createHmac('sha256', secret).update(`${signedAtMs}.${reference}.`).update(body);
  return `t=${signedAtMs},v1=${hmac.digest('hex')}`;
}
