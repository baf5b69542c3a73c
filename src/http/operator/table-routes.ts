/**
 * The routes that read a table of the state: its rows in pages, those of a period, whose name has a text in it or that are
 * of another thing, and one of them.
 *
 * A search goes through the names as they are, a hundred thousand in some 20 ms, in slices. Rejected: an index of names,
 * which every start would make, for a few looks a day.
 */

import { Slices } from '../../shared/slices.ts';
import type { Fields } from '../../views/operator-views.ts';
import { isPreferred } from '../accept.ts';
import { type ApiError, badRequest } from '../errors.ts';
import type { Query } from '../operation.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import { PERIOD_QUERY, type Period, within } from './moment.ts';
import type { OperatorContext } from './operator-context.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import { PAGE_QUERY, type Page, pageOf, parseInteger } from './page.ts';

interface Rows<Row> {
  readonly nextId: number;
  get(id: number): Row | undefined;
  values(): Iterable<Row>;
}

/** A table of the state, and how operators see its rows. */
interface ReadableTable<Row> {
  /** The table as it is now: a rebuilt state has another. */
  readonly rows: () => Rows<Row>;
  readonly idOf: (row: Row) => number;
  readonly createdAtOf: (row: Row) => number;
  /** Where `?search=` looks; absent where nobody searches. */
  readonly nameOf?: (row: Row) => string;
  /** A field of the query that only one row can have, by its name. */
  readonly unique?: Readonly<Record<string, UniqueField>>;
  /** Fields of the query that are ids of other things, by their names: each lists the rows of that one. */
  readonly of?: Readonly<Record<string, OfField<Row>>>;
  readonly view: (row: Row) => Fields;
  /** The fields of GET /`name`/{id}, where they are more. */
  readonly viewOne?: (row: Row) => Fields;
  /** Whether the caller may see a row; undefined when he may see all. */
  readonly seenBy?: (context: OperatorContext) => ((row: Row) => boolean) | undefined;
  /** The whole table as CSV, where somebody may ask for it. */
  readonly csv?: (context: OperatorContext) => void;
  readonly headersOfOne?: (row: Row) => ReplyHeaders;
  readonly notFound: ApiError;
  readonly list: OperatorOperation;
  readonly one: OperatorOperation;
}

interface UniqueField {
  readonly schema: { readonly type: 'string'; readonly maxLength: number; readonly description: string };
  /** The row that has the text. */
  readonly idOf: (text: string) => number | undefined;
}

interface OfField<Row> {
  readonly schema: { readonly type: 'integer'; readonly minimum: 1; readonly description: string };
  readonly isOf: (row: Row, id: number) => boolean;
}

/** Longer names there are none. */
const MAX_SEARCH_LENGTH = 200;
const BAD_SEARCH = badRequest(
  `search must have 1 to ${MAX_SEARCH_LENGTH} characters: part of a name, or an id.`,
);

const NO_PARTS = badRequest('CSV has the whole table: leave out every field of the query.');

const SEARCH_QUERY = {
  search: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_SEARCH_LENGTH,
    description: 'A part of a name, in capitals or not, or an id.',
  },
} as const;

/** GET /`name`, which is also the name of the answer's list, and GET /`name`/{id}. */
export function readRoutes<Row>(name: string, table: ReadableTable<Row>): OperatorRoute[] {
  const { rows, idOf, createdAtOf, nameOf, unique = {}, of = {} } = table;
  const { view, viewOne = view, csv, headersOfOne, notFound, list, one } = table;
  const answer = (context: OperatorContext, { rows: found, nextCursor }: ReturnType<typeof pageOf<Row>>) => {
    const seen = found.map(view);
    context.whenDurable(() => context.succeedInSlices(200, { [name]: seen, ...nextCursor }));
  };
  return [
    operatorRoute(
      `GET /${name}`,
      list,
      (context) => {
        const accept = context.request.header('accept');
        if (csv !== undefined && isPreferred('text/csv', 'application/json', accept))
          return context.query.size > 0 ? context.fail(NO_PARTS) : csv(context);
        context.withPeriodPage((period, page) => {
          const named = namedRows(context.query, table);
          if (named !== undefined && 'error' in named) return context.fail(named.error);
          const found = (among: Iterable<Row>) => pageOf(within(period, among, createdAtOf), page, idOf);
          const wanted = wantedRows(context, table);
          if (wanted !== undefined && 'error' in wanted) context.fail(wanted.error);
          else if (wanted === undefined) answer(context, found(named ?? rows().values()));
          else if (named !== undefined) answer(context, found(named.filter(wanted)));
          else context.run(async () => answer(context, await searched(table, wanted, period, page)));
        });
      },
      {
        query: {
          ...(nameOf === undefined ? {} : SEARCH_QUERY),
          ...querySchemas(unique),
          ...querySchemas(of),
          ...PERIOD_QUERY,
          ...PAGE_QUERY,
        },
      },
    ),
    operatorRoute(`GET /${name}/{id}`, one, (context) => {
      const row = rows().get(context.id);
      if (row === undefined) context.fail(notFound);
      else context.succeedWhenDurable(200, viewOne(row), headersOfOne?.(row));
    }),
  ];
}

