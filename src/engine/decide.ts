/**
 * What a command does in a state: at most one fact, and the answer that rests on it.
 *
 * Pure: no clock, no randomness, no I/O but the `History` port, and it changes nothing. The answer of a
 * command that gives a fact is made by `answer`, after `apply`, so that it shows the state it led to.
 */
import type { Account } from './accounts.ts';
import {
  type Command,
  type CreateProduct,
  type CreditWallet,
  type PlaceOrder,
  PurchaseInProgress,
  type SetProductFile,
  type UpdateProduct,
} from './command.ts';
import {
  decideCompletion,
  decideFailure,
  decideOpening,
  decidePayment,
  decideRefund,
} from './decide-order.ts';
import {
  decideCapture,
  decideHold,
  decideNewSupplier,
  decideReconciliation,
  decideRelease,
  decideSupplierChange,
  sourceRefusal,
} from './decide-supply.ts';
import type { Fact } from './fact.ts';
import type { History } from './history.ts';
import type { CreditOutcome } from './idempotency.ts';
import {
  MAX_ACCOUNTS,
  MAX_DEPOSITS_MICROS,
  MAX_ITEMS_PER_PRODUCT,
  MAX_PRODUCTS,
  MAX_WITHDRAWN_RANGES,
} from './limits.ts';
import { isSameAmount } from './money.ts';
import { isOrder, isSameRequest, type PurchaseOutcome, type StoredRefusalCode } from './orders.ts';
import { isOnSale, totalPriceMicros } from './products.ts';
import { Rejection } from './rejection.ts';
import { fileIdOf, firstItemOf, statusWhenPaid } from './sale.ts';
import type { State } from './state.ts';

/** A fact to apply and make durable, or what was decided before, or a refusal that leaves no trace. */
export type Decision = Fact | PurchaseReplay | PurchaseInProgress | CreditReplay | Rejection;

export class PurchaseReplay {
  readonly outcome: PurchaseOutcome;

  constructor(outcome: PurchaseOutcome) {
    this.outcome = outcome;
  }
}

export class CreditReplay {
  readonly credit: CreditOutcome;

  constructor(credit: CreditOutcome) {
    this.credit = credit;
  }
}

