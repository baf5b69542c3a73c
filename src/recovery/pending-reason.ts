/**
 * Reasons why an order of a gap is pending once its receipt was taken in, with the operator's next step: in words, for
 * the answer.
 */
import type { Order } from '../engine/orders.ts';
import type { OutstandingItems } from '../engine/recovery/outstanding-items.ts';
import type { State } from '../engine/state.ts';
import type { ReceiptClaims } from '../receipts/receipt-claims.ts';
import type { SoldItems } from './item-search.ts';

const CUT = 'not all items in stock were looked at, so they may still be for sale';
const SAME_TEXTS = 'its buyer has them: complete it by hand with the same texts in the same order';

/**
 * Undefined when there is nothing. `outstanding` is what isn't there of it, `isNew` whether this receipt brought it back, `sold`
 * what a search has found.
 */
export function pendingReason(
  state: State,
  order: Order,
  outstanding: OutstandingItems | undefined,
  { fileId, itemHashes }: ReceiptClaims,
  isNew: boolean,
  sold: Pick<SoldItems, 'overtaken' | 'isCut'> | undefined,
): string | undefined {
  const missing = outstanding?.missing.length ?? 0;
  const cut = sold?.isCut === true ? ` (${CUT})` : '';
  const overtaken = sold?.overtaken ?? 0;
  if (order.status === 'completed' && missing > 0) {
    return `${missing} of its items took the places of others, and were not found${cut}: upload what was lost, and take this receipt in again`;
  }
  if (order.status !== 'pending_delivery' && overtaken > 0) {
    return `its buyer had ${overtaken} items before it was given others: they are the buyer's, too, and not for sale again${cut}`;
  }
  if (order.status !== 'pending_delivery' || state.supplierPurchases.ofOrder(order.orderId) !== undefined) {
    return undefined;
  }
  if (outstanding === undefined && itemHashes.length === 0) {
    // It was there before the gap, and is pending as it was then.
    if (!isNew && !state.epochs.isLost(order.orderId)) return undefined;
    return fileId === undefined ? promised(state, order) : 'its file is not in the data folder';
  }
  if (outstanding === undefined) {
    return `its product lacks so many delivered items that those of this order are not remembered${cut}: ${SAME_TEXTS}`;
  }
  if (missing === 0) return `its items are not kept: they are none, or too long together; ${SAME_TEXTS}`;
  const where = 'they were delivered by hand or by a supplier, or are not in stock any more';
  return `${missing} of its ${outstanding.itemHashes.length} items were not found${cut}: ${where}; ${SAME_TEXTS}, or upload what was lost and take this receipt in again`;
}

/** The reason of an order that was pending when the receipt was made. */
function promised({ products, suppliers }: State, { productId, createdAtMs }: Order): string {
  const { sources = [] } = products.get(productId)?.profile ?? {};
  const end = 'complete it by hand, or fail it';
  if (sources.length === 0) return `it was not delivered yet: ${end}`;
  const asked = sources.map(({ supplierId, sku }) => {
    const name = suppliers.get(supplierId)?.profile.name ?? 'unknown';
    return `supplier ${supplierId} (${name}) what became of ${sku}`;
  });
  const when = new Date(createdAtMs).toISOString();
  return (
    'it was not delivered yet, and its supplier is not asked about it any more, because the purchase there is lost: ask ' +
    `${asked.join(', or ')}, bought by ${when} under a reference like pur_…_${createdAtMs}, then ${end}`
  );
}