function querySchemas(fields: Readonly<Record<string, { readonly schema: Query[string] }>>): Query {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}

/** The row that a unique field of the query names, if there is one; undefined when no such field is there. */
function namedRows<Row>(
  query: URLSearchParams,
  { rows, unique = {} }: ReadableTable<Row>,
): Row[] | { readonly error: ApiError } | undefined {
  for (const [name, { schema, idOf }] of Object.entries(unique)) {
    const text = query.get(name);
    if (text === null) continue;
    if (text === '' || text.length > schema.maxLength)
      return { error: badRequest(`${name} must have 1 to ${schema.maxLength} characters.`) };
    const row = rows().get(idOf(text) ?? 0);
    return row === undefined ? [] : [row];
  }
  return undefined;
}

/** Whether a row is meant by the search and by the ids of other things, and may be seen; undefined when each one is. */
function wantedRows<Row>(
  context: OperatorContext,
  { idOf, nameOf, of = {}, seenBy }: ReadableTable<Row>,
): ((row: Row) => boolean) | undefined | { readonly error: ApiError } {
  const { query } = context;
  const all: ((row: Row) => boolean)[] = [];
  const sees = seenBy?.(context);
  if (sees !== undefined) all.push(sees);
  const search = query.get('search');
  if (search !== null && nameOf !== undefined) {
    if (search === '' || search.length > MAX_SEARCH_LENGTH) return { error: BAD_SEARCH };
    all.push(finder(search, idOf, nameOf));
  }
  for (const [name, { isOf }] of Object.entries(of)) {
    const text = query.get(name);
    if (text === null) continue;
    const id = parseInteger(text);
    if (!(id > 0)) return { error: badRequest(`${name} must be an id.`) };
    all.push((row) => isOf(row, id));
  }
  return all.length === 0 ? undefined : (row) => all.every((isWanted) => isWanted(row));
}

/** Whether a row is meant: by its id, or by a part of its name, in capitals or not. */
function finder<Row>(
  search: string,
  idOf: (row: Row) => number,
  nameOf: (row: Row) => string,
): (row: Row) => boolean {
  const id = /^\d{1,16}$/.test(search) ? Number(search) : Number.NaN;
  const part = search.toLowerCase();
  return (row) => idOf(row) === id || nameOf(row).toLowerCase().includes(part);
}

/** Rows are looked at by their ids, so that they may change meanwhile. */
async function searched<Row>(
  { rows, idOf, createdAtOf }: ReadableTable<Row>,
  isFound: (row: Row) => boolean,
  { fromMs, toMs }: Period,
  page: Page,
): Promise<ReturnType<typeof pageOf<Row>>> {
  const ids: number[] = [];
  const slices = new Slices();
  for (let id = page.after + 1; id < rows().nextId && ids.length <= page.limit; id += 1) {
    const row = rows().get(id);
    const isOfPeriod = row !== undefined && createdAtOf(row) >= fromMs && createdAtOf(row) < toMs;
    if (isOfPeriod && isFound(row)) ids.push(id);
    if (id % ROWS_PER_LOOK === 0 && slices.isFull) await slices.rest();
  }
  const found = ids.map((id) => rows().get(id)).filter((row) => row !== undefined);
  return pageOf(found, page, idOf);
}

/** Looked at before it is asked how late it is. */
const ROWS_PER_LOOK = 64;
