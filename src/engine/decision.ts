/** What `decide` can say, and the shape of the tables that say it: one row for each kind of command. */
import type { CommandKind, CommandOf, PurchaseInProgress } from './command.ts';
import type { Fact } from './fact.ts';
import type { History } from './history.ts';
import type { CreditOutcome } from './idempotency.ts';
import type { PurchaseOutcome } from './orders.ts';
import { Rejection } from './rejection.ts';
import type { State } from './state.ts';

/** What a key led to before, and is answered again. */
export class PurchaseReplay {
  readonly outcome: PurchaseOutcome;

  constructor(outcome: PurchaseOutcome) {
    this.outcome = outcome;
  }
}

/** What a credit's reference led to before, and is answered again. */
export class CreditReplay {
  readonly credit: CreditOutcome;

  constructor(credit: CreditOutcome) {
    this.credit = credit;
  }
}

/** A fact to apply and make durable, or what was decided before, or a refusal that leaves no trace. */
export type Decision = Fact | PurchaseReplay | PurchaseInProgress | CreditReplay | Rejection;

export type Deciders = {
  readonly [Kind in CommandKind]: (
    state: State,
    command: CommandOf<Kind>,
    nowMs: number,
    history: History,
  ) => Decision;
};

export function isFact(decision: Decision): decision is Fact {
  // Not by `in`, which takes longer where objects have many forms.
  return (decision as { readonly kind?: string }).kind !== undefined;
}

/** `noun` is what operators asked for by a number. */
export function noSuch(noun: string): Rejection {
  return new Rejection('NOT_FOUND', `There is no such ${noun}. Check the id.`);
}
