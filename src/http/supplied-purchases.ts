/** Where purchases and payments end that a supplier has a part in. */
import type { PurchaseInProgress, PurchaseResult } from '../engine/command.ts';
import type { ReplyTo } from '../engine/group.ts';
import type { Order } from '../engine/orders.ts';

export interface SuppliedPurchases {
  /** Answers when the purchase has its outcome. */
  wait(purchase: PurchaseInProgress, replyTo: ReplyTo<PurchaseResult>): void;
  /** Answers with the order once it is delivered, when that is under way at this moment; else says false. */
  waitForDelivery(order: Order, replyTo: ReplyTo<PurchaseResult>): boolean;
}
