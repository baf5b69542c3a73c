/**
 * Where deliveries go, taken apart: what a URL means depends on its text alone, so for thousands of deliveries a second
 * it is found out once. Where its host leads is not kept here.
 */
import { LatestEntries } from '../../outgoing/latest-entries.ts';
import { parseWebhookUrl, type UrlRefusal } from '../destination/webhook-url.ts';

export interface WebhookTarget {
  /** The whole URL, as its parser writes it. */
  readonly href: string;
  readonly origin: string;
  readonly hostname: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
}

type Parsed = { readonly target: WebhookTarget } | { readonly refusal: UrlRefusal };

const MAX_KNOWN = 4_096;
/** Together with `MAX_KNOWN` a bound of memory; hardly anybody's is longer. */
const LONGEST_KNOWN_CHARS = 256;
const HTTPS_PORT = 443;

export class WebhookTargets {
  readonly #known = new LatestEntries<string, Parsed>(MAX_KNOWN);

  /** `url` as it was registered. */
  parse(url: string): Parsed {
    const known = this.#known.get(url);
    if (known !== undefined) return known;
    const parsed = parsedUrl(url);
    if (url.length <= LONGEST_KNOWN_CHARS) this.#known.set(url, parsed);
    return parsed;
  }
}

function parsedUrl(text: string): Parsed {
  const parsed = parseWebhookUrl(text);
  if ('refusal' in parsed) return parsed;
  const { href, origin, hostname, port, pathname, search } = parsed.url;
  return {
    target: {
      href,
      origin,
      hostname,
      port: port === '' ? HTTPS_PORT : Number(port),
      path: pathname + search,
    },
  };
}
