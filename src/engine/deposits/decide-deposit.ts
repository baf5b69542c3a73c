/**
 * Decisions about deposits: what is to be paid, and whom a transfer credits (COMMERCE.md §8).
 *
 * Invariant: a transfer credits once, whoever reports it, however often and in whatever order: its reference is the
 * credit's, of whichever account. An amount is matched exactly.
 */
import { type Deciders, type Decision, noSuch } from '../decide/decision.ts';
import type { History } from '../decide/history.ts';
import { ANY_ACCOUNT, type CreditOutcome } from '../decide/idempotency.ts';
import { Rejection } from '../decide/rejection.ts';
import {
  MAX_DEPOSITS,
  MAX_DEPOSITS_MICROS,
  MAX_UNCLAIMED_TRANSFERS,
  MAX_WAITING_DEPOSITS,
} from '../limits.ts';
import type { State } from '../state.ts';
import { MAX_ADDED_MICROS, type Transfer } from './deposit.ts';
import type { Deposits } from './deposits.ts';

/** Deposits that ended long ago leave memory with new ones, so many at a time. */
const DROPS = 4;
/** A step through the amounts that may be added: prime to their number, so that it comes to each of them. */
const STEP = 7_919;
const TOO_MUCH = 'It would take the sum of all deposits over its maximum.';

export const depositDeciders = {
  OpenDeposit(state, { accountId, network, address, amountMicros, windowMs }, atMs) {
    const { accounts, deposits, ledger } = state;
    if (accounts.get(accountId) === undefined) return noSuch('account');
    if (amountMicros + MAX_ADDED_MICROS - ledger.depositsMicros > MAX_DEPOSITS_MICROS)
      return new Rejection('BAD_REQUEST', TOO_MUCH);
    const drops = deposits.ended(atMs, DROPS);
    if (deposits.size - drops.length >= MAX_DEPOSITS)
      return new Rejection('RATE_LIMITED', `The shop holds ${MAX_DEPOSITS} deposits. Try again later.`);
    if (deposits.waitingOf(accountId, atMs) >= MAX_WAITING_DEPOSITS) {
      const message = `The account has ${MAX_WAITING_DEPOSITS} deposits that wait. Pay one, or wait until one has expired.`;
      return new Rejection('RATE_LIMITED', message);
    }
    const depositId = state.lastDepositId + 1;
    const payMicros = freeAmount(deposits, { network, address, amountMicros, depositId }, atMs);
    if (payMicros === undefined)
      return new Rejection('RATE_LIMITED', 'Too many deposits of this amount wait. Take another amount.');
    const expiresAtMs = atMs + windowMs;
    const deposit = { depositId, accountId, network, address, amountMicros, payMicros, expiresAtMs };
    return { kind: 'DepositOpened', deposit, ...(drops.length === 0 ? {} : { drops }), atMs };
  },
  ObserveTransfer(state, { transfer, isConfirmed }, atMs, history) {
    const { reference, network, address, amountMicros } = transfer;
    const known = creditOfTransfer(state, history, reference);
    if (known !== undefined) return { credit: known, replayed: true };
    if (state.transfers.of(reference) !== undefined) return { state: 'unclaimed' };
    const deposit = state.deposits.paidBy(network, address, amountMicros, atMs);
    if (!isConfirmed) return { state: 'waiting', ...(deposit && { accountId: deposit.accountId }) };
    if (deposit !== undefined)
      return credited(state, history, transfer, deposit.accountId, deposit.depositId, atMs);
    if (state.transfers.size < MAX_UNCLAIMED_TRANSFERS) return { kind: 'TransferUnclaimed', transfer, atMs };
    // Who sends dust can't keep a watcher from going on, nor money from being found: the largest stay.
    const smallest = state.transfers.smallest();
    if (smallest === undefined || amountMicros <= smallest.amountMicros) return { state: 'unclaimed' };
    return { kind: 'TransferUnclaimed', transfer, replaces: smallest.reference, atMs };
  },
  AssignTransfer(state, { reference, accountId }, atMs, history) {
    if (state.accounts.get(accountId) === undefined) return noSuch('account');
    const known = creditOfTransfer(state, history, reference);
    if (known?.accountId === accountId) return { credit: known, replayed: true };
    if (known !== undefined) {
      const message = `The transfer was credited to account ${known.accountId} already.`;
      return new Rejection('TRANSITION_NOT_ALLOWED', message);
    }
    const transfer = state.transfers.of(reference);
    if (transfer === undefined) return noSuch('unclaimed transfer');
    return credited(state, history, transfer, accountId, undefined, atMs);
  },
} satisfies Partial<Deciders>;

/** The credit that a transfer led to, of whichever account. */
function creditOfTransfer(
  { idempotency }: State,
  history: History,
  reference: string,
): CreditOutcome | undefined {
  return idempotency.credit(ANY_ACCOUNT, reference) ?? history.creditOutcome(ANY_ACCOUNT, reference);
}

/** An operator may have credited the reference by hand before: then there is nothing to do. */
function credited(
  { accounts, idempotency, ledger }: State,
  history: History,
  { reference, network, address, amountMicros, paidAtMs }: Transfer,
  accountId: number,
  depositId: number | undefined,
  atMs: number,
): Decision {
  const byHand = idempotency.credit(accountId, reference) ?? history.creditOutcome(accountId, reference);
  if (byHand !== undefined) return { credit: byHand, replayed: true };
  if (amountMicros - ledger.depositsMicros > MAX_DEPOSITS_MICROS)
    return new Rejection('BAD_REQUEST', TOO_MUCH);
  const balanceAfterMicros = (accounts.get(accountId)?.walletMicros ?? 0) + amountMicros;
  const of = depositId === undefined ? {} : { depositId };
  return {
    kind: 'WalletCredited',
    credit: { accountId, reference, amountMicros, balanceAfterMicros },
    transfer: { network, address, paidAtMs, ...of },
    atMs,
  };
}

/**
 * An amount that nobody else is to pay there, and mostly not a round one, which a transfer for something else might have.
 * One that nobody was to pay there for a week, if there is any: a transfer that is reported very late must not pay a
 * younger deposit. Undefined when all are taken.
 */
function freeAmount(
  deposits: Deposits,
  {
    network,
    address,
    amountMicros,
    depositId,
  }: { network: string; address: string; amountMicros: number; depositId: number },
  nowMs: number,
): number | undefined {
  let late: number | undefined;
  for (let tried = 0; tried < MAX_ADDED_MICROS; tried += 1) {
    const added = 1 + (((depositId + tried) * STEP) % MAX_ADDED_MICROS);
    const payMicros = amountMicros + added;
    if (!deposits.mayCome(network, address, payMicros)) return payMicros;
    if (deposits.paidBy(network, address, payMicros, nowMs) === undefined) late ??= payMicros;
  }
  return late;
}
