/** Facts that become durable together, and the answers that wait for them. */

import type { Rejection } from '../decide/rejection.ts';
import type { Fact } from '../fact.ts';

export type ReplyTo<Result> = (result: Result | Rejection) => void;

export class Group {
  readonly facts: Fact[] = [];
  // Two lists and no objects, because every purchase is in them.
  readonly #replies: ReplyTo<unknown>[] = [];
  readonly #results: unknown[] = [];

  addReply(replyTo: ReplyTo<unknown>, result: unknown): void {
    this.#replies.push(replyTo);
    this.#results.push(result);
  }

  /** Gives every answer, in order; or `rejection` to all instead. One that throws fails alone. */
  answerAll(onFault: (error: unknown) => void, rejection?: Rejection): void {
    for (let index = 0; index < this.#replies.length; index += 1) {
      reply(this.#replies[index], rejection ?? this.#results[index], onFault);
    }
  }
}

export function reply(
  replyTo: ReplyTo<unknown> | undefined,
  result: unknown,
  onFault: (error: unknown) => void,
): void {
  try {
    replyTo?.(result);
  } catch (error) {
    onFault(error);
  }
}
