/** What facts about accounts, their keys, webhooks and wallets do to the state. */
import { deposit, type Effects } from './moves.ts';

export const accountEffects = {
  AccountCreated({ accounts }, { accountId, profile, atMs }) {
    const nothing = { key: null, webhook: null, walletMicros: 0, heldMicros: 0 };
    accounts.add(accountId, { accountId, profile, ...nothing, createdAtMs: atMs });
  },
  AccountUpdated({ accounts }, { accountId, profile }) {
    accounts.change(accountId).profile = profile;
  },
  KeyIssued({ accounts }, { accountId, key }) {
    accounts.change(accountId).key = key;
  },
  KeyRevoked({ accounts }, { accountId }) {
    accounts.change(accountId).key = null;
  },
  WebhookSet({ accounts }, { accountId, webhook }) {
    accounts.change(accountId).webhook = webhook;
  },
  WebhookRemoved({ accounts }, { accountId }) {
    accounts.change(accountId).webhook = null;
  },
  WalletCredited(state, { credit }) {
    deposit(state, credit.accountId, credit.amountMicros, credit.balanceAfterMicros);
    state.idempotency.addCredit(credit);
  },
} satisfies Partial<Effects>;
