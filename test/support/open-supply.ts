import { NO_ORDER, type Supply } from '../../src/engine/supplies.ts';

/** A purchase that is held, but for what is said otherwise. */
export function openSupply(changes: Partial<Supply> = {}): Supply {
  const { supplyId = 1 } = changes;
  return {
    supplyId,
    reference: `pur_${supplyId}_1`,
    supplierId: 1,
    sku: 'x',
    accountId: 1,
    idempotencyKey: `key ${supplyId}`,
    productId: 1,
    quantity: 1,
    expectedPriceUsdt: 1,
    recipientUsername: null,
    totalMicros: 1,
    phase: 'held',
    orderId: NO_ORDER,
    cause: null,
    createdAtMs: 0,
    ...changes,
  };
}