export function decide(state: State, history: History, command: Command, nowMs: number): Decision {
  switch (command.kind) {
    case 'PlaceOrder':
      return decidePurchase(state, history, command, nowMs);
    case 'CreditWallet':
      return decideCredit(state, history, command, nowMs);
    case 'CreateAccount':
      if (state.accounts.size >= MAX_ACCOUNTS) {
        return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_ACCOUNTS} accounts.`);
      }
      return {
        kind: 'AccountCreated',
        accountId: state.accounts.nextId,
        profile: command.profile,
        atMs: nowMs,
      };
    case 'UpdateAccount': {
      const account = state.accounts.get(command.accountId);
      if (account === undefined) return noAccount();
      const profile = { ...account.profile, ...command.changes };
      return { kind: 'AccountUpdated', accountId: account.accountId, profile, atMs: nowMs };
    }
    case 'IssueKey':
      if (state.accounts.get(command.accountId) === undefined) return noAccount();
      return { kind: 'KeyIssued', accountId: command.accountId, key: command.key, atMs: nowMs };
    case 'RevokeKey':
      if (state.accounts.get(command.accountId) === undefined) return noAccount();
      return { kind: 'KeyRevoked', accountId: command.accountId, atMs: nowMs };
    case 'SetWebhook': {
      const { accountId, webhook } = command;
      const account = state.accounts.get(accountId);
      if (account === undefined) return noAccount();
      if (isKeyDead(account, command.keySha256)) return new Rejection('UNAUTHORIZED');
      return { kind: 'WebhookSet', accountId, webhook, atMs: nowMs };
    }
    case 'RemoveWebhook': {
      const { accountId } = command;
      const account = state.accounts.get(accountId);
      if (account === undefined) return noAccount();
      if (isKeyDead(account, command.keySha256)) return new Rejection('UNAUTHORIZED');
      if (account.webhook === null) return new Rejection('NOT_FOUND', 'No webhook is configured.');
      return { kind: 'WebhookRemoved', accountId, atMs: nowMs };
    }
    case 'CreateProduct':
      return decideNewProduct(state, command, nowMs);
    case 'UpdateProduct':
      return decideProductChange(state, command, nowMs);
    case 'SetProductFile':
      return decideProductFile(state, command, nowMs);
    case 'AddStock': {
      const { productId, firstItem, count } = command;
      if (state.products.get(productId) === undefined) return noProduct();
      if (firstItem + count > MAX_ITEMS_PER_PRODUCT) {
        return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
      }
      return { kind: 'StockAdded', productId, firstItem, count, atMs: nowMs };
    }
    case 'WithdrawStock': {
      const { productId } = command;
      if (state.products.get(productId) === undefined) return noProduct();
      const { next, end } = state.stock.of(productId);
      const count = Math.min(command.count, end - next);
      if (state.stock.withdrawn(productId).length >= MAX_WITHDRAWN_RANGES) {
        return new Rejection('BAD_REQUEST', `Stock can be withdrawn ${MAX_WITHDRAWN_RANGES} times.`);
      }
      return { kind: 'StockWithdrawn', productId, firstItem: next, count, atMs: nowMs };
    }
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
    case 'CaptureHold':
      return decideCapture(state, command, nowMs);
    case 'ReleaseHold':
      return decideRelease(state, command, nowMs);
    case 'ReconcileSupply':
      return decideReconciliation(state, command, nowMs);
  }
}

/** The API key, idempotency, product, price, stock, balance: in this order (SPEC.md §4, §5). */
function decidePurchase(state: State, history: History, command: PlaceOrder, nowMs: number): Decision {
  const { accountId, idempotencyKey, productId, quantity, keySha256 } = command;
  const account = state.accounts.get(accountId);
  // The key may have been replaced while the command waited for its turn.
  if (isKeyDead(account, keySha256)) return new Rejection('UNAUTHORIZED');
  const earlier = outcomeOf(state, history, accountId, idempotencyKey);
  if (earlier !== undefined) {
    return isSameRequest(earlier, command)
      ? new PurchaseReplay(asItIsNow(state, earlier))
      : new Rejection('IDEMPOTENCY_CONFLICT');
  }
  const underWay = state.supplies.heldBy(accountId, idempotencyKey);
  if (underWay !== undefined) {
    return isSameRequest(underWay, command)
      ? new PurchaseInProgress(underWay, false)
      : new Rejection('IDEMPOTENCY_CONFLICT');
  }
  const product = state.products.get(productId);
  if (account === undefined || product === undefined || !isOnSale(product)) {
    return refused(command, 'NOT_FOUND', null, nowMs);
  }
  if (product.profile.requiresRecipient && command.recipientUsername === null) {
    return new Rejection('BAD_REQUEST', 'recipient.username is required for this product.');
  }
  const totalMicros = totalPriceMicros(product.profile, quantity);
  if (!isSameAmount(command.expectedPriceUsdt, totalMicros)) {
    return refused(command, 'PRICE_CHANGED', Number(totalMicros), nowMs);
  }
  const firstItem = firstItemOf(state, product, quantity);
  const { source } = product.profile;
  if (firstItem instanceof Rejection && (firstItem.code !== 'OUT_OF_STOCK' || source == null))
    return firstItem;
  if (typeof totalMicros === 'bigint' || totalMicros > account.walletMicros) {
    return refused(command, 'INSUFFICIENT_BALANCE', null, nowMs);
  }
  if (firstItem instanceof Rejection) {
    // Own stock is sold first; only where it doesn't suffice, a supplier is asked, for all of it.
    return source == null ? firstItem : decideHold(state, account, source, command, totalMicros, nowMs);
  }
  return {
    kind: 'OrderPlaced',
    atMs: nowMs,
    order: {
      orderId: state.lastOrderId + 1,
      accountId,
      idempotencyKey,
      productId,
      quantity,
      expectedPriceUsdt: command.expectedPriceUsdt,
      recipientUsername: command.recipientUsername,
      status: statusWhenPaid(product.profile),
      totalMicros,
      balanceAfterMicros: account.walletMicros - totalMicros,
      firstItem,
      fileId: fileIdOf(product),
      textCount: 0,
      createdAtMs: nowMs,
    },
  };
}

function outcomeOf(
  state: State,
  history: History,
  accountId: number,
  idempotencyKey: string,
): PurchaseOutcome | undefined {
  if (!state.idempotency.mayHavePurchase(accountId, idempotencyKey)) return undefined;
  return (
    state.idempotency.purchases.get(accountId, idempotencyKey) ??
    history.purchaseOutcome(accountId, idempotencyKey)
  );
}

/** A replay of an order that has changed since tells what became of it. */
function asItIsNow(state: State, outcome: PurchaseOutcome): PurchaseOutcome {
  return isOrder(outcome) ? (state.orders.get(outcome.orderId) ?? outcome) : outcome;
}

/** A refusal that its key repeats from now on. */
function refused(
  command: PlaceOrder,
  code: StoredRefusalCode,
  currentPriceMicros: number | null,
  nowMs: number,
): Decision {
  const { accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, recipientUsername } = command;
  return {
    kind: 'PurchaseRefused',
    atMs: nowMs,
    refusal: {
      accountId,
      idempotencyKey,
      productId,
      quantity,
      expectedPriceUsdt,
      recipientUsername,
      code,
      currentPriceMicros,
    },
  };
}

function decideCredit(state: State, history: History, command: CreditWallet, nowMs: number): Decision {
  const { accountId, reference, amountMicros } = command;
  const account = state.accounts.get(accountId);
  if (account === undefined) return noAccount();
  const earlier =
    state.idempotency.credits.get(accountId, reference) ?? history.creditOutcome(accountId, reference);
  if (earlier !== undefined) {
    return earlier.amountMicros === amountMicros
      ? new CreditReplay(earlier)
      : new Rejection('IDEMPOTENCY_CONFLICT', 'This reference was already used for another amount.');
  }
  const balanceAfterMicros = account.walletMicros + amountMicros;
  if (balanceAfterMicros < 0) {
    return new Rejection('INSUFFICIENT_BALANCE', 'The adjustment would take the wallet below zero.');
  }
  if (amountMicros - state.ledger.depositsMicros > MAX_DEPOSITS_MICROS) {
    return new Rejection('BAD_REQUEST', 'The credit would take the sum of all deposits over its maximum.');
  }
  return {
    kind: 'WalletCredited',
    credit: { accountId, reference, amountMicros, balanceAfterMicros },
    atMs: nowMs,
  };
}

function decideNewProduct(state: State, command: CreateProduct, nowMs: number): Decision {
  if (state.products.size >= MAX_PRODUCTS) {
    return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_PRODUCTS} products.`);
  }
  const refusal = sourceRefusal(state, command.profile);
  if (refusal !== undefined) return refusal;
  return {
    kind: 'ProductCreated',
    productId: state.products.nextId,
    profile: command.profile,
    atMs: nowMs,
  };
}

