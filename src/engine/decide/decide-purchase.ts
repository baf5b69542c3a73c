/**
 * A purchase (SPEC.md §4): refused, or placed at once, or, where own stock doesn't suffice and the product has
 * sources, put on hold until one of them has answered.
 */
import { NO_ADJUSTMENTS } from '../adjustments.ts';
import { lowBalance } from '../events/low-balance.ts';
import type { FactOf } from '../fact.ts';
import { isSameAmount } from '../money.ts';
import {
  isOrder,
  isSameRequest,
  type Order,
  type PurchaseOutcome,
  requestOf,
  type StoredRefusalCode,
} from '../orders.ts';
import { totalPriceMicros } from '../pricing/price.ts';
import { isVisible, otherPrice } from '../pricing/price-rule.ts';
import { isOnSale } from '../products.ts';
import type { State } from '../state.ts';
import type { KeptBack } from '../supplying/next-source.ts';
import { type PlaceOrder, PurchaseInProgress } from './command.ts';
import { isKeyDead } from './decide-account.ts';
import { decideHold } from './decide-supplier-purchase.ts';
import type { Decision } from './decision.ts';
import type { History } from './history.ts';
import { Rejection } from './rejection.ts';
import { fileIdOf, quantityRefusal, sourceOf, statusWhenPaid } from './sale.ts';
import { spendRefusal } from './spend-refusal.ts';

/**
 * The API key, idempotency, whether sales are open, product, price, stock, balance, spend limits: in this order
 * (SPEC.md §4, §5, §8).
 */
export function decidePurchase(
  state: State,
  command: PlaceOrder,
  nowMs: number,
  history: History,
  keptBack: KeptBack,
): Decision {
  const { accountId, idempotencyKey, productId, quantity, keySha256 } = command;
  const account = state.accounts.get(accountId);
  // The key may have been replaced while the command waited for its turn.
  if (isKeyDead(account, keySha256)) return new Rejection('UNAUTHORIZED');
  const earlier = outcomeOf(state, history, accountId, idempotencyKey);
  if (earlier !== undefined) {
    if (!isSameRequest(earlier, command)) return new Rejection('IDEMPOTENCY_CONFLICT');
    if (isOrder(earlier)) return { order: earlier, replayed: true };
    return new Rejection(earlier.code, undefined, earlier.currentPriceMicros, true);
  }
  const underWay = state.supplierPurchases.heldBy(accountId, idempotencyKey);
  if (underWay !== undefined) {
    return isSameRequest(underWay, command)
      ? new PurchaseInProgress(underWay, false)
      : new Rejection('IDEMPOTENCY_CONFLICT');
  }
  if (state.gap !== null) return new Rejection('SALES_CLOSED');
  const product = state.products.get(productId);
  if (
    account === undefined ||
    product === undefined ||
    !isOnSale(product) ||
    !isVisible(state, account, product)
  ) {
    return refused(command, 'NOT_FOUND', null, nowMs);
  }
  if (product.profile.requiresRecipient && command.recipientUsername === null) {
    return new Rejection('BAD_REQUEST', 'recipient.username is required for this product.');
  }
  const unfit = quantityRefusal(product.profile, quantity);
  if (unfit !== undefined) return unfit;
  const other = otherPrice(state, account, product);
  const totalMicros = totalPriceMicros(other?.price ?? product.profile, quantity, other?.percent);
  if (!isSameAmount(command.expectedPriceUsdt, totalMicros)) {
    return refused(command, 'PRICE_CHANGED', Number(totalMicros), nowMs);
  }
  const source = sourceOf(state, product, quantity);
  if (source instanceof Rejection) return source;
  if (typeof totalMicros === 'bigint' || totalMicros > account.walletMicros) {
    return refused(command, 'INSUFFICIENT_BALANCE', null, nowMs);
  }
  if (state.spending.size > 0) {
    const refusal = spendRefusal(state.spending, account, totalMicros, nowMs);
    if (refusal !== undefined) return refusal;
  }
  if (typeof source !== 'number')
    return decideHold(state, keptBack, source, command, totalMicros, other, nowMs);
  const order: Order = {
    orderId: state.lastOrderId + 1,
    accountId,
    idempotencyKey,
    productId,
    quantity,
    expectedPriceUsdt: command.expectedPriceUsdt,
    recipientUsername: command.recipientUsername,
    requestNumber: command.requestNumber,
    status: statusWhenPaid(product.profile),
    totalMicros,
    balanceAfterMicros: account.walletMicros - totalMicros,
    firstItem: source,
    fileId: fileIdOf(product),
    textCount: 0,
    createdAtMs: nowMs,
    adjustments: NO_ADJUSTMENTS,
    priceRule: other === undefined ? 'product' : other.priceRule,
    priceListId: other === undefined ? null : other.priceListId,
  };
  if (account.webhook === null) return { kind: 'OrderPlaced', atMs: nowMs, order };
  const low = lowBalance(account, order.balanceAfterMicros + account.heldMicros, totalMicros);
  return { kind: 'OrderPlaced', atMs: nowMs, order, ...low };
}

/** As it is now. */
export function outcomeOf(
  state: State,
  history: History,
  accountId: number,
  idempotencyKey: string,
): PurchaseOutcome | undefined {
  const { idempotency } = state;
  const recent = idempotency.purchase(accountId, idempotencyKey);
  if (recent !== undefined) return recent;
  const hash = idempotency.hashOf(accountId, idempotencyKey);
  const outcome = history.purchaseOutcome(accountId, idempotencyKey, hash);
  // The order may have changed since the checkpoint had it.
  if (outcome === undefined || !isOrder(outcome)) return outcome;
  return state.orders.get(outcome.orderId) ?? outcome;
}

/** A refusal that its key repeats from now on. */
function refused(
  command: PlaceOrder,
  code: StoredRefusalCode,
  currentPriceMicros: number | null,
  nowMs: number,
): FactOf<'PurchaseRefused'> {
  return {
    kind: 'PurchaseRefused',
    atMs: nowMs,
    refusal: { ...requestOf(command), code, currentPriceMicros },
  };
}
