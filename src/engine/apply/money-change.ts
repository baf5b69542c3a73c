/**
 * Changes of money by facts, as statements and reports tell them. One table for the fold, the report's edges and
 * `purser verify`, so that they can't differ.
 *
 * Invariant: deposits − sales + refunds − change of holds = change of the wallet, for each fact and so for each sum of
 * facts. A capture leaves the wallet as it is: what was on hold is sold.
 */
import type { Fact } from '../fact.ts';
import type { Order } from '../orders.ts';
import type { Origin } from '../origin.ts';
import { NO_ORDER, type SupplierPurchase } from '../supplying/supplier-purchases.ts';

/** Stored by their place in this list: new ones come last. */
export const MONEY_KINDS = [
  'purchase',
  'credit',
  'adjustment',
  'hold',
  'release',
  'refund',
  'return',
  'capture',
  'deposit',
] as const;
export type MoneyKind = (typeof MONEY_KINDS)[number];

/** `MoneyChange.productId` of a deposit, which is for no product. */
export const NO_PRODUCT = 0;

export interface MoneyChange {
  readonly kind: MoneyKind;
  readonly accountId: number;
  readonly productId: number;
  /** In micro-USDT; negative of an `adjustment` alone. */
  readonly amountMicros: number;
  /** `NO_ORDER` when there is none. */
  readonly orderId: number;
  /**
   * The reference of a credit, given by the operator, or of a hold and its release, as the supplier knows it. Else
   * empty.
   */
  readonly reference: string;
}

/** Sums of changes, in micro-USDT. Named so that no other file says which kind counts where. */
export interface MoneySums {
  /** Credits, deposits and adjustments. */
  depositsMicros: number;
  salesMicros: number;
  /** Refunds, and money that went back for failed orders. */
  refundsMicros: number;
  /** How much more is on hold. */
  heldMicros: number;
}

export function noSums(): MoneySums {
  return { depositsMicros: 0, salesMicros: 0, refundsMicros: 0, heldMicros: 0 };
}

/** Undefined when the fact moves no money. */
export function moneyChangeOf(fact: Fact): MoneyChange | undefined {
  switch (fact.kind) {
    case 'OrderPlaced':
    case 'OrderPaid':
      return ofOrder('purchase', fact.order, fact.order.totalMicros);
    case 'OrderRecovered':
      return fact.waitingMicros > 0 ? undefined : ofOrder('purchase', fact.order, fact.debitMicros);
    case 'DebitSettled': {
      const { accountId, productId, amountMicros, orderId } = fact;
      return { kind: 'purchase', accountId, productId, amountMicros, orderId, reference: '' };
    }
    case 'HoldCaptured':
      return ofOrder('capture', fact.order, fact.order.totalMicros);
    case 'OrderFailed':
      return ofOrder('return', fact.order, fact.amountMicros);
    case 'OrderRefunded':
      return ofOrder('refund', fact.order, fact.amountMicros);
    case 'WalletCredited': {
      const { accountId, amountMicros, reference } = fact.credit;
      const byHand = amountMicros < 0 ? 'adjustment' : 'credit';
      const kind = fact.transfer === undefined ? byHand : 'deposit';
      return { kind, accountId, productId: NO_PRODUCT, amountMicros, orderId: NO_ORDER, reference };
    }
    case 'HoldPlaced':
      return ofHold('hold', fact.supplierPurchase);
    case 'HoldReleased':
      return ofHold('release', fact);
    default:
      return undefined;
  }
}

/** The change of the wallet, in micro-USDT. */
export function walletChangeMicros({
  kind,
  amountMicros,
}: Pick<MoneyChange, 'kind' | 'amountMicros'>): number {
  switch (kind) {
    case 'capture':
      return 0;
    case 'purchase':
    case 'hold':
      return -amountMicros;
    default:
      return amountMicros;
  }
}

export function addChange(
  sums: MoneySums,
  { kind, amountMicros }: Pick<MoneyChange, 'kind' | 'amountMicros'>,
): void {
  switch (kind) {
    case 'purchase':
      sums.salesMicros += amountMicros;
      break;
    case 'capture':
      sums.salesMicros += amountMicros;
      sums.heldMicros -= amountMicros;
      break;
    case 'hold':
      sums.heldMicros += amountMicros;
      break;
    case 'release':
      sums.heldMicros -= amountMicros;
      break;
    case 'refund':
    case 'return':
      sums.refundsMicros += amountMicros;
      break;
    default:
      sums.depositsMicros += amountMicros;
  }
}

export function addSums(sums: MoneySums, more: MoneySums): void {
  sums.depositsMicros += more.depositsMicros;
  sums.salesMicros += more.salesMicros;
  sums.refundsMicros += more.refundsMicros;
  sums.heldMicros += more.heldMicros;
}

/** How much more is in the wallets. */
export function walletsMicros({ depositsMicros, salesMicros, refundsMicros, heldMicros }: MoneySums): number {
  return depositsMicros - salesMicros + refundsMicros - heldMicros;
}

/** The operator who moved money, and the reason; empty when no operator did. */
export type Mover = Pick<Origin, 'operatorId' | 'reason'>;

function ofOrder(kind: MoneyKind, order: Order, amountMicros: number): MoneyChange {
  const { accountId, productId, orderId } = order;
  return { kind, accountId, productId, amountMicros, orderId, reference: '' };
}

function ofHold(
  kind: MoneyKind,
  hold: Pick<SupplierPurchase, 'accountId' | 'productId' | 'totalMicros' | 'orderId' | 'reference'>,
): MoneyChange {
  const { accountId, productId, totalMicros, orderId, reference } = hold;
  return { kind, accountId, productId, amountMicros: totalMicros, orderId, reference };
}
