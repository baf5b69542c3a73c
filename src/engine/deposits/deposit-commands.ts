/** Commands about deposits, and their answers: a part of `command.ts`. */
import type { CreditResult } from '../decide/idempotency.ts';
import type { RowCopy } from '../loop/row-copy.ts';
import type { Deposit, Transfer } from './deposit.ts';

/** A transfer that isn't credited. */
export type OpenTransfer =
  | { readonly state: 'unclaimed' }
  /** Not confirmed yet; with the account whose deposit it would pay. */
  | { readonly state: 'waiting'; readonly accountId?: number };

export interface DepositCommands {
  OpenDeposit: {
    asks: {
      accountId: number;
      network: string;
      address: string;
      /** More than 0. */
      amountMicros: number;
      /** How long it waits, in milliseconds. */
      windowMs: number;
    };
    answer: RowCopy<Deposit>;
  };
  /** A transfer to one of the shop's addresses. */
  ObserveTransfer: {
    asks: { transfer: Transfer; isConfirmed: boolean };
    answer: CreditResult | OpenTransfer;
  };
  AssignTransfer: { asks: { reference: string; accountId: number }; answer: CreditResult };
}
