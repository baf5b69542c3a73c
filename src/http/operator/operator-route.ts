/**
 * What an operator's route is given, and what it may use (the operator's contract: docs/operator-guide.md).
 */
import type { Command, Results } from '../../engine/command.ts';
import type { EndedSupplierPurchase } from '../../engine/ended-supplier-purchases.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../engine/history.ts';
import type { Order } from '../../engine/orders.ts';
import { Rejection } from '../../engine/rejection.ts';
import type { SupplierPurchase } from '../../engine/supplier-purchases.ts';
import type { OrderFulfilment } from '../../fulfilment/order-fulfilment.ts';
import type { FileStore } from '../../persistence/files/file-store.ts';
import type { StockStore } from '../../persistence/stock/stock-store.ts';
import { type ApiError, badRequest, INTERNAL_ERROR } from '../errors.ts';
import { checkEncoding, isJsonContentType } from '../json-body.ts';
import { errorOfRejection, sendError, sendJson } from '../reply.ts';
import type { Match, Route } from '../router.ts';
import type { SuppliedPurchases } from '../supplied-purchases.ts';
import type { Exchange } from '../transport/transport.ts';
import type { Feed } from './feed-opening.ts';
import { MAX_OPERATOR_BODY_BYTES, type OperatorBody } from './operator-body.ts';
import type { WebhookDeliveries } from './webhook-deliveries.ts';

const EMPTY_OBJECT = Buffer.from('{}');

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

export interface OperatorServices {
  readonly supplied: SuppliedPurchases;
  readonly suppliers: SupplierServices;
  readonly engine: Engine;
  readonly history: History;
  readonly stock: StockStore;
  readonly deliveries: OrderFulfilment;
  readonly files: FileStore;
  readonly webhooks: WebhookDeliveries;
  readonly feed: Feed;
  readonly itemsOf: (order: Order) => string[];
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export type OperatorHandler = (context: OperatorContext) => void;
export type OperatorRoute = Route<OperatorHandler>;

export class OperatorContext {
  readonly exchange: Exchange;
  readonly requestId: string;
  /** The `{id}` of the path; 0 when it has none. */
  readonly id: number;
  /** The `{name}` of the path; empty when it has none. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly #services: OperatorServices;

  constructor(
    exchange: Exchange,
    requestId: string,
    { id, name }: Pick<Match<OperatorHandler>, 'id' | 'name'>,
    services: OperatorServices,
  ) {
    this.exchange = exchange;
    this.requestId = requestId;
    this.id = id;
    this.name = name;
    this.query = new URLSearchParams(exchange.query);
    this.#services = services;
  }

  succeed(status: number, fields: Readonly<Record<string, unknown>>): void {
    const json = JSON.stringify({ success: true, ...fields, requestId: this.requestId });
    sendJson(this.exchange, this.requestId, status, json);
  }

  fail(error: ApiError): void {
    sendError(this.exchange, this.requestId, error);
  }

  fault(error: unknown): void {
    this.#services.onFault(error, this.requestId);
    this.fail(INTERNAL_ERROR);
  }

  /** Answers with what was read from the live state, once everything it could rest on is durable. */
  succeedWhenDurable(status: number, fields: Readonly<Record<string, unknown>>): void {
    this.#whenDurable(() => this.succeed(status, fields));
  }

  /** The same for a refusal that tells of the state. */
  failWhenDurable(error: ApiError): void {
    this.#whenDurable(() => this.fail(error));
  }

  /** Gives the command's result to `then`, or answers with its refusal. Both are durable, and may leave at once. */
  submit<C extends Command>(command: C, then: (result: Results[C['kind']]) => void): void {
    this.#services.engine.submit(command, (result) => this.settle(result, then));
  }

  /** What `submit` does with the engine's answer. */
  settle<Result>(result: Result | Rejection, then: (result: Result) => void): void {
    try {
      if (result instanceof Rejection) this.fail(errorOfRejection(result));
      else then(result);
    } catch (error) {
      this.fault(error);
    }
  }

  /** Gives the validated body to `then`, or answers with what is wrong with it. */
  readJson<Body>(body: OperatorBody<Body>, then: (body: Body) => void): void {
    this.#readJson(body, then, false);
  }

  /** The same, where no body at all means `{}`. */
  readOptionalJson<Body>(body: OperatorBody<Body>, then: (body: Body) => void): void {
    this.#readJson(body, then, true);
  }

  #whenDurable(reply: () => void): void {
    this.#services.engine.whenDurable((durable) => {
      if (durable) reply();
      else this.fail(INTERNAL_ERROR);
    });
  }

  #readJson<Body>(body: OperatorBody<Body>, then: (body: Body) => void, isOptional: boolean): void {
    const isJson = isJsonContentType(this.exchange.header('content-type'));
    const encodingError = checkEncoding(this.exchange.header('content-encoding'));
    this.exchange.readBody(MAX_OPERATOR_BODY_BYTES, (received) => {
      if (received === 'aborted') return;
      const isEmpty = isOptional && typeof received !== 'string' && received.length === 0;
      const bytes = isEmpty ? EMPTY_OBJECT : received;
      if (!isJson && !isEmpty) return this.fail(badRequest('The Content-Type must be application/json.'));
      if (encodingError !== undefined && !isEmpty) return this.fail(encodingError);
      const parsed = body.parse(bytes);
      if ('error' in parsed) return this.fail(parsed.error);
      try {
        then(parsed.body);
      } catch (error) {
        this.fault(error);
      }
    });
  }
}
