/**
 * The arguments and the services of a buyer's route.
 */

import type { Account } from '../../engine/accounts.ts';
import type { History } from '../../engine/decide/history.ts';
import type { Scope } from '../../engine/scope.ts';
import type { BuyerEvents } from '../../feed/buyer-events.ts';
import type { OrderTexts } from '../../fulfilment/order-fulfilment.ts';
import type { FileStore } from '../../persistence/files/file-store.ts';
import type { ReceiptIssuer } from '../../receipts/receipt-issuer.ts';
import type { Semaphore } from '../../shared/semaphore.ts';
import type { SupplierPurchasing } from '../../suppliers/supplier-purchasing.ts';
import type { WebhookRegistration } from '../../webhooks/webhook-registration.ts';
import type { ApiError } from '../errors.ts';
import type { LowBalanceProtection } from '../limits/low-balance.ts';
import type { Operation, Query } from '../operation.ts';
import type { OpenHandler } from '../request-context.ts';
import { type Route, route } from '../router.ts';
import type { BuyerContext, BuyerContextServices } from './buyer-context.ts';

export type BuyerHandler = (context: BuyerContext) => void;

export interface BuyerRoute extends Route<BuyerHandler> {
  readonly scope: Scope;
  readonly operation: Operation;
  readonly query: Query;
  /** A 429 of this route's own, which comes before the scope is looked at. */
  readonly throttle?: (account: Account) => ApiError | undefined;
}

export function buyerRoute(
  call: Parameters<typeof route>[0],
  scope: Scope,
  operation: Operation,
  handle: BuyerHandler,
  query: Query = {},
): BuyerRoute {
  return { ...route(call, handle), scope, operation, query };
}

/** Needs no key, and counts against no limit. */
export interface OpenRoute extends Route<OpenHandler> {
  readonly operation: Operation;
}

export interface BuyerServices extends BuyerContextServices {
  readonly supplied: Pick<SupplierPurchasing, 'wait' | 'waitForDelivery'>;
  readonly history: History;
  readonly events: Pick<BuyerEvents, 'page' | 'wait'>;
  readonly texts: OrderTexts;
  readonly answerSlots: Semaphore<number>;
  readonly receipts: Pick<ReceiptIssuer, 'hasReceipt' | 'issue' | 'keys'>;
  /** The files that products deliver. */
  readonly files: FileStore;
  readonly lowBalance: LowBalanceProtection;
  readonly webhooks: Pick<WebhookRegistration, 'refusalOf' | 'newSecret' | 'maskedSecret'>;
}
