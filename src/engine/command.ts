/**
 * What can be asked of the engine, and what it answers.
 *
 * A command is validated in form before it comes here (types, ranges, lengths); whether it is allowed now is
 * for `decide`. `Results` names the answer of each, so that a caller gets the type that belongs to its command.
 * Answers are taken in the command's turn and never change (`snapshot.ts`).
 */
import type { AccountProfile, ApiKey } from './accounts.ts';
import type { EndedSupplierPurchase, SettledResult } from './ended-supplier-purchases.ts';
import type { SuppliedStockChange } from './fact.ts';
import type { CreditOutcome } from './idempotency.ts';
import type { Order, PurchaseRequest } from './orders.ts';
import type { ProductFile, ProductProfile } from './products.ts';
import type { AccountSnapshot, ProductSnapshot, SupplierSnapshot } from './snapshot.ts';
import type { ReleaseCode, SupplierPurchase } from './supplier-purchases.ts';
import type { SupplierProfile } from './suppliers.ts';
import type { Webhook } from './webhook.ts';

export interface PlaceOrder extends PurchaseRequest {
  readonly kind: 'PlaceOrder';
  /** The digest of the API key it came with, which must still be the account's; undefined without a key. */
  readonly keySha256?: string | undefined;
}

export interface CreateAccount {
  readonly kind: 'CreateAccount';
  readonly profile: AccountProfile;
}

export interface UpdateAccount {
  readonly kind: 'UpdateAccount';
  readonly accountId: number;
  readonly changes: Partial<AccountProfile>;
}

export interface IssueKey {
  readonly kind: 'IssueKey';
  readonly accountId: number;
  readonly key: ApiKey;
}

export interface RevokeKey {
  readonly kind: 'RevokeKey';
  readonly accountId: number;
}

export interface SetWebhook {
  readonly kind: 'SetWebhook';
  readonly accountId: number;
  readonly webhook: Webhook;
  /** Of the API key it came with, as in `PlaceOrder`. */
  readonly keySha256?: string | undefined;
}

export interface RemoveWebhook {
  readonly kind: 'RemoveWebhook';
  readonly accountId: number;
  /** Of the API key it came with, as in `PlaceOrder`. */
  readonly keySha256?: string | undefined;
}

export interface CreditWallet {
  readonly kind: 'CreditWallet';
  readonly accountId: number;
  readonly reference: string;
  readonly amountMicros: number;
}

export interface CreateProduct {
  readonly kind: 'CreateProduct';
  readonly profile: ProductProfile;
}

export interface UpdateProduct {
  readonly kind: 'UpdateProduct';
  readonly productId: number;
  readonly changes: Partial<ProductProfile>;
}

/** Sells `file`, which is already on disk, from now on. Of products of type `file` only. */
export interface SetProductFile {
  readonly kind: 'SetProductFile';
  readonly productId: number;
  readonly file: ProductFile;
}

