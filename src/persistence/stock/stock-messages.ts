/**
 * What the main thread and the intake's thread say to each other. The order of messages is the order of work,
 * so nothing but `taken`, which says that more may be sent, has to be waited for.
 */
import type { MasterKey } from '../disk/master-key.ts';
import type { OrderTexts, TextsOutcome } from './delivered/order-texts-writer.ts';
import type { IntakeResult, IntakeStart } from './intake/stock-intake-writer.ts';
import type { ProductStock } from './product-stock.ts';
import type { SentError } from './stock-errors.ts';

export interface StockThreadData {
  readonly file: string;
  readonly masterKey: MasterKey;
  /** Of the `WriteGate`. */
  readonly gate: SharedArrayBuffer;
}

export type IntakeRequest =
  | { readonly kind: 'begin'; readonly start: IntakeStart }
  /** Answered by `taken`. */
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  /** Answered by `taken`. */
  | { readonly kind: 'items'; readonly items: readonly string[] }
  /** Answered by `finished`. */
  | { readonly kind: 'finish' }
  /** Its items are on sale, or never will be: the thread forgets the intake. Not answered. */
  | { readonly kind: 'close' };

export type StockRequest =
  | { readonly kind: 'intake'; readonly intakeId: number; readonly request: IntakeRequest }
  /** Of texts that an order will be delivered with. Answered by `texts`. */
  | {
      readonly kind: 'claim';
      readonly requestId: number;
      readonly supplierPurchaseId: number;
      readonly stock: ProductStock;
      readonly encoded: Uint8Array;
    }
  /** Not answered. */
  | { readonly kind: 'drop claim'; readonly supplierPurchaseId: number }
  /** The texts of an order, one request at a time for each order. Answered by `texts`. */
  | { readonly kind: 'texts'; readonly requestId: number; readonly order: OrderTexts }
  /** What lies under an order's number. Answered by `texts`. */
  | { readonly kind: 'remove texts'; readonly requestId: number; readonly orderId: number }
  /** The thread ends. */
  | { readonly kind: 'close' };

export type IntakeAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'finished'; readonly result: IntakeResult }
  /** The thread has forgotten the intake, and ignores what else comes for it. */
  | { readonly kind: 'failed'; readonly error: SentError };

export type StockAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'intake'; readonly intakeId: number; readonly answer: IntakeAnswer }
  /** Durable, or not written. */
  | { readonly kind: 'texts'; readonly requestId: number; readonly outcome: TextsOutcome };
