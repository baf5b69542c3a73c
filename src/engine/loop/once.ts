/**
 * The result of a call that may be repeated: the call's own, or what it was answered the first time.
 *
 * Invariant: who repeats a call with its key is given the first result, and is told that it is the first one's
 * (`keyed-calls.ts`).
 */
import { RepeatedCall } from '../decide/keyed-calls.ts';
import { Rejection } from '../decide/rejection.ts';
import type { CallKey } from '../origin.ts';
import type { ReplyTo } from './group.ts';

export interface Once<Result> {
  readonly result: Result;
  readonly isRepeated: boolean;
  /** The first answer's additional fields, when the call is repeated. */
  readonly said: CallKey['said'];
}

/** Takes the engine's answer, and replies with the result of a call. */
export function onceTo<Result>(replyTo: ReplyTo<Once<Result>>): ReplyTo<unknown> {
  return (answered) => {
    if (answered instanceof Rejection) return replyTo(answered);
    const { result, said } =
      answered instanceof RepeatedCall ? answered : { result: answered, said: undefined };
    replyTo({ result: result as Result, isRepeated: answered instanceof RepeatedCall, said });
  };
}
