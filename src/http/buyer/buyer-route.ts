/**
 * What a buyer's route is given, and what it may use.
 */
import type { RefusedRequest } from '../../alerts/alert.ts';
import type { Account } from '../../engine/accounts.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../engine/history.ts';
import type { Order } from '../../engine/orders.ts';
import type { Scope } from '../../engine/scope.ts';
import type { FileStore } from '../../persistence/files/file-store.ts';
import { type ApiError, INTERNAL_ERROR } from '../errors.ts';
import type { LowBalanceProtection } from '../limits/low-balance.ts';
import type { Operation } from '../operation.ts';
import { sendError, sendJson } from '../reply.ts';
import type { Route } from '../router.ts';
import type { SuppliedPurchases } from '../supplied-purchases.ts';
import type { Exchange } from '../transport/transport.ts';
import type { WebhookRegistrar } from './webhook-registrar.ts';

export interface BuyerContext {
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly account: Account;
  /** The `{id}` of the path; 0 when it has none. */
  readonly id: number;
}

/** Answers 200 with `json` once everything it could rest on is durable. */
export function sendWhenDurable(engine: Engine, { exchange, requestId }: BuyerContext, json: string): void {
  engine.whenDurable((durable) => {
    if (durable) sendJson(exchange, requestId, 200, json);
    else sendError(exchange, requestId, INTERNAL_ERROR);
  });
}

/** A refusal that tells of state, such as that something isn't there, once that state is durable. */
export function sendErrorWhenDurable(
  engine: Engine,
  { exchange, requestId }: BuyerContext,
  error: ApiError,
): void {
  engine.whenDurable((durable) => sendError(exchange, requestId, durable ? error : INTERNAL_ERROR));
}

export type BuyerHandler = (context: BuyerContext) => void;

export interface BuyerRoute extends Route<BuyerHandler> {
  readonly scope: Scope;
  readonly operation: Operation;
  /** A 429 of this route's own, which comes before the scope is looked at. */
  readonly throttle?: (account: Account) => ApiError | undefined;
}

/** Answers a request that needs no key and counts against no limit. */
export type OpenHandler = (exchange: Exchange, requestId: string) => void;

export interface OpenRoute extends Route<OpenHandler> {
  readonly operation: Operation;
}

export type OnRefused = (request: RefusedRequest) => void;

export interface BuyerServices {
  readonly supplied: SuppliedPurchases;
  readonly engine: Engine;
  readonly history: History;
  /** The texts that a completed order delivers. Throws when they can't be read. */
  readonly itemsOf: (order: Order) => string[];
  /** What file products deliver. */
  readonly files: FileStore;
  /** Told of what should not have happened; the request gets a 500. */
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly lowBalance: LowBalanceProtection;
  readonly webhooks: WebhookRegistrar;
}
