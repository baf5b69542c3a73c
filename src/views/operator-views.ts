/**
 * Rows as operators read them, in the names and units of the operator API: its answers and the lines of the feed.
 *
 * Invariant: no secret, key or text of an item is in a view, since the feed's lines stay in the logs of the operator's
 * programs. That is why what may hold such a thing is written field by field, and never spread.
 */

import type { AccountProfile } from '../engine/accounts.ts';
import { type Adjustment, refundedMicros } from '../engine/adjustments.ts';
import type { CreditOutcome } from '../engine/decide/idempotency.ts';
import type { Deposit, Transfer } from '../engine/deposits/deposit.ts';
import type { CreditedTransfer } from '../engine/deposits/deposit-facts.ts';
import type { PriceChange } from '../engine/fact.ts';
import type { LotLabel } from '../engine/lots.ts';
import { usdtFromMicros } from '../engine/money.ts';
import { NO_KEY, type Order } from '../engine/orders.ts';
import { PERCENT_STEPS, type Price, type PriceTier } from '../engine/pricing/price.ts';
import type { PriceListProfile } from '../engine/pricing/price-lists.ts';
import type { PricedBy } from '../engine/pricing/price-rule.ts';
import { catalogFields, type ProductProfile, type SupplierSource } from '../engine/products.ts';
import { NO_REQUEST, requestIdOf } from '../engine/request-number.ts';
import { NO_ORDER, type SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function accountView(
  accountId: number,
  { name, rateLimitPerMinute, webhookConcurrency, ...others }: AccountProfile,
): Fields {
  const { externalId, priceListId, spendLimits, allowedNetworks } = others;
  return {
    accountId,
    name,
    rateLimitPerMinute,
    webhookConcurrency,
    externalId: externalId ?? null,
    priceListId: priceListId ?? null,
    spendLimits: (spendLimits ?? []).map(({ windowHours, amountMicros }) => ({
      windowHours,
      amountUsdt: usdtFromMicros(amountMicros),
    })),
    allowedNetworks: allowedNetworks ?? null,
  };
}

export function creditView(credit: CreditOutcome): Fields {
  return {
    accountId: credit.accountId,
    reference: credit.reference,
    amountUsdt: usdtFromMicros(credit.amountMicros),
    balanceUsdt: usdtFromMicros(credit.balanceAfterMicros),
  };
}

export function depositView({
  depositId,
  accountId,
  network,
  address,
  amountMicros,
  payMicros,
  expiresAtMs,
}: Omit<Deposit, 'createdAtMs' | 'reference'>): Fields {
  return {
    depositId,
    accountId,
    network,
    address,
    amountUsdt: usdtFromMicros(amountMicros),
    payUsdt: usdtFromMicros(payMicros),
    expiresAt: expiresAtMs,
  };
}

export function transferView({ reference, network, address, amountMicros, paidAtMs }: Transfer): Fields {
  return { reference, network, address, amountUsdt: usdtFromMicros(amountMicros), paidAt: paidAtMs };
}

/** The transfer of a credit, beside the credit's own fields. */
export function creditedTransferView({ network, address, paidAtMs, depositId }: CreditedTransfer): Fields {
  return { network, address, paidAt: paidAtMs, ...(depositId === undefined ? {} : { depositId }) };
}

export function productView(
  productId: number,
  { priceMicros, priceTiers, sources, lowStock, ...profile }: ProductProfile,
): Fields {
  return {
    productId,
    ...profile,
    priceUsdt: usdtFromMicros(priceMicros),
    priceTiers: priceTiersView(priceTiers),
    ...catalogFields(profile),
    ...(lowStock == null ? {} : { lowStock }),
    ...sourcesView(sources ?? []),
  };
}

/** The first one also as the only one of a product. */
function sourcesView(sources: readonly SupplierSource[]): Fields {
  const [first] = sources;
  if (first === undefined) return {};
  const all = sources.map(({ supplierId, sku }) => ({ supplierId, sku }));
  return { supplierId: first.supplierId, supplierSku: first.sku, sources: all };
}

/** Changed fields of `view`, each before and after; nothing for facts that don't have the fields before. */
export function changesField<Profile extends object>(
  view: (profile: Profile) => Fields,
  profile: Profile,
  before: Partial<Profile> | undefined,
): Fields {
  if (before === undefined) return {};
  const [from, to] = [view({ ...profile, ...before }), view(profile)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changes = names
    .filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
    .map((name) => ({ field: name, from: from[name] ?? null, to: to[name] ?? null }));
  return changes.length === 0 ? {} : { changes };
}

/** Buyers read them in the same form. */
export function priceTiersView(tiers: readonly PriceTier[]): readonly Fields[] {
  return tiers.map(({ minQuantity, priceMicros }) => ({
    minQuantity,
    priceUsdt: usdtFromMicros(priceMicros),
  }));
}

export function priceView({ priceMicros, priceTiers }: Price): Fields {
  return { priceUsdt: usdtFromMicros(priceMicros), priceTiers: priceTiersView(priceTiers) };
}

/** A price that changed, before and after; null where there was none, or is none any more. */
export function priceChangesView(changes: readonly PriceChange[]): Fields {
  const of = (price: Price | null, field: string) => (price === null ? null : priceView(price)[field]);
  return {
    changes: changes.flatMap(({ productId, before, price }) =>
      ['priceUsdt', 'priceTiers']
        .map((field) => ({ productId, field, from: of(before, field), to: of(price, field) }))
        .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to)),
    ),
  };
}

