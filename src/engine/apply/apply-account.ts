/** Effects of facts about accounts, their keys, webhooks and wallets on the state. */
import type { Accounts } from '../accounts.ts';
import { takeTransfer } from '../deposits/apply-deposit.ts';
import { ROOT_OPERATOR } from '../origin.ts';
import { BrokenInvariantError } from './broken-invariant.ts';
import { deposit, type Effects } from './moves.ts';

export const accountEffects = {
  AccountCreated(state, { accountId, profile, origin, atMs }) {
    const { accounts, externalIds, priceLists, spending } = state;
    if (profile.spendLimits !== undefined) spending.setLimits(accountId, profile.spendLimits, []);
    externalIds.move(accountId, undefined, profile.externalId);
    const nothing = { key: null, webhook: null, walletMicros: 0, heldMicros: 0 };
    const maker = state.operators.get(origin?.operatorId ?? ROOT_OPERATOR);
    const made = maker?.profile.role === 'bot' ? { botId: maker.operatorId } : {};
    accounts.add(accountId, { accountId, profile, ...nothing, createdAtMs: atMs, ...made });
    priceLists.noteAccount(undefined, profile);
  },
  AccountUpdated({ accounts, externalIds, priceLists, spending }, { accountId, profile, spent = [] }) {
    spending.setLimits(accountId, profile.spendLimits ?? [], spent);
    const account = accounts.change(accountId);
    externalIds.move(accountId, account.profile.externalId, profile.externalId);
    priceLists.noteAccount(account.profile, profile);
    account.profile = profile;
  },
  KeyIssued({ accounts }, { accountId, key }) {
    accounts.change(accountId).key = key;
  },
  KeyRevoked({ accounts }, { accountId }) {
    accounts.change(accountId).key = null;
  },
  KeyDeactivated({ accounts }, { accountId }) {
    setKeyActive(accounts, accountId, false);
  },
  KeyActivated({ accounts }, { accountId }) {
    setKeyActive(accounts, accountId, true);
  },
  WebhookSet({ accounts }, { accountId, webhook }) {
    accounts.change(accountId).webhook = webhook;
  },
  WebhookRemoved({ accounts }, { accountId }) {
    accounts.change(accountId).webhook = null;
  },
  WalletCredited(state, fact) {
    const { credit } = fact;
    deposit(state, credit.accountId, credit.amountMicros, credit.balanceAfterMicros);
    state.idempotency.addCredit(credit);
    takeTransfer(state, fact);
  },
} satisfies Partial<Effects>;

/** By another object: who compares keys by identity sees the change. */
function setKeyActive(accounts: Accounts, accountId: number, isActive: boolean): void {
  const account = accounts.change(accountId);
  if (account.key === null) throw new BrokenInvariantError(`account ${accountId} has no key`);
  account.key = { ...account.key, isActive };
}
