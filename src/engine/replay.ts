/** What was decided before, and is answered again. */
import type { CreditOutcome } from './idempotency.ts';
import type { PurchaseOutcome } from './orders.ts';

export class PurchaseReplay {
  readonly outcome: PurchaseOutcome;

  constructor(outcome: PurchaseOutcome) {
    this.outcome = outcome;
  }
}

export class CreditReplay {
  readonly credit: CreditOutcome;

  constructor(credit: CreditOutcome) {
    this.credit = credit;
  }
}
