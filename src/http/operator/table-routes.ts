/** The routes that read a table of the state: its rows in pages, and one of them. */
import type { Fields } from '../../views/operator-views.ts';
import type { ApiError } from '../errors.ts';
import { PERIOD_QUERY, within } from './moment.ts';
import type { OperatorOperation } from './operations/operator-operation.ts';
import { type OperatorRoute, operatorRoute, PAGE_QUERY } from './operator-route.ts';
import { pageOf } from './page.ts';

/** A table of the state, and how operators see its rows. */
interface ReadableTable<Row> {
  /** As it is now: a rebuilt state has another. */
  readonly rows: () => { get(id: number): Row | undefined; values(): Iterable<Row> };
  readonly idOf: (row: Row) => number;
  readonly createdAtOf: (row: Row) => number;
  readonly view: (row: Row) => Fields;
  readonly notFound: ApiError;
  readonly list: OperatorOperation;
  readonly one: OperatorOperation;
}

/** GET /`name`, which is also the name of the answer's list, and GET /`name`/{id}. */
export function readRoutes<Row>(
  name: string,
  { rows, idOf, createdAtOf, view, notFound, list, one }: ReadableTable<Row>,
): OperatorRoute[] {
  return [
    operatorRoute(
      `GET /${name}`,
      list,
      (context) =>
        context.withPeriodPage((period, page) => {
          const found = pageOf(within(period, rows().values(), createdAtOf), page, idOf);
          context.succeedWhenDurable(200, { [name]: found.rows.map(view), ...found.nextCursor });
        }),
      { query: [...PERIOD_QUERY, ...PAGE_QUERY] },
    ),
    operatorRoute(`GET /${name}/{id}`, one, (context) => {
      const row = rows().get(context.id);
      if (row === undefined) context.fail(notFound);
      else context.succeedWhenDurable(200, view(row));
    }),
  ];
}
