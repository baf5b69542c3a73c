/**
 * What happened. A fact carries resolved values (time, price, item numbers), never an instruction to compute
 * again, so that replaying a journal gives the same state whatever the code that decided has become since.
 * One command gives at most one fact: there is no moment when a part of what it changed exists without the
 * rest.
 */
import type { AccountProfile, ApiKey } from './accounts.ts';
import type { SettledResult } from './ended-supplier-purchases.ts';
import type { CreditOutcome } from './idempotency.ts';
import type { Order, StoredRefusal } from './orders.ts';
import type { ProductFile, ProductProfile, SuppliedStock } from './products.ts';
import type { ReleaseCode, SupplierPurchase } from './supplier-purchases.ts';
import type { SupplierProfile } from './suppliers.ts';
import type { Webhook } from './webhook.ts';

interface Happened {
  /** Unix milliseconds. */
  readonly atMs: number;
}

export interface AccountCreated extends Happened {
  readonly kind: 'AccountCreated';
  readonly accountId: number;
  readonly profile: AccountProfile;
}

export interface AccountUpdated extends Happened {
  readonly kind: 'AccountUpdated';
  readonly accountId: number;
  readonly profile: AccountProfile;
}

export interface KeyIssued extends Happened {
  readonly kind: 'KeyIssued';
  readonly accountId: number;
  readonly key: ApiKey;
}

export interface KeyRevoked extends Happened {
  readonly kind: 'KeyRevoked';
  readonly accountId: number;
}

/** Replaces the one before, whose secret is dead from now on. */
export interface WebhookSet extends Happened {
  readonly kind: 'WebhookSet';
  readonly accountId: number;
  readonly webhook: Webhook;
}

/** What was still to be delivered is cancelled. */
export interface WebhookRemoved extends Happened {
  readonly kind: 'WebhookRemoved';
  readonly accountId: number;
}

/** Moves between deposits and the wallet; negative amounts are downward adjustments. */
export interface WalletCredited extends Happened {
  readonly kind: 'WalletCredited';
  readonly credit: CreditOutcome;
}

export interface ProductCreated extends Happened {
  readonly kind: 'ProductCreated';
  readonly productId: number;
  readonly profile: ProductProfile;
}

export interface ProductUpdated extends Happened {
  readonly kind: 'ProductUpdated';
  readonly productId: number;
  readonly profile: ProductProfile;
  /** There when it has another supplier, or sku, from now on: what the one before had no longer counts. */
  readonly dropsSuppliedStock?: true;
}

/** Orders from now on deliver this file. Its bytes were on disk before. */
export interface ProductFileSet extends Happened {
  readonly kind: 'ProductFileSet';
  readonly productId: number;
  readonly file: ProductFile;
}

