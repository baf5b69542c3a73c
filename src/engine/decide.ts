/**
 * What a command does in a state: at most one fact, and the answer that rests on it.
 *
 * Pure: no clock, no randomness, no I/O but the `History` port, and it changes nothing. The answer of a
 * command that gives a fact is made by `answer`, right after `apply`, so that it shows the state it led to and
 * nothing that came later.
 */
import { BrokenInvariantError } from './broken-invariant.ts';
import { type Command, PurchaseInProgress, type PurchaseResult, type Results } from './command.ts';
import {
  decideAccountChange,
  decideCredit,
  decideKeyEnd,
  decideNewAccount,
  decideNewKey,
  decideWebhook,
  decideWebhookEnd,
} from './decide-account.ts';
import {
  decideCompletion,
  decideFailure,
  decideOpening,
  decidePayment,
  decideRefund,
} from './decide-order.ts';
import {
  decideNewProduct,
  decideProductChange,
  decideProductFile,
  decideStock,
  decideSupplierStock,
  decideWithdrawal,
} from './decide-product.ts';
import { decidePurchase } from './decide-purchase.ts';
import {
  decideCapture,
  decideNewSupplier,
  decideReconciliation,
  decideRelease,
  decideSupplierChange,
} from './decide-supplier-purchase.ts';
import type { EndedSupplierPurchase } from './ended-supplier-purchases.ts';
import type { Fact } from './fact.ts';
import type { History } from './history.ts';
import { isOrder, type PurchaseOutcome } from './orders.ts';
import { Rejection } from './rejection.ts';
import { CreditReplay, PurchaseReplay } from './replay.ts';
import { productSnapshot, snapshotOf } from './snapshot.ts';
import type { State } from './state.ts';

/** A fact to apply and make durable, or what was decided before, or a refusal that leaves no trace. */
export type Decision = Fact | PurchaseReplay | PurchaseInProgress | CreditReplay | Rejection;

export function decide(state: State, history: History, command: Command, nowMs: number): Decision {
  switch (command.kind) {
    case 'PlaceOrder':
      return decidePurchase(state, history, command, nowMs);
    case 'CreditWallet':
      return decideCredit(state, history, command, nowMs);
    case 'CreateAccount':
      return decideNewAccount(state, command, nowMs);
    case 'UpdateAccount':
      return decideAccountChange(state, command, nowMs);
    case 'IssueKey':
      return decideNewKey(state, command, nowMs);
    case 'RevokeKey':
      return decideKeyEnd(state, command, nowMs);
    case 'SetWebhook':
      return decideWebhook(state, command, nowMs);
    case 'RemoveWebhook':
      return decideWebhookEnd(state, command, nowMs);
    case 'CreateProduct':
      return decideNewProduct(state, command, nowMs);
    case 'UpdateProduct':
      return decideProductChange(state, command, nowMs);
    case 'SetProductFile':
      return decideProductFile(state, command, nowMs);
    case 'AddStock':
      return decideStock(state, command, nowMs);
    case 'WithdrawStock':
      return decideWithdrawal(state, command, nowMs);
    case 'OpenOrder':
      return decideOpening(state, command, nowMs);
    case 'PayOrder':
      return decidePayment(state, history, command, nowMs);
    case 'CompleteOrder':
      return decideCompletion(state, history, command, nowMs);
    case 'FailOrder':
      return decideFailure(state, history, command, nowMs);
    case 'RefundOrder':
      return decideRefund(state, history, command, nowMs);
    case 'CreateSupplier':
      return decideNewSupplier(state, command, nowMs);
    case 'UpdateSupplier':
      return decideSupplierChange(state, command, nowMs);
    case 'RecordSupplierStock':
      return decideSupplierStock(state, command, nowMs);
    case 'CaptureHold':
      return decideCapture(state, history, command, nowMs);
    case 'ReleaseHold':
      return decideRelease(state, command, nowMs);
    case 'ReconcileSupplierPurchase':
      return decideReconciliation(state, command, nowMs);
    case 'CloseEventGroup':
      return { kind: 'EventGroupClosed', windowMs: command.windowMs, atMs: nowMs };
  }
}

export type Answer = Results[keyof Results] | Rejection;

/** The answer to what was decided. A fact must have been applied, and be the last one that was. It never changes. */
export function answer(state: State, decision: Decision): Answer {
  if (decision instanceof Rejection) return decision;
  if (decision instanceof PurchaseInProgress) return decision;
  if (decision instanceof PurchaseReplay) return answerReplay(decision.outcome);
  if (decision instanceof CreditReplay) return { credit: decision.credit, replayed: true };
  switch (decision.kind) {
    case 'OrderPlaced':
      return { order: decision.order, replayed: false };
    case 'PurchaseRefused':
      return new Rejection(decision.refusal.code, undefined, decision.refusal.currentPriceMicros);
    case 'HoldPlaced':
      return new PurchaseInProgress(decision.supplierPurchase, true);
    case 'HoldReleased':
      return decision.supplierPurchaseId;
    case 'HoldCaptured':
    case 'OrderOpened':
    case 'OrderPaid':
    case 'OrderDelivered':
    case 'OrderCancelled':
    case 'OrderFailed':
    case 'OrderRefunded':
      return decision.order;
    case 'WalletCredited':
      return { credit: decision.credit, replayed: false };
    case 'SupplierCreated':
    case 'SupplierUpdated':
      return snapshotOf(state.suppliers.get(decision.supplierId));
    case 'SupplierStockChanged':
      return decision.changes;
    case 'StockAdded':
    case 'StockWithdrawn': {
      const { productId, firstItem, count } = decision;
      return { firstItem, count, availableStock: state.stock.available(productId) };
    }
    case 'SupplierPurchaseReconciled':
      return settledNow(state);
    case 'EventGroupClosed':
      return decision.windowMs;
    case 'ProductCreated':
    case 'ProductUpdated':
    case 'ProductFileSet':
      return productSnapshot(state.stock, state.products.get(decision.productId));
    case 'AccountCreated':
    case 'AccountUpdated':
    case 'KeyIssued':
    case 'KeyRevoked':
    case 'WebhookSet':
    case 'WebhookRemoved':
      return snapshotOf(state.accounts.get(decision.accountId));
  }
}

function settledNow({ endedSupplierPurchases, position }: State): EndedSupplierPurchase {
  const settled = endedSupplierPurchases.values().at(-1);
  if (settled?.position !== position)
    throw new BrokenInvariantError('the last fact ended no supplier purchase');
  return settled;
}

function answerReplay(outcome: PurchaseOutcome): PurchaseResult | Rejection {
  return isOrder(outcome)
    ? { order: outcome, replayed: true }
    : new Rejection(outcome.code, undefined, outcome.currentPriceMicros, true);
}
