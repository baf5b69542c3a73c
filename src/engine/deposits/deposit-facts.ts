/** Facts about deposits, but the credit, which is `WalletCredited`: a part of `fact.ts`. */
import type { Deposit, Transfer } from './deposit.ts';

export interface DepositFacts {
  /** A customer is to pay an amount to an address. `drops` are ids of deposits that ended long ago. */
  DepositOpened: { deposit: Omit<Deposit, 'createdAtMs' | 'reference'>; drops?: readonly number[] };
  /** A transfer came that no deposit waited for. `replaces`: the reference of a smaller one, which gives its place up. */
  TransferUnclaimed: { transfer: Transfer; replaces?: string };
}

/** The transfer that a credit was made for. */
export interface CreditedTransfer extends Omit<Transfer, 'reference' | 'amountMicros'> {
  /** The deposit that it pays; absent when an operator assigned it. */
  readonly depositId?: number;
}
