/** Decisions that `decide` can make, and the shape of the tables that make them: one row for each kind of command. */

import type { OpenTransfer } from '../deposits/deposit-commands.ts';
import type { Fact } from '../fact.ts';
import type { DeletedPriceList, SetPricesResult } from '../pricing/price-commands.ts';
import type { State } from '../state.ts';
import type { KeptBack } from '../supplying/next-source.ts';
import type {
  CommandKind,
  CommandOf,
  GapResult,
  PurchaseInProgress,
  PurchaseResult,
  QuarantineResult,
  RecallResult,
  RecoveryResult,
  RefundResult,
} from './command.ts';
import type { History } from './history.ts';
import type { CreditResult } from './idempotency.ts';
import type { RepeatedCall } from './keyed-calls.ts';
import { Rejection } from './rejection.ts';

/** A fact to apply and make durable, or an answer that leaves no trace: a refusal, or what was decided before. */
export type Decision =
  | Fact
  | PurchaseResult
  | PurchaseInProgress
  | CreditResult
  | RefundResult
  | RecallResult
  | DeletedPriceList
  | SetPricesResult
  | OpenTransfer
  | RecoveryResult
  | QuarantineResult
  | GapResult
  | RepeatedCall
  | Rejection;

/** Deciders of all commands but purchases, which have a way of their own. */
export type Deciders = {
  readonly [Kind in Exclude<CommandKind, 'PlaceOrder'>]: (
    state: State,
    command: CommandOf<Kind>,
    nowMs: number,
    history: History,
    keptBack: KeptBack,
  ) => Decision;
};

export function isFact(decision: Decision): decision is Fact {
  // Not by `in`, which takes longer where objects have many forms.
  return (decision as { readonly kind?: string }).kind !== undefined;
}

/** The id of a new row: the next one, or one that was asked for because the row was lost in a gap. */
export function newId(
  table: { readonly nextId: number; get(id: number): object | undefined; isLeapt(id: number): boolean },
  noun: 'account' | 'product',
  asked: number | undefined,
): number | Rejection {
  if (asked === undefined) return table.nextId;
  if (table.isLeapt(asked)) return asked;
  const row = `${noun} ${asked}`;
  return table.get(asked) === undefined
    ? new Rejection(
        'BAD_REQUEST',
        `${noun}Id: no restore has leapt over ${row}, so it was not lost. Leave ${noun}Id out, and the ${noun} gets the next number.`,
      )
    : new Rejection(
        'TRANSITION_NOT_ALLOWED',
        `There is ${row} already, so it was not lost or is there again. Check ${noun}Id, or leave it out for a new ${noun}.`,
      );
}

/** `noun` is what operators asked for by a number. */
export function noSuch(noun: string): Rejection {
  return new Rejection('NOT_FOUND', `There is no such ${noun}. Check the id.`);
}
