/**
 * Facts, things that have happened: one row a kind. A fact carries resolved values (time, price, item numbers), never
 * an instruction to compute again, so that replaying a journal gives the same state whatever the code that decided has
 * become since. One command gives at most one fact: there is no moment when a part of what it changed exists without
 * the rest.
 */
import type { AccountProfile, ApiKey } from './accounts.ts';
import type { CreditOutcome } from './decide/idempotency.ts';
import type { CreditedTransfer, DepositFacts } from './deposits/deposit-facts.ts';
import type { LowBalance } from './events/low-balance.ts';
import type { ItemRange } from './item-ranges.ts';
import type { Lot, LotLabel } from './lots.ts';
import type { OperatorAct, OperatorProfile, OperatorToken } from './operators.ts';
import type { Order, StoredRefusal } from './orders.ts';
import type { Origin } from './origin.ts';
import type { Price } from './pricing/price.ts';
import type { PriceListProfile } from './pricing/price-lists.ts';
import type { ProductFile, ProductProfile, SuppliedStock } from './products.ts';
import type { RecoveryFacts } from './recovery/recovery-facts.ts';
import type { SpentWindow } from './spending/spend-limit.ts';
import type { EndedResult } from './supplying/ended-supplier-purchases.ts';
import type { SupplierPurchaseOutcome } from './supplying/supplier-purchase-ends.ts';
import type { ReleaseCode, SupplierPurchase } from './supplying/supplier-purchases.ts';
import type { SupplierProfile } from './supplying/suppliers.ts';
import type { Webhook } from './webhook.ts';

export interface SuppliedStockChange {
  readonly productId: number;
  /** The supplier's name for the product, which tells the source. */
  readonly sku: string;
  readonly available: SuppliedStock;
}

/** A price that is set, or taken away when it is null; and what it was before. */
export interface PriceChange {
  readonly productId: number;
  readonly price: Price | null;
  readonly before: Price | null;
}

/** One find of a search for a text, without the text. */
export interface FoundItem {
  readonly productId: number;
  readonly lotId?: number;
  readonly orderId?: number;
  readonly accountId?: number;
}

