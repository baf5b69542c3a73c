/** Decisions about accounts, their keys and wallets, for operators, and about webhooks, for operators and accounts. */
import { type Account, type AccountProfile, withSettings } from '../accounts.ts';
import { MAX_ACCOUNTS, MAX_DEPOSITS_MICROS } from '../limits.ts';
import { copyOf } from '../loop/row-copy.ts';
import { mayHaveEnded } from '../recovery/restored-rights.ts';
import { pastSpending } from '../spending/past-spending.ts';
import type { State } from '../state.ts';
import { type Deciders, newId, noSuch } from './decision.ts';
import { fieldsBefore } from './fields-before.ts';
import { RepeatedCall } from './keyed-calls.ts';
import { Rejection } from './rejection.ts';

const WEBHOOK_LATER =
  'The shop was restored from a backup, and until its operator has opened sales again your key only reads. Try again later.';

export const accountDeciders = {
  CreateAccount({ accounts, externalIds, priceLists }, { profile, accountId: asked }, atMs) {
    const known = externalIds.idOf(profile.externalId ?? '');
    if (known !== undefined) return new RepeatedCall(copyOf(accounts.get(known)), undefined);
    if (accounts.size >= MAX_ACCOUNTS) {
      return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_ACCOUNTS} accounts.`);
    }
    const refusal = listRefusal(priceLists, profile);
    if (refusal !== undefined) return refusal;
    const accountId = newId(accounts, 'account', asked);
    return accountId instanceof Rejection ? accountId : { kind: 'AccountCreated', accountId, profile, atMs };
  },
  UpdateAccount(state, { accountId, changes }, atMs, history) {
    const { accounts, externalIds, priceLists, spending } = state;
    const account = accounts.get(accountId);
    if (account === undefined) return noSuch('account');
    const profile = withSettings(account.profile, changes);
    const holder = externalIds.idOf(profile.externalId ?? '');
    if (holder !== undefined && holder !== accountId) {
      return new Rejection('ALREADY_TAKEN', `externalId: account ${holder} has it. Choose another.`);
    }
    const refusal = listRefusal(priceLists, profile);
    if (refusal !== undefined) return refusal;
    const windows = spending.newWindows(accountId, profile.spendLimits ?? []);
    const spent =
      windows.length === 0 ? {} : { spent: pastSpending(state, history, accountId, windows, atMs) };
    const before = fieldsBefore(account.profile, profile);
    return { kind: 'AccountUpdated', accountId, profile, ...before, ...spent, atMs };
  },
  IssueKey({ accounts }, { accountId, key }, atMs) {
    if (accounts.get(accountId) === undefined) return noSuch('account');
    return { kind: 'KeyIssued', accountId, key, atMs };
  },
  RevokeKey({ accounts }, { accountId }, atMs) {
    if (accounts.get(accountId) === undefined) return noSuch('account');
    return { kind: 'KeyRevoked', accountId, atMs };
  },
  SetKeyActive({ accounts }, { accountId, isActive }, atMs) {
    const account = accounts.get(accountId);
    if (account === undefined) return noSuch('account');
    if (account.key === null) return new Rejection('NOT_FOUND', 'The account has no key. Issue one.');
    return { kind: isActive ? 'KeyActivated' : 'KeyDeactivated', accountId, atMs };
  },
  SetWebhook(state, { accountId, webhook, keySha256 }, atMs) {
    const account = state.accounts.get(accountId);
    if (account === undefined) return noSuch('account');
    const refusal = webhookRefusal(state, account, keySha256);
    return refusal ?? { kind: 'WebhookSet', accountId, webhook: { ...webhook, setAtMs: atMs }, atMs };
  },
  RemoveWebhook(state, { accountId, keySha256 }, atMs) {
    const account = state.accounts.get(accountId);
    if (account === undefined) return noSuch('account');
    const refusal = webhookRefusal(state, account, keySha256);
    if (refusal !== undefined) return refusal;
    if (account.webhook === null)
      return new Rejection('NOT_FOUND', 'No webhook is configured. Register one with POST /webhook.');
    return { kind: 'WebhookRemoved', accountId, atMs };
  },
  CreditWallet({ accounts, idempotency, ledger }, { accountId, reference, amountMicros }, atMs, history) {
    const account = accounts.get(accountId);
    if (account === undefined) return noSuch('account');
    const earlier = idempotency.credit(accountId, reference) ?? history.creditOutcome(accountId, reference);
    if (earlier !== undefined) {
      return earlier.amountMicros === amountMicros
        ? { credit: earlier, replayed: true }
        : new Rejection(
            'IDEMPOTENCY_CONFLICT',
            'This reference was already used for another amount. Use a new reference.',
          );
    }
    const balanceAfterMicros = account.walletMicros + amountMicros;
    if (balanceAfterMicros < 0) {
      return new Rejection('INSUFFICIENT_BALANCE', 'The adjustment would take the wallet below zero.');
    }
    if (amountMicros - ledger.depositsMicros > MAX_DEPOSITS_MICROS) {
      return new Rejection('BAD_REQUEST', 'The credit would take the sum of all deposits over its maximum.');
    }
    return {
      kind: 'WalletCredited',
      credit: { accountId, reference, amountMicros, balanceAfterMicros },
      atMs,
    };
  },
} satisfies Partial<Deciders>;

function listRefusal(
  priceLists: State['priceLists'],
  { priceListId }: AccountProfile,
): Rejection | undefined {
  if (priceListId === undefined || priceLists.get(priceListId) !== undefined) return undefined;
  return new Rejection('BAD_REQUEST', `priceListId: there is no price list ${priceListId}.`);
}

/** The refusal of a change to the webhook for the key that a command came with. An operator's command has no key. */
function webhookRefusal(
  state: State,
  account: Readonly<Account>,
  keySha256: string | undefined,
): Rejection | undefined {
  if (keySha256 === undefined) return undefined;
  if (isKeyDead(account, keySha256)) return new Rejection('UNAUTHORIZED');
  return mayHaveEnded(state, account) ? new Rejection('SALES_CLOSED', WEBHOOK_LATER) : undefined;
}

/** Whether a command came with an API key that isn't the account's any more, or isn't active. */
export function isKeyDead(account: Readonly<Account> | undefined, keySha256: string | undefined): boolean {
  if (keySha256 === undefined) return false;
  const key = account?.key;
  return key == null || keySha256 !== key.sha256 || !key.isActive;
}
