/**
 * What pages for browsers are served with: each file from memory, with headers that let the page load nothing from
 * elsewhere, run no inline script, and stand in no frame.
 */
import { requestIdHeader } from './reply.ts';
import type { OpenHandler } from './request-context.ts';
import { type Route, route } from './router.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';

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

/** `morePolicies`: of the content security policy, beside those of all pages. */
export function pageFile(
  path: `/${string}`,
  contentType: string,
  body: string | Uint8Array,
  morePolicies: readonly string[] = [],
): Route<OpenHandler> {
  const headers: ReplyHeaders = [
    ['content-type', contentType],
    ['cache-control', 'no-store'],
    ['content-security-policy', [...POLICY, ...morePolicies].join('; ')],
    ['x-frame-options', 'DENY'],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
  ];
  return route(`GET ${path}`, (context) =>
    context.reply(200, [...headers, requestIdHeader(context.requestId)], body),
  );
}