interface Facts extends RecoveryFacts, DepositFacts {
  OperatorCreated: { operatorId: number; profile: OperatorProfile; token: OperatorToken };
  /** `tokens` are those that count from now on, the youngest first. */
  OperatorTokenIssued: { operatorId: number; tokens: readonly OperatorToken[] };
  /** The operator's tokens are dead from now on. */
  OperatorRevoked: { operatorId: number };
  /** An operator was shown the texts that an order delivered. */
  ItemTextsShown: { orderId: number; accountId: number; productId: number };
  /** An operator does something that changes nothing here. The act may fail after this. */
  OperatorActed: OperatorAct;
  AccountCreated: { accountId: number; profile: AccountProfile };
  /** `before`: the fields that changed, as they were. So in the other updates. */
  AccountUpdated: {
    accountId: number;
    profile: AccountProfile;
    before?: Partial<AccountProfile>;
    /** The account's purchases before this, of windows that its spend limits have from now on. */
    spent?: readonly SpentWindow[];
  };
  KeyIssued: { accountId: number; key: ApiKey };
  KeyRevoked: { accountId: number };
  /** The account's key opens nothing until it is activated again. */
  KeyDeactivated: { accountId: number };
  KeyActivated: { accountId: number };
  /** Replaces the one before, whose secret is dead from now on. */
  WebhookSet: { accountId: number; webhook: Webhook };
  /** Events still to be delivered are cancelled. */
  WebhookRemoved: { accountId: number };
  /** Moves between deposits and the wallet; negative amounts are downward adjustments. */
  WalletCredited: {
    credit: CreditOutcome;
    /** The transfer of a chain that it is for; absent when an operator credits. */
    transfer?: CreditedTransfer;
  };
  ProductCreated: { productId: number; profile: ProductProfile };
  ProductUpdated: {
    productId: number;
    profile: ProductProfile;
    before?: Partial<ProductProfile>;
    /** There when a source that had some is none of its sources from now on: that no longer counts. */
    dropsSuppliedStock?: true;
  };
  /** Orders from now on deliver this file. Its bytes were on disk before. */
  ProductFileSet: { productId: number; file: ProductFile };
  PriceListCreated: { priceListId: number; profile: PriceListProfile };
  PriceListUpdated: { priceListId: number; profile: PriceListProfile; before?: Partial<PriceListProfile> };
  /** The list is no more, nor are its prices. No account had it. */
  PriceListDeleted: { priceListId: number; profile: PriceListProfile; prices: number };
  /** Prices of a list, or own prices of an account: each product once, at most `MAX_PRICE_CHANGES`. */
  PricesChanged: { priceListId?: number; accountId?: number; prices: readonly PriceChange[] };
  /** Items `firstItem` to `firstItem + count - 1`, a lot, are for sale. Their texts were on disk before. */
  StockAdded: {
    productId: number;
    firstItem: number;
    count: number;
    lot: LotLabel & { lotId: number };
    /**
     * The new items that orders of a gap had, by their receipts: they are in quarantine from the start. Mostly absent.
     */
    aside?: readonly ItemRange[];
  };
  /** Items of own stock were given back to the operator, oldest first. */
  StockWithdrawn: { productId: number; ranges: readonly ItemRange[] };
  /** `ranges`, what was unsold of the lot, is for sale no longer. `lot` is the lot from now on. */
  LotRecalled: { lot: Lot; ranges: readonly ItemRange[] };
  /** An operator searched for a text, and was told of these: an item of own stock, or an order that has it. */
  ItemsSearched: {
    /** The only one that was searched, if it was. */
    productId?: number;
    /** At most `MAX_FOUND_ITEMS`. */
    found: readonly FoundItem[];
  };
  /** A purchase: order, money, items and idempotency outcome together. */
  OrderPlaced: { order: Order } & LowBalance;
  /** An order from the bot: it exists, and nothing is charged or reserved. */
  OrderOpened: { order: Order };
  /** An order from the bot was paid from the wallet. `order`, here and below, is the order from now on. */
  OrderPaid: { order: Order } & LowBalance;
  /** A pending order was delivered. Its texts were on disk before. */
  OrderDelivered: {
    order: Order;
    /**
     * The supplier purchase that ended with it. Without one, a supplier purchase that the order waited for is unresolved
     * from now on.
     */
    supplierPurchaseId?: number;
    /** The end of that supplier purchase. */
    ended?: SupplierPurchaseOutcome;
  };
  /** An order from the bot failed before it was paid. */
  OrderCancelled: { order: Order };
  /** A pending order could not be delivered, and its total returned to the wallet. */
  OrderFailed: {
    order: Order;
    /** As of `OrderDelivered`. */
    supplierPurchaseId?: number;
    ended?: SupplierPurchaseOutcome;
    /** The wallet after that, in micro-USDT. */
    balanceMicros: number;
    /** The amount that returned, in micro-USDT: the total without earlier refunds. */
    amountMicros: number;
  };
  /**
   * All of what an order was charged, or a part of it, returned to the wallet: the last of its adjustments. The order
   * is `refunded` when nothing is left. Items that it delivered are not sold again.
   */
  OrderRefunded: {
    order: Order;
    /** The amount of this refund alone, in micro-USDT. */
    amountMicros: number;
    /** The wallet after that, in micro-USDT. */
    balanceMicros: number;
  };
  /** New items of own stock stand in some places of an order: the last of its adjustments. No money moved. */
  OrderItemsReplaced: {
    order: Order;
    /** The places, which begin at 0, ascending. */
    items: readonly number[];
    /** The numbers of the items that left the shelf, one for each place. */
    newItems: readonly number[];
  };
  /** A refusal that its key repeats from now on. */
  PurchaseRefused: { refusal: StoredRefusal };
  SupplierCreated: { supplierId: number; profile: SupplierProfile };
  /** `before` is without the secret. */
  SupplierUpdated: { supplierId: number; profile: SupplierProfile; before?: Partial<SupplierProfile> };
  /** A supplier's stock of some of its products is another number than was recorded before. */
  SupplierStockChanged: {
    supplierId: number;
    /** Each source once, at most `MAX_STOCK_CHANGES`. */
    changes: readonly SuppliedStockChange[];
  };
  /** A purchase's total went from the wallet on hold; the supplier is asked once this is durable. */
  HoldPlaced: { supplierPurchase: SupplierPurchase };
  /**
   * The supplier delivers, or has promised to: what was on hold is charged. `order` is new, or the one from the bot
   * that is paid by this.
   */
  HoldCaptured: { supplierPurchaseId: number; order: Order } & LowBalance;
  /**
   * A source has sold nothing, by its own word or because it couldn't be reached, and its supplier purchase has ended. The
   * next source has one from now on, with the same amount, and is asked once this is durable. No money moves.
   */
  HoldPassed: {
    supplierPurchaseId: number;
    ended: SupplierPurchaseOutcome;
    supplierPurchase: SupplierPurchase;
  };
  /** The amount on hold is in the wallet again. */
  HoldReleased: {
    supplierPurchaseId: number;
    accountId: number;
    productId: number;
    /** As the hold has them. */
    orderId: number;
    /** The one under which the amount was put on hold. */
    reference: string;
    totalMicros: number;
    code: ReleaseCode;
    /** The refusal that the key repeats from now on; null when the key may be tried again, or there is none. */
    refusal: StoredRefusal | null;
    /** The supplier may have delivered all the same, and must be asked. */
    isUnresolved: boolean;
    /** There when it isn't unresolved. */
    ended?: SupplierPurchaseOutcome;
  };
  /**
   * The supplier's result for a purchase that was unresolved, or that had ended without items, is known: so many items
   * were delivered, and `count` of them are for sale as own stock. The others were duplicates, or can't be sold.
   */
  SupplierPurchaseReconciled: {
    supplierPurchaseId: number;
    result: EndedResult;
    ended: SupplierPurchaseOutcome;
    /** There when it had ended before: as it was then. */
    endedBefore?: SupplierPurchase;
    delivered: number;
    productId: number;
    firstItem: number;
    count: number;
    /** As of `StockAdded`. */
    aside?: readonly ItemRange[];
    /** The lot of the items that are for sale; absent when there are none. */
    lot?: LotLabel & { lotId: number };
  };
  /**
   * The open group of webhook events closes here, and from here on a group lasts this long by the times of facts. So what
   * a group has is told by the journal alone; a reader's clock only asks for this fact.
   */
  EventGroupClosed: {
    /** 0 gives each change an event of its own. */
    windowMs: number;
  };
}

export type FactKind = keyof Facts;

export type FactOf<Kind extends FactKind> = {
  [K in Kind]: Readonly<Facts[K]> & {
    readonly kind: K;
    /** Unix milliseconds; never less than that of a fact before. */
    readonly atMs: number;
    /** A purchase carries its request itself (`Order.requestNumber`). */
    readonly origin?: Origin;
  };
}[Kind];

export type Fact = FactOf<FactKind>;

/** The facts after which an order that exists is another. */
export type OrderChange = FactOf<
  | 'OrderPaid'
  | 'OrderDelivered'
  | 'OrderCancelled'
  | 'OrderFailed'
  | 'OrderRefunded'
  | 'OrderItemsReplaced'
  | 'OrderAmended'
>;
