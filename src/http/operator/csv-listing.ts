/** A listing as CSV: all of it, without pages, where `Accept` prefers that, and in the form that `?excel=` says. */
import { isPreferred } from '../accept.ts';
import { type ApiError, badRequest } from '../errors.ts';
import { requestIdHeader } from '../reply.ts';
import type { ReplyBody } from '../transport/reply-stream.ts';
import type { CsvForm } from './csv-text.ts';
import type { OperatorContext } from './operator-context.ts';

export const EXCEL_QUERY = {
  excel: {
    type: 'boolean',
    description:
      'With `true` CSV for spreadsheets: with a byte order mark, and texts that stay as they are, `00123` too.',
  },
} as const;

export const ACCEPT_CSV = {
  name: 'Accept',
  description: 'JSON unless `text/csv` is preferred, by its weights.',
};

const ONLY_CSV = badRequest('excel says how CSV is written: send Accept: text/csv, too.');
const NO_PAGES = badRequest('CSV has the whole list: leave out cursor and limit.');
const BAD_EXCEL = badRequest('excel must be true or false, or left out.');

/** The form of the CSV that is asked for; undefined when JSON is. */
export function csvFormOf({
  query,
  request,
}: OperatorContext): { readonly form: CsvForm | undefined } | { readonly error: ApiError } {
  const isCsv = isPreferred('text/csv', 'application/json', request.header('accept'));
  if (isCsv && (query.has('cursor') || query.has('limit'))) return { error: NO_PAGES };
  const excel = query.get('excel') ?? 'false';
  if (excel !== 'true' && excel !== 'false') return { error: BAD_EXCEL };
  if (!isCsv) return excel === 'true' ? { error: ONLY_CSV } : { form: undefined };
  return { form: excel === 'true' ? 'excel' : 'plain' };
}

export function replyCsv(context: OperatorContext, body: ReplyBody): void {
  const headers = [
    ['content-type', 'text/csv; charset=utf-8; header=present'],
    ['cache-control', 'no-store'],
    requestIdHeader(context.requestId),
  ] as const;
  context.replyStream(200, headers, body);
}
