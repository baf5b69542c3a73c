/**
 * What a fact does to the state. Live traffic, recovery and the checkpoint all go through here.
 *
 * It never refuses and never computes a decision: a fact that doesn't fit the state is a broken invariant,
 * and the process must stop rather than go on from a state that is wrong.
 */
import type { Account } from './accounts.ts';
import type {
  Fact,
  HoldCaptured,
  HoldPlaced,
  HoldReleased,
  OrderChange,
  SupplierCreated,
  SupplierUpdated,
  SupplyReconciled,
} from './fact.ts';
import { isAllowed } from './order-lifecycle.ts';
import { NO_ITEM, type Order } from './orders.ts';
import type { Product } from './products.ts';
import type { State } from './state.ts';
import type { Supply, SupplyPhase } from './supplies.ts';

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
    case 'OrderCancelled':
      changeOrder(state, fact);
      break;
    case 'OrderDelivered':
      changeOrder(state, fact);
      endSupply(state, fact.order, fact.supplyId);
      break;
    case 'OrderFailed':
      changeOrder(state, fact);
      giveBack(state, fact.order, fact.balanceMicros);
      endSupply(state, fact.order, fact.supplyId);
      break;
    case 'OrderRefunded':
      changeOrder(state, fact);
      endSupply(state, fact.order, undefined);
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
    case 'StockAdded':
      addItems(state, fact.productId, fact.firstItem, fact.count);
      break;
    case 'StockWithdrawn':
      takeItems(state, fact.productId, fact.firstItem, fact.count);
      state.stock.addWithdrawn(fact.productId, { firstItem: fact.firstItem, count: fact.count });
      break;
    case 'SupplierCreated':
    case 'SupplierUpdated':
    case 'HoldPlaced':
    case 'HoldCaptured':
    case 'HoldReleased':
    case 'SupplyReconciled':
      applySupply(state, fact);
      break;
    default:
      throw new BrokenInvariantError(`there is no such fact: ${JSON.stringify(fact satisfies never)}`);
  }
  state.position += 1;
}

type SupplyFact =
  | SupplierCreated
  | SupplierUpdated
  | HoldPlaced
  | HoldCaptured
  | HoldReleased
  | SupplyReconciled;

function applySupply(state: State, fact: SupplyFact): void {
  switch (fact.kind) {
    case 'SupplierCreated': {
      const { supplierId, profile, atMs } = fact;
      assertThat(supplierId === state.suppliers.nextId, `supplier ${supplierId} is not the next one`);
      state.suppliers.add({ supplierId, profile, createdAtMs: atMs });
      break;
    }
    case 'SupplierUpdated': {
      const supplier = state.suppliers.get(fact.supplierId);
      if (supplier === undefined)
        throw new BrokenInvariantError(`supplier ${fact.supplierId} does not exist`);
      supplier.profile = fact.profile;
      break;
    }
    case 'HoldPlaced': {
      const { supply } = fact;
      assertThat(supply.supplyId === state.lastSupplyId + 1, `supply ${supply.supplyId} is not the next one`);
      state.lastSupplyId = supply.supplyId;
      state.supplies.set(supply);
      moveToHold(state, supply.accountId, supply.totalMicros);
      break;
    }
    case 'HoldCaptured': {
      const { supplyId, order } = fact;
      const supply = supplyOf(state, supplyId, 'held');
      addOrder(state, order);
      moveToHold(state, supply.accountId, -supply.totalMicros);
      charge(state, order);
      state.supplies.set({ ...supply, phase: 'pending', orderId: order.orderId });
      state.idempotency.addPurchase(order);
      break;
    }
    case 'HoldReleased': {
      const { accountId, totalMicros } = fact;
      const supply = supplyOf(state, fact.supplyId, 'held');
      assertThat(
        supply.accountId === accountId && supply.totalMicros === totalMicros,
        `supply ${supply.supplyId} has another hold than was released`,
      );
      moveToHold(state, accountId, -totalMicros);
      if (fact.isUnresolved) state.supplies.set({ ...supply, phase: 'unresolved' });
      else state.supplies.delete(supply.supplyId);
      if (fact.refusal !== null) state.idempotency.addPurchase(fact.refusal);
      break;
    }
    case 'SupplyReconciled':
      supplyOf(state, fact.supplyId, 'unresolved');
      state.supplies.delete(fact.supplyId);
      if (fact.count > 0) addItems(state, fact.productId, fact.firstItem, fact.count);
  }
}

/** With a supply of its own the order's end is the supply's, too; else the supplier has still to be asked. */
function endSupply(state: State, { orderId }: Order, supplyId: number | undefined): void {
  const supply = state.supplies.ofOrder(orderId);
  assertThat(
    supplyId === undefined || supply?.supplyId === supplyId,
    `order ${orderId} is of another supply`,
  );
  if (supply === undefined) return;
  if (supplyId === undefined) state.supplies.set({ ...supply, phase: 'unresolved' });
  else state.supplies.delete(supplyId);
}

/** From the wallet on hold, or back when it is negative. */
function moveToHold(state: State, accountId: number, amountMicros: number): void {
  const account = accountOf(state, accountId);
  moveToWallet(state, account, -amountMicros);
  account.heldMicros += amountMicros;
  state.ledger.heldMicros += amountMicros;
  assertThat(account.heldMicros >= 0, `account ${accountId} holds less than nothing`);
}

function supplyOf(state: State, supplyId: number, phase: SupplyPhase): Supply {
  const supply = state.supplies.get(supplyId);
  if (supply?.phase !== phase) throw new BrokenInvariantError(`supply ${supplyId} is not ${phase}`);
  return supply;
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

function addItems(state: State, productId: number, firstItem: number, count: number): void {
  const { next, end } = state.stock.of(productOf(state, productId).productId);
  assertThat(firstItem === end, `product ${productId} got items that are not the next ones`);
  state.stock.set(productId, next, end + count);
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
