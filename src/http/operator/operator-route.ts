/**
 * What an operator's route is given, what it may use, and the two forms that most routes have: reading a table, and
 * handing a command to the engine (the operator's contract: docs/operator-guide.md).
 */
import type { Command, Results } from '../../engine/command.ts';
import type { EndedSupplierPurchase } from '../../engine/ended-supplier-purchases.ts';
import type { History } from '../../engine/history.ts';
import type { Order } from '../../engine/orders.ts';
import type { SupplierPurchase } from '../../engine/supplier-purchases.ts';
import type { OrderFulfilment } from '../../fulfilment/order-fulfilment.ts';
import type { FileStore } from '../../persistence/files/file-store.ts';
import type { StockStore } from '../../persistence/stock/stock-store.ts';
import type { Fields } from '../../views/operator-views.ts';
import type { ApiError } from '../errors.ts';
import type { JsonBody } from '../json-body.ts';
import { type ContextServices, RequestContext } from '../request-context.ts';
import type { Match, Route } from '../router.ts';
import type { SuppliedPurchases } from '../supplied-purchases.ts';
import type { Exchange } from '../transport/transport.ts';
import type { Feed } from './feed-opening.ts';
import { type Page, pageOf, parsePage } from './page.ts';
import { uploadRefusal } from './upload.ts';
import type { WebhookDeliveries } from './webhook-deliveries.ts';

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
  readonly supplied: SuppliedPurchases;
  readonly suppliers: SupplierServices;
  readonly history: History;
  readonly stock: StockStore;
  readonly fulfilment: OrderFulfilment;
  readonly files: FileStore;
  readonly webhooks: WebhookDeliveries;
  readonly feed: Feed;
  readonly itemsOf: (order: Order) => string[];
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export type OperatorHandler = (context: OperatorContext) => void;
export type OperatorRoute = Route<OperatorHandler>;

export class OperatorContext extends RequestContext {
  /** The `{name}` of the path; empty when it has none. */
  readonly name: string;
  readonly query: URLSearchParams;

  constructor(
    exchange: Exchange,
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
    {
      method: 'GET',
      path: `/${name}`,
      handle: (context) =>
        context.withPage((page) => {
          const found = pageOf(rows().values(), page, idOf);
          context.succeedWhenDurable(200, { [name]: found.rows.map(view), ...found.nextCursor });
        }),
    },
    {
      method: 'GET',
      path: `/${name}/{id}`,
      handle: (context) => {
        const row = rows().get(context.id);
        if (row === undefined) context.fail(notFound);
        else context.succeedWhenDurable(200, view(row));
      },
    },
  ];
}

type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>;

interface CommandStep<Body, Kind extends Command['kind']> {
  readonly body: JsonBody<Body>;
  /** What the command has beside its kind, or what is wrong with the body. */
  readonly command: (
    body: Body,
    context: OperatorContext,
  ) => Omit<CommandOf<Kind>, 'kind'> | { readonly error: ApiError };
  /** The fields of the answer. */
  readonly answer: (result: Results[Kind]) => Fields;
  /** Default 200. */
  readonly status?: number;
}

/** Reads the body, submits the command that it means, and answers with the result. The kind is named for the types. */
export function commandRoute<Body, Kind extends Command['kind']>(
  method: string,
  path: string,
  kind: Kind,
  { body, command, answer, status = 200 }: CommandStep<Body, Kind>,
): OperatorRoute {
  return {
    method,
    path,
    handle: (context) =>
      context.readJson(body, (read) => {
        const fields = command(read, context);
        if ('error' in fields) return context.fail(fields.error);
        // That these fields are the ones of this kind is checked above, and lost in the spread.
        const submitted = { kind, ...fields } as unknown as CommandOf<Kind>;
        context.submit(submitted, (result) => context.succeed(status, answer(result as Results[Kind])));
      }),
  };
}
