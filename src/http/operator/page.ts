/** Long listings come in pages: `?limit=` rows after `?cursor=`, which is the `nextCursor` of the page before. */
import { type ApiError, badRequest } from '../errors.ts';
import type { Query } from '../operation.ts';

const MAX_PAGE_ROWS = 1_000;

/** The fields of the query of a listing whose pages have so many rows at most. */
export function pageQuery(maxRows: number) {
  return {
    cursor: {
      type: 'string',
      description: 'The `nextCursor` of the page before, with the same filters. Without it: the first page.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: maxRows,
      description: `At most so many rows, up to ${maxRows}, which is also the default.`,
    },
  } as const satisfies Query;
}

export const PAGE_QUERY = pageQuery(MAX_PAGE_ROWS);

export interface Page {
  /** The id after which the page starts. */
  readonly after: number;
  readonly limit: number;
}

/** The integer that a query's parameter says, in plain digits; NaN when it is something else. */
export function parseInteger(text: string): number {
  return /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
}

export function parsePage(
  query: URLSearchParams,
  maxRows = MAX_PAGE_ROWS,
): Page | { readonly error: ApiError } {
  const after = parseInteger(query.get('cursor') ?? '0');
  const limit = parseInteger(query.get('limit') ?? String(maxRows));
  if (!Number.isSafeInteger(after))
    return { error: badRequest('cursor must be the nextCursor of the previous page.') };
  if (!Number.isInteger(limit) || limit < 1 || limit > maxRows) {
    return { error: badRequest(`limit must be from 1 to ${maxRows}.`) };
  }
  return { after, limit };
}

/** `rows` come in ascending order of `idOf`. `nextCursor` is there when there may be more. */
export function pageOf<Row>(
  rows: Iterable<Row>,
  { after, limit }: Page,
  idOf: (row: Row) => number,
): { rows: Row[]; nextCursor: { nextCursor?: string } } {
  const page: Row[] = [];
  for (const row of rows) {
    if (idOf(row) <= after) continue;
    if (page.length === limit) {
      const last = page.at(-1);
      return { rows: page, nextCursor: last === undefined ? {} : { nextCursor: String(idOf(last)) } };
    }
    page.push(row);
  }
  return { rows: page, nextCursor: {} };
}
