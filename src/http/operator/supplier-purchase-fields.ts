/** A purchase at a supplier as operators see it, while it is open and when it has ended. */

import type { EndedSupplierPurchase } from '../../engine/ended-supplier-purchases.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { NO_KEY } from '../../engine/orders.ts';
import { NO_ORDER, type SupplierPurchase } from '../../engine/supplier-purchases.ts';

export function endedFields({
  supplierPurchase,
  result,
  delivered,
  count,
  endedAtMs,
}: EndedSupplierPurchase): Record<string, unknown> {
  const items = { itemsDelivered: delivered, itemsIntoStock: count };
  return { ...supplierPurchaseFields(supplierPurchase), result, ...items, endedAt: endedAtMs };
}

export function supplierPurchaseFields(supplierPurchase: SupplierPurchase): Record<string, unknown> {
  const { supplierPurchaseId, reference, supplierId, sku, accountId, productId, quantity, orderId, cause } =
    supplierPurchase;
  return {
    supplierPurchaseId,
    reference,
    supplierId,
    supplierSku: sku,
    accountId,
    productId,
    quantity,
    totalPriceUsdt: usdtFromMicros(supplierPurchase.totalMicros),
    ...(supplierPurchase.idempotencyKey === NO_KEY
      ? {}
      : { idempotencyKey: supplierPurchase.idempotencyKey }),
    ...(orderId === NO_ORDER ? {} : { orderId }),
    ...(cause === null ? {} : { cause }),
    createdAt: supplierPurchase.createdAtMs,
  };
}
