/** What operators decide about accounts, their keys and wallets, and accounts about their webhooks. */
import type { Account } from './accounts.ts';
import type {
  CreateAccount,
  CreditWallet,
  IssueKey,
  RemoveWebhook,
  RevokeKey,
  SetWebhook,
  UpdateAccount,
} from './command.ts';
import type { Fact } from './fact.ts';
import type { History } from './history.ts';
import { MAX_ACCOUNTS, MAX_DEPOSITS_MICROS } from './limits.ts';
import { Rejection } from './rejection.ts';
import { CreditReplay } from './replay.ts';
import type { State } from './state.ts';

export function decideNewAccount(state: State, { profile }: CreateAccount, nowMs: number): Fact | Rejection {
  if (state.accounts.size >= MAX_ACCOUNTS) {
    return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_ACCOUNTS} accounts.`);
  }
  return { kind: 'AccountCreated', accountId: state.accounts.nextId, profile, atMs: nowMs };
}

export function decideAccountChange(
  state: State,
  { accountId, changes }: UpdateAccount,
  nowMs: number,
): Fact | Rejection {
  const account = state.accounts.get(accountId);
  if (account === undefined) return noAccount();
  return { kind: 'AccountUpdated', accountId, profile: { ...account.profile, ...changes }, atMs: nowMs };
}

export function decideNewKey(state: State, { accountId, key }: IssueKey, nowMs: number): Fact | Rejection {
  if (state.accounts.get(accountId) === undefined) return noAccount();
  return { kind: 'KeyIssued', accountId, key, atMs: nowMs };
}

export function decideKeyEnd(state: State, { accountId }: RevokeKey, nowMs: number): Fact | Rejection {
  if (state.accounts.get(accountId) === undefined) return noAccount();
  return { kind: 'KeyRevoked', accountId, atMs: nowMs };
}

export function decideWebhook(
  state: State,
  { accountId, webhook, keySha256 }: SetWebhook,
  nowMs: number,
): Fact | Rejection {
  const account = state.accounts.get(accountId);
  if (account === undefined) return noAccount();
  if (isKeyDead(account, keySha256)) return new Rejection('UNAUTHORIZED');
  return { kind: 'WebhookSet', accountId, webhook, atMs: nowMs };
}

export function decideWebhookEnd(
  state: State,
  { accountId, keySha256 }: RemoveWebhook,
  nowMs: number,
): Fact | Rejection {
  const account = state.accounts.get(accountId);
  if (account === undefined) return noAccount();
  if (isKeyDead(account, keySha256)) return new Rejection('UNAUTHORIZED');
  if (account.webhook === null)
    return new Rejection('NOT_FOUND', 'No webhook is configured. Register one with POST /webhook.');
  return { kind: 'WebhookRemoved', accountId, atMs: nowMs };
}

export function decideCredit(
  state: State,
  history: History,
  command: CreditWallet,
  nowMs: number,
): Fact | CreditReplay | Rejection {
  const { accountId, reference, amountMicros } = command;
  const account = state.accounts.get(accountId);
  if (account === undefined) return noAccount();
  const earlier =
    state.idempotency.credit(accountId, reference) ?? history.creditOutcome(accountId, reference);
  if (earlier !== undefined) {
    return earlier.amountMicros === amountMicros
      ? new CreditReplay(earlier)
      : new Rejection(
          'IDEMPOTENCY_CONFLICT',
          'This reference was already used for another amount. Use a new reference.',
        );
  }
  const balanceAfterMicros = account.walletMicros + amountMicros;
  if (balanceAfterMicros < 0) {
    return new Rejection('INSUFFICIENT_BALANCE', 'The adjustment would take the wallet below zero.');
  }
  if (amountMicros - state.ledger.depositsMicros > MAX_DEPOSITS_MICROS) {
    return new Rejection('BAD_REQUEST', 'The credit would take the sum of all deposits over its maximum.');
  }
  return {
    kind: 'WalletCredited',
    credit: { accountId, reference, amountMicros, balanceAfterMicros },
    atMs: nowMs,
  };
}

/** Whether a command came with an API key that isn't the account's any more. */
export function isKeyDead(account: Account | undefined, keySha256: string | undefined): boolean {
  return keySha256 !== undefined && keySha256 !== account?.key?.sha256;
}

function noAccount(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such account. Check the id.');
}
