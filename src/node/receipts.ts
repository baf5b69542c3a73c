/** The receipts, wired: issuing them, and taking them in after a restore. */

import type { History } from '../engine/decide/history.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import type { FileStore } from '../persistence/files/file-store.ts';
import type { FrameLog } from '../persistence/journal/frame-log.ts';
import type { KeyRing } from '../persistence/keys/key-ring.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { ReceiptIssuer } from '../receipts/receipt-issuer.ts';
import { PublicKeys, SigningKey } from '../receipts/signing-key.ts';
import { ReceiptRecovery } from '../recovery/receipt-recovery.ts';

export interface ReceiptPartsOptions {
  readonly ring: KeyRing;
  readonly engine: Engine;
  readonly frameLog: FrameLog;
  readonly history: History;
  readonly stock: StockStore;
  readonly files: FileStore;
  readonly fulfilment: OrderFulfilment;
}

export interface ReceiptParts {
  readonly receipts: ReceiptIssuer;
  readonly receiptRecovery: ReceiptRecovery;
}

export function openReceipts(options: ReceiptPartsOptions): ReceiptParts {
  const { ring, engine, frameLog, stock, fulfilment } = options;
  const { shop } = ring;
  const key = SigningKey.fromSeed(ring.signingSeed);
  const keys = new PublicKeys([key.jwk]);
  const receipts = new ReceiptIssuer({
    key,
    shop,
    epoch: () => engine.state.epochs.current,
    head: () => frameLog.head,
    clock: Date.now,
    textsOf: fulfilment.textsOf,
    areMany: fulfilment.areMany,
    textsOfItems: (productId, items) => {
      const { end } = engine.state.stock.of(productId);
      return stock.itemsOf(
        productId,
        items.map((firstItem) => ({ firstItem, count: 1 })),
        end,
      );
    },
    itemsFrom: (productId, firstItem, count) => engine.state.stock.itemsFrom(productId, firstItem, count),
  });
  return { receipts, receiptRecovery: new ReceiptRecovery({ ...options, shop: { shop, keys } }) };
}
