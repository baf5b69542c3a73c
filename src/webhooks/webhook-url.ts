/**
 * What a webhook's URL may look like (SPEC.md §4), before anything is looked up. It is parsed once, by the
 * parser of the URL standard, which also turns every spelling of an IP address into one; all that follows
 * works on the result, so that no two parsers can disagree about the host.
 */
import type { DestinationRefusal } from './destination-refusal.ts';

export type UrlRefusal = Extract<DestinationRefusal, 'not-https' | 'invalid-url' | 'credentials' | 'port'>;

const MAX_URL_CHARS = 2_048;
const MAX_HOST_CHARS = 253;
/** The parser drops or mends these, and then the URL is not the one that was written. */
const MENDED = /[\s\p{Cc}\\]/u;
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** The URL, its host without a trailing dot; or why it is refused. Nobody has looked its host up yet. */
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
  if (url.username !== '' || url.password !== '') return { refusal: 'credentials' };
  if (url.port !== '' && url.port !== '8443') return { refusal: 'port' };
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return isHost(url.hostname) ? { url } : { refusal: 'invalid-url' };
}

function isHost(host: string): boolean {
  return host.startsWith('[') || (host.length <= MAX_HOST_CHARS && HOST_NAME.test(host));
}