function decideProductChange(state: State, command: UpdateProduct, nowMs: number): Decision {
  const product = state.products.get(command.productId);
  if (product === undefined) return noProduct();
  if (command.changes.type !== undefined && command.changes.type !== product.profile.type) {
    return new Rejection('BAD_REQUEST', "A product's type cannot be changed; create another product.");
  }
  const profile = { ...product.profile, ...command.changes };
  const refusal = sourceRefusal(state, profile);
  if (refusal !== undefined) return refusal;
  return { kind: 'ProductUpdated', productId: product.productId, profile, atMs: nowMs };
}

function decideProductFile(state: State, { productId, file }: SetProductFile, nowMs: number): Decision {
  const product = state.products.get(productId);
  if (product === undefined) return noProduct();
  if (product.profile.type !== 'file') {
    return new Rejection('BAD_REQUEST', `A product of type ${product.profile.type} has no file.`);
  }
  return { kind: 'ProductFileSet', productId, file, atMs: nowMs };
}

/** Whether a command came with an API key that isn't the account's any more. */
function isKeyDead(account: Account | undefined, keySha256: string | undefined): boolean {
  return keySha256 !== undefined && keySha256 !== account?.key?.sha256;
}

function noAccount(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such account.');
}

function noProduct(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such product.');
}

/** The answer to what was decided. For a fact, it must have been applied. */
export function answer(state: State, decision: Decision): unknown {
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
      return new PurchaseInProgress(decision.supply, true);
    case 'HoldReleased':
      return decision.supplyId;
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
      return state.suppliers.get(decision.supplierId);
    case 'StockAdded':
    case 'StockWithdrawn':
    case 'SupplyReconciled':
      return { firstItem: decision.firstItem, count: decision.count };
    case 'ProductCreated':
    case 'ProductUpdated':
    case 'ProductFileSet':
      return state.products.get(decision.productId);
    case 'AccountCreated':
    case 'AccountUpdated':
    case 'KeyIssued':
    case 'KeyRevoked':
    case 'WebhookSet':
    case 'WebhookRemoved':
      return state.accounts.get(decision.accountId);
  }
}

function answerReplay(outcome: PurchaseOutcome): unknown {
  return isOrder(outcome)
    ? { order: outcome, replayed: true }
    : new Rejection(outcome.code, undefined, outcome.currentPriceMicros, true);
}
