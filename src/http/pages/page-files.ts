/**
 * The headers that restrict browsers, with the files of pages and with every other answer of the operators' listener:
 * load nothing from elsewhere, run no inline script, show it in no frame, and take it for nothing but its type. Each
 * file of a page is answered from memory.
 */
import { requestIdHeader } from '../reply.ts';
import type { OpenHandler } from '../request-context.ts';
import { type Route, route } from '../router.ts';
import type { ReplyHeader } from '../transport/reply-headers.ts';

export const HTML = 'text/html; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** No text becomes markup or script, and no script may say that one does. */
export const NO_MARKUP_OF_TEXTS = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

/**
 * The headers of every answer of the operators' listener, whatever its type and receiver: opened in a browser, none is
 * more than what it says. Pages have a policy of their own.
 */
export const ANSWERS_TO_BROWSERS = browserHeaders(NO_MARKUP_OF_TEXTS);

/** `morePolicies` are added to the content security policy that all pages have. */
export function pageFile(
  path: `/${string}`,
  contentType: string,
  body: string | Uint8Array,
  morePolicies: readonly string[] = [],
): Route<OpenHandler> {
  const headers = [['content-type', contentType] as const, ...browserHeaders(morePolicies)];
  return route(`GET ${path}`, (context) =>
    context.reply(200, [...headers, requestIdHeader(context.requestId)], body),
  );
}

function browserHeaders(morePolicies: readonly string[]): readonly ReplyHeader[] {
  return [
    ['cache-control', 'no-store'],
    ['content-security-policy', [...POLICY, ...morePolicies].join('; ')],
    ['x-frame-options', 'DENY'],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
  ];
}
