import { NO_ORDER, type SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';

/** A purchase that is held, but for what is said otherwise. */
export function openSupplierPurchase(changes: Partial<SupplierPurchase> = {}): SupplierPurchase {
  const { supplierPurchaseId = 1 } = changes;
  return {
    supplierPurchaseId,
    reference: `pur_${supplierPurchaseId}_1`,
    supplierId: 1,
    sku: 'x',
    accountId: 1,
    idempotencyKey: `key ${supplierPurchaseId}`,
    productId: 1,
    quantity: 1,
    expectedPriceUsdt: 1,
    recipientUsername: null,
    requestNumber: 0,
    totalMicros: 1,
    phase: 'held',
    orderId: NO_ORDER,
    cause: null,
    priceRule: 'product',
    priceListId: null,
    createdAtMs: 0,
    ...changes,
  };
}
