/**
 * The operator's side of a request, before its route: whether it is meant for this listener, which route, whose token,
 * whether the role may, and whether the query has only what the route knows.
 */
import type { ListenerMeters } from '../../metrics/request-meter.ts';
import { bearerToken } from '../auth.ts';
import { type ApiError, apiError, ROUTE_NOT_FOUND } from '../errors.ts';
import type { ClientAddresses } from '../limits/client-address.ts';
import { answering, sendError } from '../reply.ts';
import { type ContextServices, type OpenHandler, RequestContext } from '../request-context.ts';
import type { RequestIds } from '../request-ids.ts';
import { type Match, type Route, Router } from '../router.ts';
import type { Exchange, OnExchange, StreamingExchange } from '../transport/transport.ts';
import { BotGuard, type BotSight } from './bot-calls.ts';
import type { SeenBots } from './bots/seen-bots.ts';
import { type Caller, NOBODY } from './caller.ts';
import { documentRoute } from './document.ts';
import { HostCheck } from './host-check.ts';
import { METRICS_PATH, PROBE_PATHS } from './node/node-status.ts';
import type { OperatorAuth } from './operator-auth.ts';
import { OperatorContext } from './operator-context.ts';
import { encodingError, queryError } from './operator-query.ts';
import type { OperatorHandler, OperatorRoute } from './operator-route.ts';
import { isFor, notYours } from './roles.ts';

export const OPERATOR_BASE_PATH = '/operator/v1';

/** The header of requests that a page makes by itself: its session ends as if there had been none. */
const UNATTENDED_HEADER = 'x-unattended';

const WRONG_TOKEN = apiError(
  'UNAUTHORIZED',
  'The operator token is missing or wrong: send Authorization: Bearer <token>.',
);

export interface OperatorApiOptions extends ContextServices, Pick<BotSight, 'history'> {
  readonly routes: readonly OperatorRoute[];
  /** The answer to any other call; default: that there is no such route. */
  readonly otherwise?: () => ApiError;
  readonly requestIds: RequestIds;
  readonly auth: OperatorAuth;
  /** Undefined where bots can do nothing. */
  readonly bots?: SeenBots;
  /** The names by which the listener may be called (`HostCheck`). */
  readonly names: readonly string[];
  readonly clientAddresses: ClientAddresses;
  /** Further routes of this listener, by their whole path, for anybody. */
  readonly pages: readonly Route<OpenHandler>[];
  readonly meters: ListenerMeters;
}

export class OperatorApi {
  readonly onExchange: OnExchange<StreamingExchange>;
  readonly #options: OperatorApiOptions;
  /** Every call, with the roles that may make it and the fields that it knows. */
  readonly routes: readonly OperatorRoute[];
  readonly #router: Router<OperatorHandler, OperatorRoute>;
  /** The route of the metrics at the path where Prometheus looks when nobody tells it otherwise. */
  readonly #metrics: Router<OperatorHandler, OperatorRoute>;
  readonly #pages: Router<OpenHandler>;
  readonly #hostCheck: HostCheck;

  constructor(options: OperatorApiOptions) {
    this.#options = options;
    this.onExchange = answering(options, (exchange, requestId) => this.#dispatch(exchange, requestId));
    this.#hostCheck = new HostCheck(options.names);
    const { routes } = options;
    this.routes = [...routes, documentRoute(OPERATOR_BASE_PATH, routes)];
    this.#router = new Router(OPERATOR_BASE_PATH, this.routes, options.meters);
    const metrics = this.routes.filter(({ path }) => path === METRICS_PATH);
    this.#metrics = new Router('', metrics, options.meters);
    this.#pages = new Router('', options.pages, options.meters);
  }

  #dispatch(exchange: StreamingExchange, requestId: string): void {
    const foreign = this.#hostCheck.refusalOf(exchange);
    if (foreign !== undefined) return sendError(exchange, requestId, foreign);
    const match = this.#router.match(exchange) ?? this.#metrics.match(exchange);
    if (match === undefined) return this.#answerPage(exchange, requestId);
    exchange.meter = match.meter;
    const { route } = match;
    const { auth, engine } = this.#options;
    const token = bearerToken(exchange);
    const isUnattended = exchange.header(UNATTENDED_HEADER) === 'true';
    const caller = token === undefined ? undefined : auth.callerOf(engine.state, token, isUnattended);
    exchange.operator = caller?.name ?? '';
    if (route.isOpen) return this.#handle(exchange, requestId, match, caller ?? NOBODY);
    if (caller === undefined) return this.#refuseStranger(exchange, requestId, token !== undefined);
    if (!isFor(caller, route.roles)) return sendError(exchange, requestId, notYours(caller, route.roles));
    const isBot = caller.role === 'bot';
    if (isBot) this.#options.bots?.see(caller.operatorId);
    const guard = isBot ? new BotGuard(this.#options, caller, `${route.method} ${route.path}`) : undefined;
    this.#handle(exchange, requestId, match, caller, guard);
  }

  #handle(
    exchange: StreamingExchange,
    requestId: string,
    match: Match<OperatorHandler, OperatorRoute>,
    caller: Caller,
    guard?: BotGuard,
  ): void {
    const { path, query, handle } = match.route;
    const { engine, auth } = this.#options;
    const isStillIn = (whose: Caller) => auth.isStillIn(engine.state, whose);
    const context = new OperatorContext(exchange, requestId, match, this.#options, caller, isStillIn, guard);
    const error = PROBE_PATHS.includes(path)
      ? undefined
      : (encodingError(exchange.query) ??
        queryError(context.query, Object.keys(query)) ??
        guard?.refusal(match.id, context.query));
    if (error === undefined) handle(context);
    else context.fail(error);
  }

  #answerPage(exchange: StreamingExchange, requestId: string): void {
    const page = this.#pages.match(exchange);
    const { otherwise = () => ROUTE_NOT_FOUND } = this.#options;
    if (page === undefined) return sendError(exchange, requestId, otherwise());
    exchange.meter = page.meter;
    page.route.handle(new RequestContext(exchange, requestId, page.id, this.#options));
  }

  /** Refuses a request without a token, or with a wrong one, as on the buyers' side, with counts of its own. */
  #refuseStranger(exchange: Exchange, requestId: string, triedToken: boolean): void {
    const { clientAddresses, auth } = this.#options;
    const throttled = triedToken ? auth.refuse(clientAddresses.of(exchange)) : undefined;
    sendError(exchange, requestId, throttled ?? WRONG_TOKEN);
  }
}
