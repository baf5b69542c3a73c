/**
 * The decision on a command in a state: at most one fact, and the answer that rests on it.
 *
 * Pure: no clock, no randomness, no I/O but the `History` port, and it changes nothing. The answer of a
 * command that gives a fact is made by `answer`, right after `apply`, so that it shows the state it led to and
 * nothing that came later.
 */
import { BrokenInvariantError } from '../apply/broken-invariant.ts';
import { depositDeciders } from '../deposits/decide-deposit.ts';
import { copyOf, productCopy } from '../loop/row-copy.ts';
import type { Origin } from '../origin.ts';
import { quarantineDeciders, quarantineResult } from '../recovery/decide-quarantine.ts';
import { recoveryDeciders } from '../recovery/decide-recovery.ts';
import type { State } from '../state.ts';
import type { EndedSupplierPurchase } from '../supplying/ended-supplier-purchases.ts';
import { type KeptBack, NONE_KEPT_BACK } from '../supplying/next-source.ts';
import { type Command, PurchaseInProgress, type Results } from './command.ts';
import { accountDeciders } from './decide-account.ts';
import { adjustmentDeciders } from './decide-adjustment.ts';
import { operatorDeciders } from './decide-operator.ts';
import { orderDeciders } from './decide-order.ts';
import { priceDeciders } from './decide-price.ts';
import { productDeciders } from './decide-product.ts';
import { decidePurchase } from './decide-purchase.ts';
import { supplierDeciders } from './decide-supplier-purchase.ts';
import { type Deciders, type Decision, isFact } from './decision.ts';
import type { History } from './history.ts';
import { type KeyedCommand, type RepeatedCall, repeated } from './keyed-calls.ts';
import { Rejection } from './rejection.ts';

const DECIDERS: Deciders = {
  ...accountDeciders,
  ...productDeciders,
  ...priceDeciders,
  ...orderDeciders,
  ...adjustmentDeciders,
  ...supplierDeciders,
  ...operatorDeciders,
  ...quarantineDeciders,
  ...recoveryDeciders,
  ...depositDeciders,
  CloseEventGroup: (_state, { windowMs }, atMs) => ({ kind: 'EventGroupClosed', windowMs, atMs }),
};

/**
 * `origin` is there when the command is a call that may be repeated. `keptBack`: suppliers whose circuits are open at this
 * moment; a port, like the clock.
 */
export function decide(
  state: State,
  history: History,
  command: Command,
  nowMs: number,
  origin?: Origin,
  keptBack = NONE_KEPT_BACK,
): Decision {
  // A purchase doesn't go through the table: a look-up by a name that changes is slow.
  if (command.kind === 'PlaceOrder') return decidePurchase(state, command, nowMs, history, keptBack);
  if (origin?.call !== undefined) {
    const earlier = repeated(state, history, command as KeyedCommand, origin);
    if (earlier !== undefined) return earlier;
  }
  const decider = DECIDERS[command.kind] as (
    ...given: [State, Command, number, History, KeptBack]
  ) => Decision;
  return decider(state, command, nowMs, history, keptBack);
}

export type Answer = Results[keyof Results] | RepeatedCall | Rejection;

/** The answer to a decision; it never changes. A fact must have been applied, and be the last one that was. */
export function answer(state: State, decision: Decision): Answer {
  if (!isFact(decision)) return decision;
  switch (decision.kind) {
    case 'OrderPlaced':
    case 'OrderItemsReplaced':
      return { order: decision.order, replayed: false };
    case 'PurchaseRefused':
      return new Rejection(decision.refusal.code, undefined, decision.refusal.currentPriceMicros);
    case 'HoldPlaced':
    case 'HoldPassed':
      return new PurchaseInProgress(decision.supplierPurchase, true);
    case 'HoldReleased':
      return decision.supplierPurchaseId;
    case 'HoldCaptured':
    case 'OrderOpened':
    case 'OrderPaid':
    case 'OrderDelivered':
    case 'OrderCancelled':
    case 'OrderFailed':
      return decision.order;
    case 'OrderRefunded': {
      const { order, balanceMicros } = decision;
      return { order, balanceMicros, replayed: false };
    }
    case 'WalletCredited':
      return { credit: decision.credit, replayed: false };
    case 'DepositOpened':
      return copyOf(state.deposits.get(decision.deposit.depositId));
    case 'TransferUnclaimed':
      return { state: 'unclaimed' };
    case 'SupplierCreated':
    case 'SupplierUpdated':
      return copyOf(state.suppliers.get(decision.supplierId));
    case 'PriceListCreated':
    case 'PriceListUpdated':
      return copyOf(state.priceLists.get(decision.priceListId));
    case 'PriceListDeleted':
      return { deletedPriceListId: decision.priceListId, prices: decision.prices };
    case 'PricesChanged':
      return { changedPrices: decision.prices.length };
    case 'SupplierStockChanged':
      return decision.changes;
    case 'StockAdded':
      return { lotId: decision.lot.lotId, availableStock: state.stock.available(decision.productId) };
    case 'StockWithdrawn':
      return { ranges: decision.ranges, availableStock: state.stock.available(decision.productId) };
    case 'LotRecalled':
      return { lot: decision.lot };
    case 'ItemsSearched':
      return decision.found;
    case 'SupplierPurchaseReconciled':
      return lastEnded(state);
    case 'OperatorCreated':
    case 'OperatorTokenIssued':
    case 'OperatorRevoked':
      return copyOf(state.operators.get(decision.operatorId));
    case 'ItemTextsShown':
      return decision.orderId;
    case 'OperatorActed':
      return decision;
    case 'EventGroupClosed':
      return decision.windowMs;
    case 'EpochBegun':
      return decision.epoch;
    case 'OrderRecovered': {
      const { order, waitingMicros } = decision;
      return { order, waitingMicros, replayed: false };
    }
    case 'OrderAmended': {
      const { order } = decision;
      const waitingMicros = state.waitingDebits.get(order.orderId)?.amountMicros ?? 0;
      return { order, waitingMicros, replayed: false };
    }
    case 'DebitSettled':
      return decision;
    case 'ItemsQuarantined':
    case 'QuarantineEnded':
      return quarantineResult(state, decision.productId, decision.ranges);
    case 'SalesOpened':
      return { gap: state.gap };
    case 'ProductCreated':
    case 'ProductUpdated':
    case 'ProductFileSet':
      return productCopy(state.stock, state.products.get(decision.productId));
    case 'AccountCreated':
    case 'AccountUpdated':
    case 'KeyIssued':
    case 'KeyRevoked':
    case 'KeyDeactivated':
    case 'KeyActivated':
    case 'WebhookSet':
    case 'WebhookRemoved':
      return copyOf(state.accounts.get(decision.accountId));
  }
}

function lastEnded({ endedSupplierPurchases, position }: State): EndedSupplierPurchase {
  const last = endedSupplierPurchases.values().at(-1);
  if (last?.position !== position) throw new BrokenInvariantError('the last fact ended no supplier purchase');
  return last;
}
