/** Accounts: POST, GET and PATCH /accounts. */
import type { Account, AccountProfile } from '../../engine/accounts.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { accountView, type Fields } from '../../views/operator-views.ts';
import { apiError } from '../errors.ts';
import { operatorBody } from './operator-body.ts';
import { commandRoute, type OperatorRoute, type OperatorServices, readRoutes } from './operator-route.ts';

const DEFAULTS = { rateLimitPerMinute: 120, webhookConcurrency: 1 };

const PROFILE_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  rateLimitPerMinute: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000 },
  webhookConcurrency: { type: 'integer', minimum: 1, maximum: 64 },
} as const;

const NEW_ACCOUNT = { type: 'object', required: ['name'], properties: PROFILE_PROPERTIES } as const;
const ACCOUNT_CHANGES = { type: 'object', properties: PROFILE_PROPERTIES } as const;

export const ACCOUNT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such account. Check the id.');

type NewAccount = Pick<AccountProfile, 'name'> & Partial<AccountProfile>;

export function accountRoutes({ engine }: OperatorServices): OperatorRoute[] {
  return [
    commandRoute('POST', '/accounts', 'CreateAccount', {
      body: operatorBody<NewAccount>(NEW_ACCOUNT),
      command: (body) => ({ profile: { ...DEFAULTS, ...body } }),
      answer: accountFields,
      status: 201,
    }),
    ...readRoutes('accounts', {
      rows: () => engine.state.accounts,
      idOf: (account) => account.accountId,
      view: accountFields,
      notFound: ACCOUNT_NOT_FOUND,
    }),
    commandRoute('PATCH', '/accounts/{id}', 'UpdateAccount', {
      body: operatorBody<Partial<AccountProfile>>(ACCOUNT_CHANGES),
      command: (changes, { id }) => ({ accountId: id, changes }),
      answer: accountFields,
    }),
  ];
}

/** The account as operators see it. Key fields are there when it has a key. */
export function accountFields(account: Readonly<Account>): Fields {
  return {
    ...accountView(account.accountId, account.profile),
    balanceUsdt: usdtFromMicros(account.walletMicros),
    heldUsdt: usdtFromMicros(account.heldMicros),
    ...(account.key === null ? {} : { keyPrefix: account.key.prefix, scopes: account.key.scopes }),
    createdAt: account.createdAtMs,
  };
}
