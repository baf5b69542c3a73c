/**
 * The description of a table that is uploaded: `column` and `charset`, fields of the query, which only a table may
 * have.
 */
import type { StockTable } from '../../../persistence/stock/intake/table-items.ts';
import { type ApiError, badRequest } from '../../errors.ts';

export const TABLE_QUERY = {
  column: {
    type: 'string',
    minLength: 1,
    description:
      'Of a body that is `text/csv`: the column that has the items, by its name in the header. A whole number is its place, from 1, in a table without a header.',
  },
  charset: {
    type: 'string',
    enum: ['windows-1252'],
    description:
      'Of a body that is `text/csv`: how a text is read that has no byte order mark and is not UTF-8.',
  },
} as const;

const CSV = /^text\/csv\s*(;|$)/i;
const NO_TABLE = badRequest('column and charset say how a table is read: send it as text/csv.');
const NOT_A_CHARSET = badRequest(
  'charset must be windows-1252, or left out: UTF-8 and UTF-16 with a byte order mark need none.',
);

/** `table` is undefined of other bodies. A column that is missing is refused when the names are known. */
export function parseStockTable(
  contentType: string | undefined,
  query: URLSearchParams,
): { readonly table: StockTable | undefined } | { readonly error: ApiError } {
  const column = query.get('column') ?? undefined;
  const charset = query.get('charset') ?? undefined;
  if (contentType === undefined || !CSV.test(contentType)) {
    const isPlain = column === undefined && charset === undefined;
    return isPlain ? { table: undefined } : { error: NO_TABLE };
  }
  if (charset !== undefined && charset.toLowerCase() !== 'windows-1252') return { error: NOT_A_CHARSET };
  return { table: { column, charset: charset === undefined ? undefined : 'windows-1252' } };
}
