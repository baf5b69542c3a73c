/** What facts about accounts, their keys and webhooks do to the state. */
import { assertThat } from './broken-invariant.ts';
import type {
  AccountCreated,
  AccountUpdated,
  KeyIssued,
  KeyRevoked,
  WebhookRemoved,
  WebhookSet,
} from './fact.ts';
import { accountOf } from './moves.ts';
import type { State } from './state.ts';

export type AccountFact =
  | AccountCreated
  | AccountUpdated
  | KeyIssued
  | KeyRevoked
  | WebhookSet
  | WebhookRemoved;

export function applyAccount(state: State, fact: AccountFact): void {
  switch (fact.kind) {
    case 'AccountCreated': {
      const { accountId, profile, atMs } = fact;
      assertThat(accountId === state.accounts.nextId, `account ${accountId} is not the next one`);
      state.accounts.add({
        accountId,
        profile,
        key: null,
        webhook: null,
        walletMicros: 0,
        heldMicros: 0,
        createdAtMs: atMs,
      });
      break;
    }
    case 'AccountUpdated':
      accountOf(state, fact.accountId).profile = fact.profile;
      break;
    case 'KeyIssued':
      accountOf(state, fact.accountId).key = fact.key;
      break;
    case 'KeyRevoked':
      accountOf(state, fact.accountId).key = null;
      break;
    case 'WebhookSet':
      accountOf(state, fact.accountId).webhook = fact.webhook;
      break;
    case 'WebhookRemoved':
      accountOf(state, fact.accountId).webhook = null;
  }
}
