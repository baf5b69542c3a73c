/**
 * The buyer's side of a request, before its route: which route, whose key, how often, which scope. In this
 * order (404, 401, 429, 403); what it refuses has touched no disk.
 */

import { KeyCheck, presentedKey } from '../auth.ts';
import { apiError, ROUTE_NOT_FOUND, rateLimited, UNAUTHORIZED } from '../errors.ts';
import { RateLimiter } from '../rate-limit.ts';
import { answering, type RequestIds, sendError } from '../reply.ts';
import { type Route, Router } from '../router.ts';
import type { Exchange, OnExchange } from '../transport/transport.ts';
import { balanceRoutes } from './balance.ts';
import type { BuyerHandler, BuyerRoute, BuyerServices, OpenHandler } from './buyer-route.ts';
import { documentRoute } from './document.ts';
import { downloadRoutes } from './download.ts';
import { HEALTH_ROUTE } from './health.ts';
import { orderRoutes } from './orders.ts';
import { productRoutes } from './products.ts';
import { purchaseRoutes } from './purchase.ts';

export const BUYER_BASE_PATH = '/api/v1/buyer';

export interface BuyerApiOptions extends BuyerServices {
  readonly requestIds: RequestIds;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
  /** What else is served on this listener, by its whole path, to anybody. */
  readonly pages: readonly Route<OpenHandler>[];
}

export class BuyerApi {
  readonly onExchange: OnExchange;
  readonly #options: BuyerApiOptions;
  readonly #router: Router<BuyerHandler>;
  /** Asked second: the calls that need a key are the frequent ones. */
  readonly #openRouter: Router<OpenHandler>;
  readonly #pageRouter: Router<OpenHandler>;
  readonly #keyCheck = new KeyCheck();
  readonly #rateLimiter = new RateLimiter();

  constructor(options: BuyerApiOptions) {
    this.#options = options;
    this.onExchange = answering(options, (exchange, requestId) => this.#dispatch(exchange, requestId));
    const routes = [
      ...productRoutes(options),
      ...balanceRoutes(options),
      ...purchaseRoutes(options),
      ...orderRoutes(options),
      ...downloadRoutes(options),
    ];
    this.#router = new Router<BuyerHandler>(BUYER_BASE_PATH, routes);
    this.#openRouter = new Router<OpenHandler>(BUYER_BASE_PATH, [
      HEALTH_ROUTE,
      documentRoute(BUYER_BASE_PATH, [HEALTH_ROUTE, ...routes]),
    ]);
    this.#pageRouter = new Router<OpenHandler>('', options.pages);
  }

  #dispatch(exchange: Exchange, requestId: string): void {
    const match = this.#router.match(exchange);
    if (match === undefined) {
      const open = this.#openRouter.match(exchange) ?? this.#pageRouter.match(exchange);
      if (open === undefined) sendError(exchange, requestId, ROUTE_NOT_FOUND);
      else open.route.handle(exchange, requestId);
      return;
    }
    const presented = presentedKey(exchange);
    const account =
      presented === undefined
        ? undefined
        : this.#keyCheck.accountOf(this.#options.engine.state.accounts, presented);
    if (account?.key == null) {
      sendError(exchange, requestId, UNAUTHORIZED);
      return;
    }
    const waitMs = this.#waitMs(account.key.prefix, account.profile.rateLimitPerMinute);
    if (waitMs > 0) {
      const message = `More than ${account.profile.rateLimitPerMinute} requests in a minute.`;
      sendError(exchange, requestId, rateLimited(message, Math.ceil(waitMs / 1000)));
      return;
    }
    const { scope, handle } = match.route as BuyerRoute;
    if (!account.key.scopes.includes(scope)) {
      sendError(exchange, requestId, apiError('FORBIDDEN', `The API key lacks the scope ${scope}.`));
      return;
    }
    handle({ exchange, requestId, account, id: match.id });
  }

  #waitMs(key: string, limitPerMinute: number | null): number {
    if (limitPerMinute === null) return 0;
    return this.#rateLimiter.admit(key, limitPerMinute, this.#options.monotonicMs());
  }
}
