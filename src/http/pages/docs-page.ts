/**
 * `/docs` of either listener: its OpenAPI document as a page for people, drawn by Swagger UI from files of this package
 * alone. The build puts them into one folder beside this file (`bin/page-files.cjs`): those of the renderer, and ours
 * from `docs-page/`.
 *
 * The headers with which the files are sent are in `page-files.ts`. The page takes no API key and no token, and sends
 * no request but for the document: a key spends money and has no place in a browser (SPEC.md §5), so "Authorize" and
 * "Try it out" are not there. Each request is answered from memory.
 */

import { readFileSync } from 'node:fs';
import type { OpenHandler } from '../request-context.ts';
import type { Route } from '../router.ts';
import { CSS, HTML, JAVASCRIPT, pageFile } from './page-files.ts';

export const DOCS_PATH = '/docs';

/** The page of an API. */
export interface DocsPage {
  readonly title: string;
  /** The document's address, relative to the page, so that it also works where a proxy serves it under a prefix. */
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

/** Swagger UI's sanitizer has a policy of its own; what it leaves passes ours, in `start.js`. */
const POLICIES = ["require-trusted-types-for 'script'", 'trusted-types dompurify default'];

const FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': JAVASCRIPT,
  'swagger-ui.css': CSS,
  'start.js': JAVASCRIPT,
  'favicon-32x32.png': 'image/png',
};

/** Reads the page's files, once for all pages. Throws when the installation is incomplete. */
export function openDocsPages(): (page: DocsPage) => readonly Route<OpenHandler>[] {
  const files = Object.entries(FILES).map(([name, contentType]) => {
    const bytes = readFileSync(new URL(`docs-page/${name}`, import.meta.url));
    return pageFile(`${DOCS_PATH}/${name}`, contentType, bytes, POLICIES);
  });
  return (page) => [pageFile(DOCS_PATH, HTML, html(page), POLICIES), ...files];
}
