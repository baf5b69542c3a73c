/**
 * Commands to the engine and their answers: one row a kind.
 *
 * A command is validated in form before it comes here (types, ranges, lengths); whether it is allowed now is
 * for `decide`. Answers are taken in the command's turn and never change (`row-copy.ts`).
 */
import type { AccountProfile, AccountSettings, ApiKey } from '../accounts.ts';
import type { DepositCommands } from '../deposits/deposit-commands.ts';
import type { FoundItem, SuppliedStockChange } from '../fact.ts';
import type { ItemRange } from '../item-ranges.ts';
import type { AccountCopy, ProductCopy, SupplierCopy } from '../loop/row-copy.ts';
import type { Lot, LotLabel } from '../lots.ts';
import type { Operator, OperatorAct, OperatorProfile, OperatorToken } from '../operators.ts';
import type { Order, PurchaseRequest } from '../orders.ts';
import type { PriceCommands } from '../pricing/price-commands.ts';
import type { ProductFile, ProductProfile } from '../products.ts';
import type { RecoveryCommands } from '../recovery/recovery-commands.ts';
import type { EndedResult, EndedSupplierPurchase } from '../supplying/ended-supplier-purchases.ts';
import type { ReleaseCode, SupplierPurchase } from '../supplying/supplier-purchases.ts';
import type { SupplierProfile } from '../supplying/suppliers.ts';
import type { Webhook } from '../webhook.ts';
import type { CreditResult } from './idempotency.ts';

export type {
  GapResult,
  QuarantineResult,
  RecoveryResult,
  SettledDebit,
} from '../recovery/recovery-commands.ts';

/** A purchase, or a payment, whose supplier is being asked, so that there is no outcome yet. */
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

export interface RefundResult {
  readonly order: Order;
  /** The wallet as it is now, in micro-USDT. */
  readonly balanceMicros: number;
  readonly replayed: boolean;
}

/** The own stock that is left right after items came or went. */
interface StockResult {
  readonly availableStock: number;
}
export interface UploadResult extends StockResult {
  readonly lotId: number;
}
export interface WithdrawalResult extends StockResult {
  readonly ranges: readonly ItemRange[];
}

export interface RecallResult {
  readonly lot: Lot;
}

/** The fields that all commands about a supplier purchase have; account and product are for their turn. */
interface OfSupplierPurchase {
  accountId: number;
  productId: number;
  supplierPurchaseId: number;
}

interface WithKey {
  /** The digest of the API key it came with, which must still be the account's; undefined without a key. */
  keySha256?: string | undefined;
}

/** The fields of a command whose new items' texts were compared with those that the product had. */
interface ComparedItems {
  /** How many items of the shop were recalled then; without it, as many as now. */
  recalledItems?: number;
  /** The new items that are outstanding for orders of a gap, and so not for sale. Absent: none. */
  aside?: readonly ItemRange[];
  /** `LostItems.outstandingChange` as it was then; without it, as it is now. */
  outstandingChange?: number;
}

