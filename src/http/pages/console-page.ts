/**
 * `/console` of the operators' listener: the files that the build made of `console/`, whatever they are called, read at the
 * start. The page knows no more of the node than its operator API tells; this is all that the node knows of the page.
 * `/` leads to it, or to `/docs` where the build hasn't it.
 *
 * Beside the headers of all pages, texts never become markup or script: Trusted Types, without any policy that could make
 * one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../shared/error-code.ts';
import { apiError } from '../errors.ts';
import { requestIdHeader } from '../reply.ts';
import type { OpenHandler } from '../request-context.ts';
import { type Route, route } from '../router.ts';
import { CSS, HTML, JAVASCRIPT, NO_MARKUP_OF_TEXTS, pageFile } from './page-files.ts';

export const CONSOLE_PATH = '/console';
const INDEX = 'index.html';

/** The folder of the console's bundle, beside `src` in the build. */
const BUNDLE = fileURLToPath(new URL('../../../console/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': JAVASCRIPT,
  '.css': CSS,
  '.svg': 'image/svg+xml',
};

export const NO_BUNDLE =
  'This node was built without the console: build it again with `npm run build`, or use the command `purser`.';

export interface ConsolePage {
  /** Whether the build has it; otherwise the page says that it isn't there. */
  readonly isThere: boolean;
  readonly routes: readonly Route<OpenHandler>[];
}

/** Reads the files in `folder`; those of other kinds are left out. */
export function openConsolePage(folder = BUNDLE): ConsolePage {
  const names = fileNamesIn(folder);
  if (!names.includes(INDEX)) {
    return { isThere: false, routes: [leading('/', 'docs'), route(`GET ${CONSOLE_PATH}`, refuse)] };
  }
  const bytesOf = (name: string) => readFileSync(join(folder, name));
  const files = names.flatMap((name) => {
    const type = TYPES[extname(name)];
    return type === undefined
      ? []
      : [pageFile(`${CONSOLE_PATH}/${name}`, type, bytesOf(name), NO_MARKUP_OF_TEXTS)];
  });
  const page = pageFile(CONSOLE_PATH, HTML, bytesOf(INDEX), NO_MARKUP_OF_TEXTS);
  return {
    isThere: true,
    routes: [page, leading('/', 'console'), leading(`${CONSOLE_PATH}/`, '../console'), ...files],
  };
}

function fileNamesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

const refuse: OpenHandler = (context) => context.fail(apiError('NOT_FOUND', NO_BUNDLE));

/** Pages' addresses are relative, and `/console` has no slash at its end, so that a proxy may put a prefix before them. */
function leading(path: `/${string}`, location: string): Route<OpenHandler> {
  const headers = [
    ['location', location],
    ['cache-control', 'no-store'],
  ] as const;
  return route(`GET ${path}`, (context) =>
    context.reply(308, [...headers, requestIdHeader(context.requestId)], ''),
  );
}
