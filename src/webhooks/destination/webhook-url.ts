/**
 * The form that a webhook's URL must have (SPEC.md §4), before its host is looked up. The URL is parsed once, by the
 * parser of the URL standard; all that follows works on the result, so that no two parsers can disagree about the host.
 * The parser would also turn every spelling of an IP address into one: of these only the plain one is taken, four
 * decimal numbers, as nobody honest writes another.
 */
import { isIPv4 } from 'node:net';
import type { DestinationRefusal } from './destination-refusal.ts';

export type UrlRefusal = Extract<
  DestinationRefusal,
  'not-https' | 'invalid-url' | 'credentials' | 'port' | 'address-form' | 'trailing-dot'
>;

const MAX_URL_CHARS = 2_048;
const MAX_HOST_CHARS = 253;
/** The parser drops or mends these, and then the URL is not the one that was written. */
const MENDED = /[\s\p{Cc}\p{Cs}\\]/u;
const USER_INFO = /^https:\/\/[^/?#]*@/i;
const WRITTEN_HOST = /^https:\/\/([^/?#:]*)/i;
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** The URL, or why it is refused. Nobody has looked its host up yet. */
export function parseWebhookUrl(text: string): { readonly url: URL } | { readonly refusal: UrlRefusal } {
  if (!/^https:/i.test(text)) return { refusal: 'not-https' };
  if (
    text.length > MAX_URL_CHARS ||
    MENDED.test(text) ||
    !/^https:\/\/[^/]/i.test(text) ||
    !URL.canParse(text)
  ) {
    return { refusal: 'invalid-url' };
  }
  const url = new URL(text);
  // Also a user and password that are there and empty, which the parser drops.
  if (USER_INFO.test(text) || url.username !== '' || url.password !== '') return { refusal: 'credentials' };
  if (url.port !== '' && url.port !== '8443') return { refusal: 'port' };
  const { hostname } = url;
  const isAddress = hostname.startsWith('[') || isIPv4(hostname);
  if (isAddress && hostname !== WRITTEN_HOST.exec(text)?.[1]) return { refusal: 'address-form' };
  if (!isHost(hostname.endsWith('.') ? hostname.slice(0, -1) : hostname)) return { refusal: 'invalid-url' };
  return hostname.endsWith('.') ? { refusal: 'trailing-dot' } : { url };
}

function isHost(host: string): boolean {
  return host.length <= MAX_HOST_CHARS && HOST_NAME.test(host);
}