/** Items `firstItem` to `firstItem + count - 1` are for sale. Their texts were on disk before. */
export interface StockAdded extends Happened {
  readonly kind: 'StockAdded';
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/** Items `firstItem` to `firstItem + count - 1` were given back to the operator, oldest first. */
export interface StockWithdrawn extends Happened {
  readonly kind: 'StockWithdrawn';
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/** A purchase: order, money, items and idempotency outcome together. */
export interface OrderPlaced extends Happened {
  readonly kind: 'OrderPlaced';
  readonly order: Order;
}

/** An order from the bot: it exists, and nothing is charged or reserved. */
export interface OrderOpened extends Happened {
  readonly kind: 'OrderOpened';
  readonly order: Order;
}

/** An order from the bot was paid from the wallet. `order`, here and below, is the order from now on. */
export interface OrderPaid extends Happened {
  readonly kind: 'OrderPaid';
  readonly order: Order;
}

/** A pending order was delivered. Its texts were on disk before. */
export interface OrderDelivered extends Happened {
  readonly kind: 'OrderDelivered';
  readonly order: Order;
  /** The supplier purchase that ended with it. Without one, a supplier purchase that the order waited for is unresolved from now on. */
  readonly supplierPurchaseId?: number;
}

/** An order from the bot failed before it was paid. */
export interface OrderCancelled extends Happened {
  readonly kind: 'OrderCancelled';
  readonly order: Order;
}

/** A pending order could not be delivered, and its total returned to the wallet. */
export interface OrderFailed extends Happened {
  readonly kind: 'OrderFailed';
  readonly order: Order;
  /** As of `OrderDelivered`. */
  readonly supplierPurchaseId?: number;
  /** The wallet after that, in micro-USDT. */
  readonly balanceMicros: number;
}

/** An order's total returned to the wallet. What it had delivered is not sold again. */
export interface OrderRefunded extends Happened {
  readonly kind: 'OrderRefunded';
  readonly order: Order;
  /** The wallet after that, in micro-USDT. */
  readonly balanceMicros: number;
}

/** The facts after which an order that exists is another. */
export type OrderChange = OrderPaid | OrderDelivered | OrderCancelled | OrderFailed | OrderRefunded;

/** A refusal that its key repeats from now on. */
export interface PurchaseRefused extends Happened {
  readonly kind: 'PurchaseRefused';
  readonly refusal: StoredRefusal;
}

export interface SupplierCreated extends Happened {
  readonly kind: 'SupplierCreated';
  readonly supplierId: number;
  readonly profile: SupplierProfile;
}

export interface SupplierUpdated extends Happened {
  readonly kind: 'SupplierUpdated';
  readonly supplierId: number;
  readonly profile: SupplierProfile;
}

/** What a supplier has of some of its products is another number than was recorded before. */
export interface SupplierStockChanged extends Happened {
  readonly kind: 'SupplierStockChanged';
  readonly supplierId: number;
  /** Each product once, at most `MAX_STOCK_CHANGES`. */
  readonly changes: readonly SuppliedStockChange[];
}

export interface SuppliedStockChange {
  readonly productId: number;
  readonly available: SuppliedStock;
}

/** A purchase's total went from the wallet on hold; the supplier is asked once this is durable. */
export interface HoldPlaced extends Happened {
  readonly kind: 'HoldPlaced';
  readonly supplierPurchase: SupplierPurchase;
}

/**
 * The supplier delivers, or has promised to: what was on hold is charged. `order` is new, or the one from the bot
 * that is paid by this.
 */
export interface HoldCaptured extends Happened {
  readonly kind: 'HoldCaptured';
  readonly supplierPurchaseId: number;
  readonly order: Order;
}

/** What was on hold is in the wallet again. */
export interface HoldReleased extends Happened {
  readonly kind: 'HoldReleased';
  readonly supplierPurchaseId: number;
  readonly accountId: number;
  readonly totalMicros: number;
  readonly code: ReleaseCode;
  /** What the key repeats from now on; null when it may be tried again, or there is none. */
  readonly refusal: StoredRefusal | null;
  /** The supplier may have delivered all the same, and must be asked. */
  readonly isUnresolved: boolean;
}

/**
 * What a supplier made of an unresolved purchase is known: it delivered so many, and `count` items of them are for sale
 * as own stock. The others were duplicates, or can't be sold.
 */
export interface SupplierPurchaseReconciled extends Happened {
  readonly kind: 'SupplierPurchaseReconciled';
  readonly supplierPurchaseId: number;
  readonly result: SettledResult;
  readonly delivered: number;
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/**
 * The open group of webhook events closes here, and from here on a group lasts this long by the times of facts. So what
 * a group has is told by the journal alone; a reader's clock only asks for this fact.
 */
export interface EventGroupClosed extends Happened {
  readonly kind: 'EventGroupClosed';
  /** 0 gives each change an event of its own. */
  readonly windowMs: number;
}

export type Fact =
  | AccountCreated
  | AccountUpdated
  | KeyIssued
  | KeyRevoked
  | WebhookSet
  | WebhookRemoved
  | WalletCredited
  | ProductCreated
  | ProductUpdated
  | ProductFileSet
  | StockAdded
  | StockWithdrawn
  | OrderPlaced
  | OrderOpened
  | OrderChange
  | PurchaseRefused
  | SupplierCreated
  | SupplierUpdated
  | SupplierStockChanged
  | HoldPlaced
  | HoldCaptured
  | HoldReleased
  | SupplierPurchaseReconciled
  | EventGroupClosed;
