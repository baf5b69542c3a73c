/**
 * The operator's side of a request, before its route: which route, and the one token.
 */
import { hash } from 'node:crypto';
import { bearerToken, isSameSecret } from '../auth.ts';
import { apiError, ROUTE_NOT_FOUND } from '../errors.ts';
import type { ClientAddresses } from '../limits/client-address.ts';
import { FailedAuthentications } from '../limits/failed-authentications.ts';
import { answering, type RequestIds, sendError } from '../reply.ts';
import { Router } from '../router.ts';
import type { Exchange, OnExchange, StreamingExchange } from '../transport/transport.ts';
import { accountRoutes } from './accounts.ts';
import { feedRoutes } from './feed.ts';
import { type NodeStatusServices, nodeStatusRoutes, OPEN_PATHS } from './node-status.ts';
import { OperatorContext, type OperatorHandler } from './operator-route.ts';
import { orderRoutes } from './orders.ts';
import { productFileRoutes } from './product-file.ts';
import { productRoutes } from './products.ts';
import { stockRoutes } from './stock.ts';
import { supplierPurchaseRoutes } from './supplier-purchases.ts';
import { supplierRoutes } from './suppliers.ts';
import { webhookRoutes } from './webhooks.ts';

export const OPERATOR_BASE_PATH = '/operator/v1';

const WRONG_TOKEN = apiError(
  'UNAUTHORIZED',
  'The operator token is missing or wrong: send Authorization: Bearer <token>.',
);

export interface OperatorApiOptions extends NodeStatusServices {
  readonly requestIds: RequestIds;
  readonly operatorToken: string;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
  readonly clientAddresses: ClientAddresses;
}

export class OperatorApi {
  readonly onExchange: OnExchange<StreamingExchange>;
  readonly #options: OperatorApiOptions;
  readonly #router: Router<OperatorHandler>;
  readonly #tokenSha256: string;
  readonly #failedAuthentications = new FailedAuthentications();

  constructor(options: OperatorApiOptions) {
    this.#options = options;
    this.onExchange = answering(options, (exchange, requestId) => this.#dispatch(exchange, requestId));
    this.#tokenSha256 = hash('sha256', options.operatorToken);
    this.#router = new Router(OPERATOR_BASE_PATH, [
      ...accountRoutes(options),
      ...productRoutes(options),
      ...productFileRoutes(options),
      ...stockRoutes(options),
      ...supplierRoutes(options),
      ...supplierPurchaseRoutes(options),
      ...orderRoutes(options),
      ...webhookRoutes(options),
      ...feedRoutes(options),
      ...nodeStatusRoutes(options),
    ]);
  }

  #dispatch(exchange: StreamingExchange, requestId: string): void {
    const match = this.#router.match(exchange);
    if (match === undefined) return sendError(exchange, requestId, ROUTE_NOT_FOUND);
    const token = bearerToken(exchange);
    const isKnown = token !== undefined && isSameSecret(hash('sha256', token), this.#tokenSha256);
    if (!isKnown && !OPEN_PATHS.includes(match.route.path)) {
      return this.#refuseStranger(exchange, requestId, token !== undefined);
    }
    match.route.handle(new OperatorContext(exchange, requestId, match, this.#options));
  }

  /** As on the buyer's side, with counts of its own: without a token, or with a wrong one. */
  #refuseStranger(exchange: Exchange, requestId: string, triedToken: boolean): void {
    const { clientAddresses, monotonicMs } = this.#options;
    const throttled = triedToken
      ? this.#failedAuthentications.refuse(clientAddresses.of(exchange), monotonicMs())
      : undefined;
    sendError(exchange, requestId, throttled ?? WRONG_TOKEN);
  }
}
