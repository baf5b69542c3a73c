/**
 * Telling a genuine webhook delivery from any other request (SPEC.md §6): the HMAC over `t.deliveryId.body`, the
 * age of `t`, and an event in the body whose id is the signed one, for the dots alone would let the text be cut
 * elsewhere.
 *
 * By WebCrypto, whose `verify` compares in constant time, and which Node, Deno, Bun and workers share; it is
 * asynchronous, so this is too. The age is judged after the signature: of a forged request nothing is believed.
 */
import type { WebhookEvent } from './webhook-event.ts';

export interface WebhookDelivery {
  /** A `Headers`, Node's `request.headers`, or any plain object; names in any case. */
  readonly headers: WebHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Exactly as received: a body that was parsed and written again has another signature. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** `whsec_live_…`, or several while one is being replaced by another. */
  readonly secret: string | readonly string[];
  /** How far `t` may be from `now`, either way; default 5 minutes. */
  readonly toleranceMs?: number;
  /** Unix milliseconds; default: the clock. */
  readonly now?: number;
}

interface WebHeaders {
  get(name: string): string | null;
}

export type WebhookRefusal =
  | 'missing-header'
  | 'malformed-signature'
  | 'wrong-signature'
  | 'outside-tolerance'
  | 'not-an-event';

/** The request is not a delivery to believe: answer 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

const TOLERANCE_MS = 300_000;
const MAX_SIGNATURE_CHARS = 1_024;

/**
 * The event of a genuine delivery. Rejects with a `WebhookVerificationError` for any other, and with a
 * `TypeError` when there is no secret or the body isn't bytes or text: that is a mistake of the receiver.
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { headers, toleranceMs = TOLERANCE_MS, now = Date.now() } = delivery;
  const secrets = secretsOf(delivery.secret);
  const body = bytesOf(delivery.body);
  const deliveryId = headerOf(headers, 'x-service-delivery');
  const { t, signatures } = parseSignature(headerOf(headers, 'x-service-signature'));
  const signed = concatenated(new TextEncoder().encode(`${t}.${deliveryId}.`), body);
  if (!(await isSigned(signed, signatures, secrets))) {
    throw new WebhookVerificationError('wrong-signature', 'the signature is not by any of the secrets');
  }
  const ageMs = now - Number(t);
  if (!(Math.abs(ageMs) <= toleranceMs)) {
    throw new WebhookVerificationError(
      'outside-tolerance',
      `it was signed ${ageMs} ms ago, ${toleranceMs} are allowed`,
    );
  }
  return eventOf(body, deliveryId);
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const areUsable =
    Array.isArray(secrets) &&
    secrets.length > 0 &&
    secrets.every((one) => typeof one === 'string' && one !== '');
  if (!areUsable) throw new TypeError('secret is missing or empty');
  return secrets;
}

function bytesOf(body: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  // Not `instanceof` alone: test runners give a program a realm of its own, and Node's bytes come from another.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new TypeError('body must be the raw bytes or text of the request, before any parsing');
}

/** A header that came twice is as good as none. */
function headerOf(headers: WebhookDelivery['headers'], name: string): string {
  const value = isWebHeaders(headers) ? headers.get(name) : plainHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('missing-header', `${name} is missing, or there is more than one`);
}

function isWebHeaders(headers: WebhookDelivery['headers']): headers is WebHeaders {
  return typeof headers.get === 'function';
}

function plainHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | undefined {
  const values = Object.keys(headers)
    .filter((key) => key.toLowerCase() === name)
    .flatMap((key) => headers[key] ?? []);
  return values.length === 1 ? values[0] : undefined;
}

/** Parts that a later version adds beside `t` and `v1` are left alone. */
function parseSignature(header: string): { t: string; signatures: readonly Uint8Array<ArrayBuffer>[] } {
  const parts = header.length > MAX_SIGNATURE_CHARS ? [] : header.split(',').map((part) => part.trim());
  const [t, ...more] = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const hexes = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
  const isWellFormed =
    t !== undefined &&
    /^\d{1,16}$/.test(t) &&
    more.length === 0 &&
    hexes.length > 0 &&
    hexes.every((hex) => /^[\da-f]{64}$/i.test(hex));
  if (!isWellFormed) {
    throw new WebhookVerificationError('malformed-signature', 'x-service-signature is not t=…,v1=…');
  }
  return { t, signatures: hexes.map(bytesOfHex) };
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
  }
  return bytes;
}

function concatenated(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  for (const secret of secrets) {
    const bytes = new TextEncoder().encode(secret);
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

function eventOf(body: Uint8Array, deliveryId: string): WebhookEvent {
  const event = parseObject(body);
  if (event?.eventId === deliveryId && typeof event.type === 'string')
    return event as unknown as WebhookEvent;
  throw new WebhookVerificationError(
    'not-an-event',
    'the body has no type, or another eventId than the header',
  );
}

function parseObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