interface Commands extends DepositCommands, RecoveryCommands, PriceCommands {
  CreateOperator: { asks: { profile: OperatorProfile; token: OperatorToken }; answer: Operator };
  /** The token before goes on for `overlapMs`. */
  IssueOperatorToken: {
    asks: { operatorId: number; token: OperatorToken; overlapMs: number };
    answer: Operator;
  };
  RevokeOperator: { asks: { operatorId: number }; answer: Operator };
  /** For the audit, before an operator is shown what an order delivered. Answers its id. */
  ShowItemTexts: { asks: { orderId: number }; answer: number };
  /** For the audit, before an operator is told where a text is. Answers what is told. */
  SearchItems: {
    asks: { productId?: number; found: readonly FoundItem[] };
    answer: readonly FoundItem[];
  };
  /** For the audit, before an operator does what changes nothing here. Answers it. */
  RecordAct: { asks: { act: OperatorAct }; answer: OperatorAct };
  PlaceOrder: {
    asks: PurchaseRequest & WithKey;
    answer: PurchaseResult | PurchaseInProgress;
  };
  /**
   * `accountId` is of one that was lost in a gap; else it gets the next. An account that has the `externalId` is answered,
   * and none is made.
   */
  CreateAccount: { asks: { profile: AccountProfile; accountId?: number }; answer: AccountCopy };
  UpdateAccount: { asks: { accountId: number; changes: AccountSettings }; answer: AccountCopy };
  IssueKey: { asks: { accountId: number; key: ApiKey }; answer: AccountCopy };
  RevokeKey: { asks: { accountId: number }; answer: AccountCopy };
  /** An inactive key opens nothing, and stays the account's. */
  SetKeyActive: { asks: { accountId: number; isActive: boolean }; answer: AccountCopy };
  SetWebhook: { asks: { accountId: number; webhook: Webhook } & WithKey; answer: AccountCopy };
  RemoveWebhook: { asks: { accountId: number } & WithKey; answer: AccountCopy };
  CreditWallet: {
    asks: { accountId: number; reference: string; amountMicros: number };
    answer: CreditResult;
  };
  /** As `CreateAccount`. */
  CreateProduct: { asks: { profile: ProductProfile; productId?: number }; answer: ProductCopy };
  UpdateProduct: {
    asks: {
      productId: number;
      changes: Partial<ProductProfile>;
      /** The profile that the product must still have, as `profileText` writes it; undefined: any. */
      ifProfile?: string | undefined;
    };
    answer: ProductCopy;
  };
  /** Sells `file`, which is already on disk, from now on. The product is of type `file`. */
  SetProductFile: { asks: { productId: number; file: ProductFile }; answer: ProductCopy };
  /** Puts items on sale, as a lot, whose texts are already on disk under these numbers. */
  AddStock: {
    asks: ComparedItems & {
      productId: number;
      firstItem: number;
      count: number;
      label?: LotLabel;
    };
    answer: UploadResult;
  };
  /** Takes up to `count` items off the shelf, oldest first. */
  WithdrawStock: { asks: { productId: number; count: number }; answer: WithdrawalResult };
  /** Takes off the shelf those of these items that are for sale. */
  WithdrawItems: {
    asks: { productId: number; ranges: readonly ItemRange[] };
    answer: WithdrawalResult;
  };
  /** Takes off the shelf what is unsold of a lot, for good. Repeated, it changes nothing. */
  RecallLot: { asks: { lotId: number }; answer: RecallResult };
  /** An order from the bot, to be paid later. */
  OpenOrder: {
    asks: Pick<
      PurchaseRequest,
      'accountId' | 'productId' | 'quantity' | 'recipientUsername' | 'requestNumber'
    >;
    answer: Order;
  };
  PayOrder: {
    asks: {
      orderId: number;
      /** In USDT; null pays whatever it costs now. */
      expectedPriceUsdt: number | null;
    };
    answer: Order | PurchaseInProgress;
  };
  /** Delivers a pending order, with texts that are already on disk under its id. */
  CompleteOrder: {
    asks: {
      orderId: number;
      textCount: number;
      /** Whether the texts are on disk. They are written only for an order that was pending when they came. */
      areTextsWritten: boolean;
      /**
       * The supplier purchase that this ends, when its supplier delivered; `itemsMac` is the keyed hash of the items.
       */
      supplierPurchaseId?: number;
      itemsMac?: string;
    };
    answer: Order;
  };
  FailOrder: {
    asks: {
      orderId: number;
      /** The supplier purchase that this ends, when its supplier could not deliver. */
      supplierPurchaseId?: number;
    };
    answer: Order;
  };
  /** A refund of an amount, or of items, or, with neither, of all that is left. */
  RefundOrder: {
    asks: {
      orderId: number;
      /** The operator's `Idempotency-Key`, by which a repeated request is known. */
      key?: string;
      /** More than 0. */
      amountMicros?: number;
      /** Places in the order, each once, ascending. */
      items?: readonly number[];
    };
    answer: RefundResult;
  };
  /** Puts new items of own stock in these places. */
  ReplaceItems: {
    asks: { orderId: number; key: string; items: readonly number[] };
    answer: PurchaseResult;
  };
  CreateSupplier: { asks: { profile: SupplierProfile }; answer: SupplierCopy };
  UpdateSupplier: {
    asks: { supplierId: number; changes: Partial<SupplierProfile> };
    answer: SupplierCopy;
  };
  /** A supplier's figures of its stock of some products, each once, at most `MAX_STOCK_CHANGES`. */
  RecordSupplierStock: {
    asks: { supplierId: number; changes: readonly SuppliedStockChange[] };
    /** The figures that were recorded. */
    answer: readonly SuppliedStockChange[];
  };
  /** The supplier delivers at once or later: the order is `pending_delivery`, made by this or from the bot. */
  CaptureHold: { asks: OfSupplierPurchase; answer: Order };
  ReleaseHold: {
    asks: OfSupplierPurchase & {
      code: ReleaseCode;
      /** Whether the supplier may have delivered all the same, and must be asked. */
      isUnresolved: boolean;
      /** Whether the next source is to be asked, if there is one. Only of a supplier that has certainly sold nothing. */
      mayPass?: boolean;
    };
    /** The id of the supplier purchase; or the purchase of the next source, which is to be asked. */
    answer: number | PurchaseInProgress;
  };
  /**
   * Ends an unresolved supplier purchase, or one that had ended without items and is delivered after all; puts on sale what
   * it brought, whose texts are already on disk.
   */
  ReconcileSupplierPurchase: {
    asks: OfSupplierPurchase &
      ComparedItems & {
        result: EndedResult;
        /** How many items it brought, whatever they are worth. */
        delivered: number;
        firstItem: number;
        count: number;
        /** The keyed hash of the delivered items (`delivery-mac.ts`). */
        itemsMac?: string;
      };
    answer: EndedSupplierPurchase;
  };
  /** Nothing has closed the open group of webhook events in time, or groups are to last another time from now on. */
  CloseEventGroup: {
    asks: { windowMs: number };
    /** How long groups last from now on, in milliseconds. */
    answer: number;
  };
}

export type CommandKind = keyof Commands;
export type CommandOf<Kind extends CommandKind> = {
  [K in Kind]: Readonly<Commands[K]['asks']> & { readonly kind: K };
}[Kind];
export type Command = CommandOf<CommandKind>;
/** The answer of each kind, so that a caller gets the type that belongs to its command. */
export type Results = { readonly [Kind in CommandKind]: Commands[Kind]['answer'] };

export type PlaceOrder = CommandOf<'PlaceOrder'>;