export function priceListView(priceListId: number, { name, percent }: PriceListProfile): Fields {
  return { priceListId, name, percent: percent === null ? null : percent / PERCENT_STEPS };
}

/** The rule that an order's total came from, where it is known. */
export function priceRuleView({ priceRule, priceListId }: PricedBy): Fields {
  return {
    ...(priceRule === null ? {} : { priceRule }),
    ...(priceListId === null ? {} : { priceListId }),
  };
}

export function lotView(
  { lotId, source, costMicros, reference }: LotLabel & { readonly lotId: number },
  withCost = true,
): Fields {
  return {
    lotId,
    ...(source === undefined ? {} : { source }),
    ...(costMicros === undefined || !withCost ? {} : { costUsdt: usdtFromMicros(costMicros) }),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** Without what it delivers, which GET /orders/{id} alone says. */
export function orderView(order: Order): Fields {
  const { idempotencyKey, recipientUsername, adjustments } = order;
  const isRefunded = adjustments.some(({ kind }) => kind === 'refund');
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    status: order.status,
    productId: order.productId,
    quantity: order.quantity,
    totalPriceUsdt: usdtFromMicros(order.totalMicros),
    balanceAfterUsdt: usdtFromMicros(order.balanceAfterMicros),
    ...priceRuleView(order),
    ...(isRefunded ? { refundedUsdt: usdtFromMicros(refundedMicros(adjustments)) } : {}),
    createdAt: order.createdAtMs,
    ...requestField(order.requestNumber),
    ...(idempotencyKey === NO_KEY ? {} : { idempotencyKey }),
    ...(recipientUsername === null ? {} : { recipientUsername }),
  };
}

/** Refunds and replacements, oldest first, when there were any: the items by number, never their texts. */
export function adjustmentsView({ adjustments }: Order): { readonly adjustments?: Fields[] } {
  return adjustments.length === 0 ? {} : { adjustments: adjustments.map(adjustmentView) };
}

function adjustmentView(adjustment: Adjustment): Fields {
  const { kind, key, atMs, amountMicros, items } = adjustment;
  const asked = key === NO_KEY ? {} : { idempotencyKey: key };
  if (adjustment.kind === 'replacement') {
    const { oldItems, newItems } = adjustment;
    return { kind, at: atMs, items, oldItems, newItems, ...asked };
  }
  const places = adjustment.part === 'items' ? { items } : {};
  return { kind, at: atMs, amountUsdt: usdtFromMicros(amountMicros), ...places, ...asked };
}

/** The id of the request that led to this, as its answer had it; nothing without a request. */
export function requestField(requestNumber: number): Fields {
  return requestNumber === NO_REQUEST ? {} : { requestId: requestIdOf(requestNumber) };
}

export function supplierPurchaseView(supplierPurchase: SupplierPurchase): Fields {
  const { supplierPurchaseId, reference, supplierId, sku, accountId, productId, quantity } = supplierPurchase;
  const { idempotencyKey, orderId, totalMicros, requestNumber, holdReference } = supplierPurchase;
  return {
    supplierPurchaseId,
    reference,
    ...(holdReference === undefined ? {} : { holdReference }),
    supplierId,
    supplierSku: sku,
    accountId,
    productId,
    quantity,
    totalPriceUsdt: usdtFromMicros(totalMicros),
    ...requestField(requestNumber),
    ...(idempotencyKey === NO_KEY ? {} : { idempotencyKey }),
    ...(orderId === NO_ORDER ? {} : { orderId }),
  };
}
