/**
 * The buyer's side of a request, before its route: which route, whose key, how often, which scope. In this
 * order, which is the first half of the table in docs/buyer-guide.md (404, 401, 429, 403); what it refuses has
 * touched no disk.
 */

import type { MisplacedKey } from '../../alerts/alert.ts';
import type { Account } from '../../engine/accounts.ts';
import type { ListenerMeters } from '../../metrics/request-meter.ts';
import { KeyCheck, presentedKey } from '../auth.ts';
import { type ApiError, apiError, ROUTE_NOT_FOUND, UNAUTHORIZED } from '../errors.ts';
import type { ClientAddresses } from '../limits/client-address.ts';
import { FailedAuthentications } from '../limits/failed-authentications.ts';
import { AllowedNetworks } from '../limits/network.ts';
import { RateLimiter, type Taken } from '../limits/rate-limit.ts';
import { answering, sendError } from '../reply.ts';
import { type OpenHandler, RequestContext } from '../request-context.ts';
import type { RequestIds } from '../request-ids.ts';
import { type Match, type Route, Router } from '../router.ts';
import type { Exchange, OnExchange } from '../transport/transport.ts';
import { balanceRoutes } from './balance.ts';
import { BuyerContext } from './buyer-context.ts';
import type { BuyerHandler, BuyerRoute, BuyerServices } from './buyer-route.ts';
import { documentRoute } from './document.ts';
import { downloadRoutes } from './download.ts';
import { eventRoutes } from './events.ts';
import { HEALTH_ROUTE } from './health.ts';
import { orderRoutes } from './orders.ts';
import { productRoutes } from './products.ts';
import { ORDERS_PATH, purchaseRoutes } from './purchase.ts';
import { receiptKeysRoute, receiptRoutes } from './receipts.ts';
import { webhookRoutes } from './webhook.ts';

export const BUYER_BASE_PATH = '/api/v1/buyer';
/** Where most requests go, by POST. */
export const PURCHASE_PATH = `${BUYER_BASE_PATH}${ORDERS_PATH}`;

export interface BuyerApiOptions extends BuyerServices {
  readonly requestIds: RequestIds;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
  /** Further routes of this listener, by their whole path, for anybody. */
  readonly pages: readonly Route<OpenHandler>[];
  readonly meters: ListenerMeters;
  readonly clientAddresses: ClientAddresses;
  /** Told of a valid key from where its account doesn't allow it. */
  readonly onMisplacedKey: (request: MisplacedKey) => void;
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
  readonly #failedAuthentications = new FailedAuthentications();
  readonly #networks = new AllowedNetworks();

  constructor(options: BuyerApiOptions) {
    this.#options = options;
    this.onExchange = answering(options, (exchange, requestId) => this.#dispatch(exchange, requestId));
    const routes = [
      ...productRoutes(options),
      ...balanceRoutes(),
      ...purchaseRoutes(options),
      ...orderRoutes(options),
      ...receiptRoutes(options),
      ...downloadRoutes(options),
      ...webhookRoutes(options),
      ...eventRoutes(options),
    ];
    this.#router = new Router<BuyerHandler>(BUYER_BASE_PATH, routes, options.meters);
    const described = [HEALTH_ROUTE, receiptKeysRoute(options)];
    const open = [...described, documentRoute(BUYER_BASE_PATH, [...described, ...routes])];
    this.#openRouter = new Router<OpenHandler>(BUYER_BASE_PATH, open, options.meters);
    this.#pageRouter = new Router<OpenHandler>('', options.pages, options.meters);
  }

  #dispatch(exchange: Exchange, requestId: string): void {
    const match = this.#router.match(exchange);
    if (match === undefined) {
      const open = this.#openRouter.match(exchange) ?? this.#pageRouter.match(exchange);
      if (open === undefined) return sendError(exchange, requestId, ROUTE_NOT_FOUND);
      exchange.meter = open.meter;
      open.route.handle(new RequestContext(exchange, requestId, open.id, this.#options));
      return;
    }
    exchange.meter = match.meter;
    const presented = presentedKey(exchange);
    const account =
      presented === undefined
        ? undefined
        : this.#keyCheck.accountOf(this.#options.engine.state.accounts, presented);
    if (account === undefined) this.#refuseStranger(exchange, requestId, presented !== undefined);
    else if (!this.#isAllowedHere(account, exchange))
      this.#refuseStranger(exchange, requestId, true, account);
    else this.#limit(exchange, requestId, account, match);
  }

  #limit(exchange: Exchange, requestId: string, account: Account, match: Match<BuyerHandler>): void {
    exchange.accountId = account.accountId;
    const admission = this.#admission(account);
    const limitHeaders = admission?.headers;
    const context = new BuyerContext(exchange, requestId, match.id, account, limitHeaders, this.#options);
    const route = match.route as BuyerRoute;
    const error = admission?.error ?? route.throttle?.(account) ?? missingScope(account, route);
    if (error !== undefined) {
      context.fail(error);
      return;
    }
    try {
      route.handle(context);
    } catch (fault) {
      context.fault(fault);
    }
  }

  #admission({ key, profile }: Account): Taken | undefined {
    const { rateLimitPerMinute } = profile;
    if (rateLimitPerMinute === null || key === null) return undefined;
    return this.#rateLimiter.take(key, rateLimitPerMinute, this.#options.monotonicMs());
  }

  #isAllowedHere({ profile: { allowedNetworks } }: Account, exchange: Exchange): boolean {
    if (allowedNetworks === undefined) return true;
    return this.#networks.allow(allowedNetworks, this.#options.clientAddresses.of(exchange));
  }

  /**
   * Refuses a request without a key, or with one that is nobody's; or with the key of an account that allows it from
   * elsewhere alone, in the same words.
   */
  #refuseStranger(exchange: Exchange, requestId: string, triedKey: boolean, account?: Account): void {
    const { clientAddresses, monotonicMs, onRefused, onMisplacedKey, refusals } = this.#options;
    const { method, path } = exchange;
    const address = clientAddresses.of(exchange);
    const throttled = triedKey ? this.#failedAuthentications.refuse(address, monotonicMs()) : undefined;
    const error = throttled ?? UNAUTHORIZED;
    const { message } = error;
    refusals.count(error.code);
    sendError(exchange, requestId, error);
    const status = throttled === undefined ? 401 : 429;
    const refused = { requestId, status, message, method, path, address } as const;
    if (account === undefined) onRefused(refused);
    else onMisplacedKey({ ...refused, accountId: account.accountId });
  }
}

function missingScope({ key }: Account, { scope }: BuyerRoute): ApiError | undefined {
  if (key?.scopes.includes(scope)) return undefined;
  return apiError('FORBIDDEN', `The API key lacks the scope ${scope}. Use a key that has it.`);
}
