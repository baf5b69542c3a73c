/**
 * What a fact does to the state. Live traffic, recovery and the checkpoint all go through here.
 *
 * It never refuses and never computes a decision: a fact that doesn't fit the state is a broken invariant,
 * and the process must stop rather than go on from a state that is wrong.
 */
import { applyAccount } from './apply-account.ts';
import { applyOrderStep, applyPurchase } from './apply-order.ts';
import { applyProduct, applySupplierStock } from './apply-product.ts';
import { applySupplier, applySupplierPurchase } from './apply-supplier-purchase.ts';
import { BrokenInvariantError } from './broken-invariant.ts';
import type { Fact } from './fact.ts';
import { deposit } from './moves.ts';
import type { State } from './state.ts';

export function apply(state: State, fact: Fact): void {
  switch (fact.kind) {
    case 'OrderPlaced':
      applyPurchase(state, fact);
      break;
    case 'PurchaseRefused':
      state.idempotency.addRefusal(fact.refusal, state.position + 1);
      break;
    case 'OrderOpened':
    case 'OrderPaid':
    case 'OrderDelivered':
    case 'OrderCancelled':
    case 'OrderFailed':
    case 'OrderRefunded':
      applyOrderStep(state, fact);
      break;
    case 'HoldPlaced':
    case 'HoldCaptured':
    case 'HoldReleased':
    case 'SupplierPurchaseReconciled':
      applySupplierPurchase(state, fact);
      break;
    case 'WalletCredited': {
      const { accountId, amountMicros, balanceAfterMicros } = fact.credit;
      deposit(state, accountId, amountMicros, balanceAfterMicros);
      state.idempotency.addCredit(fact.credit);
      break;
    }
    case 'AccountCreated':
    case 'AccountUpdated':
    case 'KeyIssued':
    case 'KeyRevoked':
    case 'WebhookSet':
    case 'WebhookRemoved':
      applyAccount(state, fact);
      break;
    case 'ProductCreated':
    case 'ProductUpdated':
    case 'ProductFileSet':
    case 'StockAdded':
    case 'StockWithdrawn':
      applyProduct(state, fact);
      break;
    case 'SupplierCreated':
    case 'SupplierUpdated':
      applySupplier(state, fact);
      break;
    case 'SupplierStockChanged':
      applySupplierStock(state, fact);
      break;
    case 'EventGroupClosed':
      // It changes what readers of the journal make of other facts, and nothing here.
      break;
    default:
      throw new BrokenInvariantError(`there is no such fact: ${JSON.stringify(fact satisfies never)}`);
  }
  state.position += 1;
}
