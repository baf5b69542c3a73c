/** Webhook secrets (SPEC.md §2): shown in full once, when they are made. */
import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_live_';
const SECRET_BYTES = 32;
const SHOWN_CHARS = 4;
const STANDARD_PREFIX = 'whsec_';

/** 256 bits in hexadecimal after the prefix. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('hex');
}

/** `***` and the last four characters, as GET /webhook shows it. */
export function maskedSecret(secret: string): string {
  return `***${secret.slice(-SHOWN_CHARS)}`;
}

/** The secret as libraries of Standard Webhooks take it: they decode what is behind the prefix. */
export function standardSecret(secret: string): string {
  return STANDARD_PREFIX + Buffer.from(secret).toString('base64');
}
