/**
 * A question with the buttons Yes and No, which a chat was asked once. Its id follows from the message or the press that
 * led to it, so that an update that Telegram delivers again asks the same question.
 */
import type { TextName, Values } from '../texts/text.ts';

export interface Purchase {
  readonly productId: number;
  readonly product: string;
  readonly quantity: number;
  /** The total that was shown. */
  readonly totalUsdt: number;
  /** With its `@`. */
  readonly recipient?: string;
}

export interface Question {
  readonly chatId: number;
  readonly id: string;
  /** Absent: the question is about a new key. */
  readonly purchase?: Purchase;
  /** How it ended: a second press is told this. */
  readonly end?: { readonly text: TextName; readonly values: Values };
  /** The order that was opened for it and is to be ended, for it could not be paid. */
  readonly opened?: number;
  /** The next question, at another price. */
  readonly asks?: string;
}
