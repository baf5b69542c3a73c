/** What issues receipts, wired: the shop's key, the journal's head, and the texts of what was sold. */
import type { Engine } from './engine/engine.ts';
import type { OrderFulfilment } from './fulfilment/order-fulfilment.ts';
import type { KeyRing } from './persistence/disk/key-ring.ts';
import type { FrameLog } from './persistence/journal/frame-log.ts';
import type { StockStore } from './persistence/stock/stock-store.ts';
import { ReceiptIssuer } from './receipts/receipt-issuer.ts';
import { SigningKey } from './receipts/signing-key.ts';

export interface ReceiptPartsOptions {
  readonly ring: KeyRing;
  readonly engine: Engine;
  readonly frameLog: FrameLog;
  readonly stock: StockStore;
  readonly fulfilment: OrderFulfilment;
}

export function openReceipts(options: ReceiptPartsOptions): ReceiptIssuer {
  const { ring, engine, frameLog, stock, fulfilment } = options;
  return new ReceiptIssuer({
    key: SigningKey.fromSeed(ring.signingSeed),
    shop: ring.shop,
    epoch: () => 1,
    head: () => frameLog.head,
    clock: Date.now,
    itemsOf: fulfilment.itemsOf,
    textsOf: (productId, items) => {
      const { end } = engine.state.stock.of(productId);
      return items.flatMap((item) => stock.readItems(productId, item, 1, end));
    },
    itemsFrom: (productId, firstItem, count) => engine.state.stock.itemsFrom(productId, firstItem, count),
  });
}
