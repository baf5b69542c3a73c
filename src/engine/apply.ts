/**
 * What a fact does to the state. Live traffic, recovery and the checkpoint all go through here.
 *
 * It never refuses and never computes a decision: a fact that doesn't fit the state is a broken invariant,
 * and the process must stop rather than go on from a state that is wrong.
 */
import type { Account } from './accounts.ts';
import type { Fact, OrderChange } from './fact.ts';
import { isAllowed } from './order-lifecycle.ts';
import { NO_ITEM, type Order } from './orders.ts';
import type { Product } from './products.ts';
import type { State } from './state.ts';

export class BrokenInvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenInvariantError';
  }
}

export function apply(state: State, fact: Fact): void {
  switch (fact.kind) {
    case 'OrderPlaced':
      addOrder(state, fact.order);
      charge(state, fact.order);
      state.idempotency.addPurchase(fact.order);
      break;
    case 'OrderOpened':
      addOrder(state, fact.order);
      break;
    case 'OrderPaid':
      changeOrder(state, fact);
      charge(state, fact.order);
      break;
    case 'OrderDelivered':
    case 'OrderCancelled':
      changeOrder(state, fact);
      break;
    case 'OrderFailed':
    case 'OrderRefunded':
      changeOrder(state, fact);
      giveBack(state, fact.order, fact.balanceMicros);
      break;
    case 'PurchaseRefused':
      state.idempotency.addPurchase(fact.refusal);
      break;
    case 'WalletCredited': {
      const { credit } = fact;
      const account = accountOf(state, credit.accountId);
      moveToWallet(state, account, credit.amountMicros);
      assertBalance(account, credit.balanceAfterMicros);
      state.ledger.depositsMicros -= credit.amountMicros;
      state.idempotency.addCredit(credit);
      break;
    }
    case 'AccountCreated': {
      const { accountId, profile, atMs } = fact;
      assertThat(accountId === state.accounts.nextId, `account ${accountId} is not the next one`);
      state.accounts.add({
        accountId,
        profile,
        key: null,
        webhook: null,
        walletMicros: 0,
        heldMicros: 0,
        createdAtMs: atMs,
      });
      break;
    }
    case 'AccountUpdated':
      accountOf(state, fact.accountId).profile = fact.profile;
      break;
    case 'KeyIssued':
      accountOf(state, fact.accountId).key = fact.key;
      break;
    case 'KeyRevoked':
      accountOf(state, fact.accountId).key = null;
      break;
    case 'WebhookSet':
      accountOf(state, fact.accountId).webhook = fact.webhook;
      break;
    case 'WebhookRemoved':
      accountOf(state, fact.accountId).webhook = null;
      break;
    case 'ProductCreated': {
      const { productId, profile, atMs } = fact;
      assertThat(productId === state.products.nextId, `product ${productId} is not the next one`);
      state.products.add({ productId, profile, file: null, createdAtMs: atMs });
      break;
    }
    case 'ProductUpdated':
      productOf(state, fact.productId).profile = fact.profile;
      break;
    case 'ProductFileSet':
      productOf(state, fact.productId).file = fact.file;
      break;
    case 'StockAdded': {
      const { next, end } = state.stock.of(productOf(state, fact.productId).productId);
      assertThat(fact.firstItem === end, `product ${fact.productId} got items that are not the next ones`);
      state.stock.set(fact.productId, next, end + fact.count);
      break;
    }
    case 'StockWithdrawn':
      takeItems(state, fact.productId, fact.firstItem, fact.count);
      state.stock.addWithdrawn(fact.productId, { firstItem: fact.firstItem, count: fact.count });
      break;
    default:
      throw new BrokenInvariantError(`there is no such fact: ${JSON.stringify(fact satisfies never)}`);
  }
  state.position += 1;
}

function addOrder(state: State, order: Order): void {
  assertThat(order.orderId === state.lastOrderId + 1, `order ${order.orderId} is not the next one`);
  state.lastOrderId = order.orderId;
  state.orders.add(order);
}

/** What the order was before is known only while it is in memory. */
function changeOrder(state: State, { kind, order }: OrderChange): void {
  const { orderId, status } = order;
  assertThat(orderId <= state.lastOrderId, `order ${orderId} does not exist`);
  const before = state.orders.get(orderId);
  const isStep = before === undefined || isAllowed(before.status, kind, status);
  assertThat(isStep, `order ${orderId} went from ${before?.status} to ${status} by ${kind}`);
  state.orders.change(order);
}

function charge(state: State, order: Order): void {
  const account = accountOf(state, order.accountId);
  if (order.firstItem !== NO_ITEM) takeItems(state, order.productId, order.firstItem, order.quantity);
  moveToWallet(state, account, -order.totalMicros);
  assertBalance(account, order.balanceAfterMicros);
  state.ledger.revenueMicros += order.totalMicros;
}

function giveBack(state: State, order: Order, balanceMicros: number): void {
  const account = accountOf(state, order.accountId);
  moveToWallet(state, account, order.totalMicros);
  assertBalance(account, balanceMicros);
  state.ledger.revenueMicros -= order.totalMicros;
}

function takeItems(state: State, productId: number, firstItem: number, count: number): void {
  const { next, end } = state.stock.of(productId);
  assertThat(firstItem === next, `product ${productId} gave item ${firstItem}, not its next one, ${next}`);
  assertThat(next + count <= end, `product ${productId} gave ${count} items of ${end - next}`);
  state.stock.set(productId, next + count, end);
}

function moveToWallet(state: State, account: Account, amountMicros: number): void {
  account.walletMicros += amountMicros;
  state.ledger.walletsMicros += amountMicros;
  assertThat(Number.isSafeInteger(account.walletMicros), `account ${account.accountId} has no exact balance`);
  assertThat(account.walletMicros >= 0, `account ${account.accountId} is below zero`);
}

function assertBalance(account: Account, balanceMicros: number): void {
  assertThat(account.walletMicros === balanceMicros, `account ${account.accountId} has another balance`);
}

function accountOf(state: State, accountId: number): Account {
  const account = state.accounts.get(accountId);
  if (account === undefined) throw new BrokenInvariantError(`account ${accountId} does not exist`);
  return account;
}

function productOf(state: State, productId: number): Product {
  const product = state.products.get(productId);
  if (product === undefined) throw new BrokenInvariantError(`product ${productId} does not exist`);
  return product;
}

function assertThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new BrokenInvariantError(otherwise);
}
