/**
 * What an operator's route is given, what it may use, and the two forms that many routes have: one that takes a JSON
 * body, and those that read a table (the operator's contract: docs/operator-guide.md).
 */
import type { EndedSupplierPurchase } from '../../engine/ended-supplier-purchases.ts';
import type { History } from '../../engine/history.ts';
import type { Order } from '../../engine/orders.ts';
import type { SupplierPurchase } from '../../engine/supplier-purchases.ts';
import type { FactFeed } from '../../feed/fact-feed.ts';
import type { OrderFulfilment } from '../../fulfilment/order-fulfilment.ts';
import type { FileStore } from '../../persistence/files/file-store.ts';
import type { StockStore } from '../../persistence/stock/stock-store.ts';
import type { SupplierPurchasing } from '../../suppliers/supplier-purchasing.ts';
import type { Fields } from '../../views/operator-views.ts';
import type { OperatorDeliveries } from '../../webhooks/operator-deliveries.ts';
import type { ApiError } from '../errors.ts';
import type { JsonBody } from '../json-body.ts';
import { type ContextServices, RequestContext, type RequestSide } from '../request-context.ts';
import { type Match, type Route, route } from '../router.ts';
import type { StreamingExchange } from '../transport/transport.ts';
import { type Page, pageOf, parsePage } from './page.ts';
import { uploadRefusal } from './upload.ts';

export interface SupplierServices {
  /** Base64 of what the master key opens. */
  seal(secret: string): string;
  /** Asks suppliers about everything that is open. Resolves with the number of questions when all are answered. */
  askAll(): Promise<number>;
  /** Ends an unresolved one without its supplier. Undefined when that can't be done now, or it has ended already. */
  giveUp(supplierPurchase: SupplierPurchase): Promise<EndedSupplierPurchase | undefined>;
  /**
   * Asks now what suppliers have: of a product that is new or has another source, or of all if a
   * supplier has changed.
   */
  lookForStock(productId?: number): void;
}

export interface OperatorServices extends ContextServices {
  readonly supplied: SupplierPurchasing;
  readonly suppliers: SupplierServices;
  readonly history: History;
  readonly stock: StockStore;
  readonly fulfilment: OrderFulfilment;
  readonly files: FileStore;
  readonly webhooks: OperatorDeliveries;
  readonly feed: FactFeed;
  readonly itemsOf: (order: Order) => string[];
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export type OperatorHandler = (context: OperatorContext) => void;
export type OperatorRoute = Route<OperatorHandler>;

export class OperatorContext extends RequestContext<RequestSide & Pick<StreamingExchange, 'streamBody'>> {
  /** The `{name}` of the path; empty when it has none. */
  readonly name: string;
  readonly query: URLSearchParams;

  constructor(
    exchange: StreamingExchange,
    requestId: string,
    { id, name }: Pick<Match<OperatorHandler>, 'id' | 'name'>,
    services: ContextServices,
  ) {
    super(exchange, requestId, id, services);
    this.name = name;
    this.query = new URLSearchParams(exchange.query);
  }

  /** Sees to an answer that takes time. */
  run(answer: () => Promise<void>): void {
    answer().catch((error: unknown) => this.fault(error));
  }

  /** The same for an upload, whose failures have answers of their own. */
  runUpload(upload: Promise<void>): void {
    upload.catch((error: unknown) => {
      const refusal = uploadRefusal(error);
      if (refusal === undefined) this.fault(error);
      else this.fail(refusal);
    });
  }

  /** Gives the page that the query asks for to `then`, or answers with what is wrong with it. */
  withPage(then: (page: Page) => void, maxRows?: number): void {
    const page = parsePage(this.query, maxRows);
    if ('error' in page) this.fail(page.error);
    else then(page);
  }
}

/** A table of the state, and how operators see its rows. */
interface ReadableTable<Row> {
  /** As it is now: a rebuilt state has another. */
  readonly rows: () => { get(id: number): Row | undefined; values(): Iterable<Row> };
  readonly idOf: (row: Row) => number;
  readonly view: (row: Row) => Fields;
  readonly notFound: ApiError;
}

/** GET /`name`, which is also the name of the answer's list, and GET /`name`/{id}. */
export function readRoutes<Row>(
  name: string,
  { rows, idOf, view, notFound }: ReadableTable<Row>,
): OperatorRoute[] {
  return [
    route(`GET /${name}`, (context) =>
      context.withPage((page) => {
        const found = pageOf(rows().values(), page, idOf);
        context.succeedWhenDurable(200, { [name]: found.rows.map(view), ...found.nextCursor });
      }),
    ),
    route(`GET /${name}/{id}`, (context) => {
      const row = rows().get(context.id);
      if (row === undefined) context.fail(notFound);
      else context.succeedWhenDurable(200, view(row));
    }),
  ];
}

/** A route that takes a JSON body. */
export function bodyRoute<Body>(
  call: Parameters<typeof route>[0],
  body: JsonBody<Body>,
  handle: (context: OperatorContext, body: Body) => void,
): OperatorRoute {
  return route(call, (context) => context.readJson(body, (read) => handle(context, read)));
}
