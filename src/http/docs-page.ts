/**
 * `/docs` of either listener: its OpenAPI document as a page for people, drawn by Swagger UI from files of this package
 * alone. The build puts them into one folder beside this file (`bin/page-files.cjs`): those of the renderer, and ours
 * from `docs-page/`.
 *
 * The browser is told to load nothing from elsewhere, to run no inline script, and never to show the page in a
 * frame. The page takes no API key and no token, and sends no request but for the document: a key spends money and has no
 * place in a browser (SPEC.md §5), so "Authorize" and "Try it out" are not there. Each request is answered from memory.
 */

import { readFileSync } from 'node:fs';
import { requestIdHeader } from './reply.ts';
import type { OpenHandler } from './request-context.ts';
import { type Route, route } from './router.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';

export const DOCS_PATH = '/docs';

/** Of an API, what its page says. */
export interface DocsPage {
  readonly title: string;
  /** Of the document, relative to the page, so that it also works where a proxy serves it under a prefix. */
  readonly documentPath: string;
}

function html({ title, documentPath }: DocsPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<div id="page" data-document="${documentPath}"></div>
<noscript>This page needs JavaScript; the document it shows is at ${documentPath}.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': JAVASCRIPT,
  'swagger-ui.css': CSS,
  'start.js': JAVASCRIPT,
  'page.css': CSS,
  'favicon-32x32.png': 'image/png',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SECURITY_HEADERS: ReplyHeaders = [
  ['content-security-policy', POLICY],
  ['x-frame-options', 'DENY'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
];

/** Reads the page's files, once for all pages. Throws when the installation is incomplete. */
export function openDocsPages(): (page: DocsPage) => readonly Route<OpenHandler>[] {
  const files = Object.entries(FILES).map(([name, contentType]) => {
    const bytes = readFileSync(new URL(`docs-page/${name}`, import.meta.url));
    return asset(`${DOCS_PATH}/${name}`, contentType, bytes);
  });
  return (page) => [asset(DOCS_PATH, 'text/html; charset=utf-8', html(page)), ...files];
}

function asset(path: `/${string}`, contentType: string, body: string | Uint8Array): Route<OpenHandler> {
  const headers: ReplyHeaders = [
    ['content-type', contentType],
    ['cache-control', 'no-store'],
    ...SECURITY_HEADERS,
  ];
  return route(`GET ${path}`, (context) =>
    context.reply(200, [...headers, requestIdHeader(context.requestId)], body),
  );
}