/** Puts items on sale whose texts are already on disk under these numbers. */
export interface AddStock {
  readonly kind: 'AddStock';
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/** Takes up to `count` items off the shelf, oldest first. */
export interface WithdrawStock {
  readonly kind: 'WithdrawStock';
  readonly productId: number;
  readonly count: number;
}

/** An order from the bot, to be paid later. */
export interface OpenOrder {
  readonly kind: 'OpenOrder';
  readonly accountId: number;
  readonly productId: number;
  readonly quantity: number;
  readonly recipientUsername: string | null;
}

export interface PayOrder {
  readonly kind: 'PayOrder';
  readonly orderId: number;
  /** In USDT; null pays whatever it costs now. */
  readonly expectedPriceUsdt: number | null;
}

/** Delivers a pending order, with texts that are already on disk under its id. */
export interface CompleteOrder {
  readonly kind: 'CompleteOrder';
  readonly orderId: number;
  readonly textCount: number;
  /** Whether the texts are on disk. They are written only for an order that was pending when they came. */
  readonly areTextsWritten: boolean;
  /** Of the supplier purchase whose end this is, when its supplier delivered. */
  readonly supplierPurchaseId?: number;
}

export interface FailOrder {
  readonly kind: 'FailOrder';
  readonly orderId: number;
  /** Of the supplier purchase whose end this is, when its supplier could not deliver. */
  readonly supplierPurchaseId?: number;
}

export interface RefundOrder {
  readonly kind: 'RefundOrder';
  readonly orderId: number;
}

export interface CreateSupplier {
  readonly kind: 'CreateSupplier';
  readonly profile: SupplierProfile;
}

export interface UpdateSupplier {
  readonly kind: 'UpdateSupplier';
  readonly supplierId: number;
  readonly changes: Partial<SupplierProfile>;
}

/** What a supplier says it has of some products, each once, at most `MAX_STOCK_CHANGES`. */
export interface RecordSupplierStock {
  readonly kind: 'RecordSupplierStock';
  readonly supplierId: number;
  readonly changes: readonly (SuppliedStockChange & {
    /** What it was asked for. */
    readonly sku: string;
  })[];
}

/** What the commands about a supplier purchase have in common; account and product are for their turn. */
interface OfSupplierPurchase {
  readonly accountId: number;
  readonly productId: number;
  readonly supplierPurchaseId: number;
}

/** The supplier delivers at once or later: the order is `pending_delivery`, made by this or from the bot. */
export interface CaptureHold extends OfSupplierPurchase {
  readonly kind: 'CaptureHold';
}

export interface ReleaseHold extends OfSupplierPurchase {
  readonly kind: 'ReleaseHold';
  readonly code: ReleaseCode;
  /** Whether the supplier may have delivered all the same, and must be asked. */
  readonly isUnresolved: boolean;
}

/** Ends an unresolved supplier purchase; puts on sale what it brought, whose texts are already on disk. */
export interface ReconcileSupplierPurchase extends OfSupplierPurchase {
  readonly kind: 'ReconcileSupplierPurchase';
  readonly result: SettledResult;
  /** How many items it brought, whatever they are worth. */
  readonly delivered: number;
  readonly firstItem: number;
  readonly count: number;
}

/** Nothing has closed the open group of webhook events in time, or groups are to last another time from now on. */
export interface CloseEventGroup {
  readonly kind: 'CloseEventGroup';
  readonly windowMs: number;
}

/** A purchase, or a payment, whose supplier is being asked. It has no outcome yet. */
export class PurchaseInProgress {
  readonly supplierPurchase: SupplierPurchase;
  /** False for a request that found it under way. */
  readonly isNew: boolean;

  constructor(supplierPurchase: SupplierPurchase, isNew: boolean) {
    this.supplierPurchase = supplierPurchase;
    this.isNew = isNew;
  }
}

export interface PurchaseResult {
  readonly order: Order;
  readonly replayed: boolean;
}

export interface CreditResult {
  readonly credit: CreditOutcome;
  readonly replayed: boolean;
}

/** The items that came or went are `count` from `firstItem`. */
export interface StockResult {
  readonly firstItem: number;
  readonly count: number;
  /** Of own stock, right after it. */
  readonly availableStock: number;
}

export interface Results {
  PlaceOrder: PurchaseResult | PurchaseInProgress;
  CreateAccount: AccountSnapshot;
  UpdateAccount: AccountSnapshot;
  IssueKey: AccountSnapshot;
  RevokeKey: AccountSnapshot;
  SetWebhook: AccountSnapshot;
  RemoveWebhook: AccountSnapshot;
  CreditWallet: CreditResult;
  CreateProduct: ProductSnapshot;
  UpdateProduct: ProductSnapshot;
  SetProductFile: ProductSnapshot;
  AddStock: StockResult;
  WithdrawStock: StockResult;
  OpenOrder: Order;
  PayOrder: Order | PurchaseInProgress;
  CompleteOrder: Order;
  FailOrder: Order;
  RefundOrder: Order;
  CreateSupplier: SupplierSnapshot;
  UpdateSupplier: SupplierSnapshot;
  /** Those that were recorded. */
  RecordSupplierStock: readonly SuppliedStockChange[];
  CaptureHold: Order;
  /** Its id. */
  ReleaseHold: number;
  ReconcileSupplierPurchase: EndedSupplierPurchase;
  /** How long groups last from now on, in milliseconds. */
  CloseEventGroup: number;
}

export type Command =
  | PlaceOrder
  | CreateAccount
  | UpdateAccount
  | IssueKey
  | RevokeKey
  | SetWebhook
  | RemoveWebhook
  | CreditWallet
  | CreateProduct
  | UpdateProduct
  | SetProductFile
  | AddStock
  | WithdrawStock
  | OpenOrder
  | PayOrder
  | CompleteOrder
  | FailOrder
  | RefundOrder
  | CreateSupplier
  | UpdateSupplier
  | RecordSupplierStock
  | CaptureHold
  | ReleaseHold
  | ReconcileSupplierPurchase
  | CloseEventGroup;
