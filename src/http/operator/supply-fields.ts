/** A purchase at a supplier as operators see it, while it is open and when it has ended. */
import { usdtFromMicros } from '../../engine/money.ts';
import { NO_KEY } from '../../engine/orders.ts';
import type { SettledSupply } from '../../engine/settled-supplies.ts';
import { NO_ORDER, type Supply } from '../../engine/supplies.ts';

export function settledFields({
  supply,
  result,
  delivered,
  count,
  settledAtMs,
}: SettledSupply): Record<string, unknown> {
  const items = { itemsDelivered: delivered, itemsIntoStock: count };
  return { ...supplyFields(supply), result, ...items, settledAt: settledAtMs };
}

export function supplyFields(supply: Supply): Record<string, unknown> {
  const { supplyId, reference, supplierId, sku, accountId, productId, quantity, orderId, cause } = supply;
  return {
    supplyId,
    reference,
    supplierId,
    supplierSku: sku,
    accountId,
    productId,
    quantity,
    totalPriceUsdt: usdtFromMicros(supply.totalMicros),
    ...(supply.idempotencyKey === NO_KEY ? {} : { idempotencyKey: supply.idempotencyKey }),
    ...(orderId === NO_ORDER ? {} : { orderId }),
    ...(cause === null ? {} : { cause }),
    createdAt: supply.createdAtMs,
  };
}
