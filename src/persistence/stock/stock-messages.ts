/**
 * What the main thread and the intake's thread say to each other. The order of messages is the order of work,
 * so nothing but `taken`, which says that more may be sent, has to be waited for.
 */
import type { MasterKey } from '../folder/master-key.ts';
import type { SentError } from './stock-errors.ts';
import type { IntakeResult, IntakeStart } from './stock-intake-writer.ts';

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
  /** Answered by `finished`; after that the thread has forgotten the intake. */
  | { readonly kind: 'finish' }
  /** Not answered. */
  | { readonly kind: 'abort' };

export type StockRequest =
  | { readonly kind: 'intake'; readonly intakeId: number; readonly request: IntakeRequest }
  /** The texts of an order, one request at a time for each order. Answered by `texts`. */
  | { readonly kind: 'texts'; readonly orderId: number; readonly encoded: Uint8Array }
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
  | { readonly kind: 'texts'; readonly orderId: number; readonly failure: SentError | undefined };
