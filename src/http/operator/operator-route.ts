import type { History } from '../../engine/decide/history.ts';
import type { FactFeed } from '../../feed/fact-feed.ts';
import type { OrderFulfilment, OrderTexts } from '../../fulfilment/order-fulfilment.ts';
import type { Checkpointer } from '../../persistence/checkpoint/checkpointer.ts';
import type { ItemOrders } from '../../persistence/checkpoint/item-orders.ts';
import type { OrderIndex } from '../../persistence/checkpoint/order-index.ts';
import type { FileStore } from '../../persistence/files/file-store.ts';
import type { StockStore } from '../../persistence/stock/stock-store.ts';
import type { StoreReader } from '../../persistence/store/store-reader.ts';
import type { ReceiptRecovery } from '../../recovery/receipt-recovery.ts';
import type { SupplierPurchasing } from '../../suppliers/supplier-purchasing.ts';
import type { OperatorDeliveries } from '../../webhooks/operator-deliveries.ts';
import type { JsonBody } from '../json-body.ts';
import type { Query } from '../operation.ts';
import type { ContextServices } from '../request-context.ts';
import { type Route, route } from '../router.ts';
import { isBotCall } from './bot-calls.ts';
import type { SeenBots } from './bots/seen-bots.ts';
import { digestOf, type KeyedHash } from './call-digest.ts';
import type { ClusterServices } from './node/cluster-services.ts';
import { NO_BODY, REASON } from './operator-body.ts';
import type { OperatorContext } from './operator-context.ts';
import type { OperatorOperation } from './operator-operation.ts';
import type {
  BackupServices,
  DepositServices,
  DrillServices,
  KeyServices,
  SupplierServices,
} from './operator-services.ts';
import type { PaceServices } from './products/product-row.ts';
import { READERS, type Roles } from './roles.ts';

export interface OperatorServices extends ContextServices, PaceServices {
  /** Undefined where the node has its log alone. */
  readonly cluster?: ClusterServices | undefined;
  readonly keys: KeyServices;
  /** The hash of calls that may be repeated. */
  readonly keyedHash: KeyedHash;
  readonly backups: BackupServices;
  /** Undefined without a continuous backup. */
  readonly drills: DrillServices | undefined;
  /** Undefined on a node of a cluster. */
  readonly supplied: SupplierPurchasing;
  readonly suppliers: SupplierServices;
  readonly history: History;
  readonly itemOrders: ItemOrders;
  readonly orderIndex: OrderIndex;
  readonly stock: StockStore;
  readonly fulfilment: OrderFulfilment;
  readonly files: FileStore;
  readonly receipts: Pick<ReceiptRecovery, 'recover'>;
  readonly webhooks: OperatorDeliveries;
  readonly feed: FactFeed;
  readonly checkpointer: Checkpointer;
  readonly deposits: DepositServices;
  readonly bots: SeenBots;
  /** Kept up to date by `checkpointer`. */
  readonly checkpoint: StoreReader;
  readonly texts: OrderTexts;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export type OperatorHandler = (context: OperatorContext) => void;

export interface OperatorRoute extends Route<OperatorHandler> {
  /** Roles that may call the route, beside `owner`. */
  readonly roles: Roles;
  /** The fields of the query that the route knows; any other is refused, for it would be lost without a word. */
  readonly query: Query;
  readonly operation: OperatorOperation;
  /** Absent when it takes no JSON. */
  readonly body?: JsonBody<unknown> | undefined;
  /** Answered without a token; then `roles` count for nothing. */
  readonly isOpen: boolean;
}

type Call = Parameters<typeof route>[0];

/**
 * A route that reads its body itself, if it has one. The default roles are all that may read, for routes that only
 * read.
 */
export function operatorRoute(
  call: Call,
  operation: OperatorOperation,
  handle: OperatorHandler,
  {
    roles = READERS,
    query = {},
    body,
    isOpen = false,
  }: Partial<Pick<OperatorRoute, 'roles' | 'query' | 'body' | 'isOpen'>> = {},
): OperatorRoute {
  const all: Roles = isBotCall(call) ? ['bot', ...roles] : roles;
  return { ...route(call, handle), operation, roles: all, query, body, isOpen };
}

/** A route that takes a JSON body, and in it a `reason`. */
export function bodyRoute<Body extends { readonly reason?: string | undefined }>(
  call: Call,
  operation: OperatorOperation,
  roles: Roles,
  body: JsonBody<Body>,
  handle: (context: OperatorContext, body: Omit<Body, 'reason'>) => void,
  query: Query = {},
): OperatorRoute {
  const read: OperatorHandler = (context) => context.readBody(body, (fields) => handle(context, fields));
  return operatorRoute(call, operation, read, { roles, query, body });
}

/** A route that makes something new, and may be repeated by its `Idempotency-Key`; takes a body as `bodyRoute` does. */
export function onceRoute<Body extends { readonly reason?: string | undefined }>(
  call: `POST /${string}`,
  operation: OperatorOperation,
  roles: Roles,
  body: JsonBody<Body>,
  { keyedHash }: Pick<OperatorServices, 'keyedHash'>,
  handle: (context: OperatorContext, body: Omit<Body, 'reason'>) => void,
): OperatorRoute {
  return bodyRoute(call, operation, roles, body, (context, fields) => {
    if (context.takeKey(() => digestOf(keyedHash, context.called, fields))) handle(context, fields);
  });
}

/** A DELETE: its `reason` is in the query. */
export function deleteRoute(
  call: `DELETE /${string}`,
  operation: OperatorOperation,
  roles: Roles,
  handle: OperatorHandler,
  query: Query = {},
): OperatorRoute {
  const read: OperatorHandler = (context) => context.readJson(NO_BODY, () => handle(context));
  return operatorRoute(call, operation, read, { roles, query: { ...query, ...REASON } });
}
