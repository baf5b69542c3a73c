/**
 * `/docs`: the OpenAPI document as a page for people, drawn by Swagger UI from files of this package alone:
 * the build put them beside this one (`bin/page-files.cjs`).
 *
 * The browser is told to load nothing from elsewhere, to run no inline script, and never to show the page in a
 * frame. The page takes no API key and sends no request but for the document: a key spends money and has no place
 * in a browser (SPEC.md §5), so "Authorize" and "Try it out" are not there. Each request is answered from memory.
 */

import { readFileSync } from 'node:fs';
import type { OpenHandler } from './buyer/buyer-route.ts';
import { requestIdHeader } from './reply.ts';
import { type Route, route } from './router.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';

export const DOCS_PATH = '/docs';

/** Paths are relative to the page, so that it also works where a proxy serves it under a prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Purser buyer API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript; the document it shows is at api/v1/buyer/openapi.json.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Runs in the browser. */
const START_SCRIPT = `SwaggerUIBundle({
  url: 'api/v1/buyer/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: false,
  supportedSubmitMethods: [],
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
});
`;

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

/** Reads the renderer's files. Throws when the installation is incomplete. */
export function openDocsPage(): readonly Route<OpenHandler>[] {
  return [
    asset(DOCS_PATH, 'text/html; charset=utf-8', PAGE),
    asset(`${DOCS_PATH}/start.js`, 'text/javascript; charset=utf-8', START_SCRIPT),
    renderersAsset('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    renderersAsset('swagger-ui.css', 'text/css; charset=utf-8'),
    renderersAsset('favicon-32x32.png', 'image/png'),
  ];
}

function renderersAsset(name: string, contentType: string): Route<OpenHandler> {
  const bytes = readFileSync(new URL(`docs-page/${name}`, import.meta.url));
  return asset(`${DOCS_PATH}/${name}`, contentType, bytes);
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
