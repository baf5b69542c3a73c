/** Accounts: POST, GET and PATCH /accounts. */
import type { Account } from '../../engine/accounts.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { accountView, type Fields } from '../../views/operator-views.ts';
import { apiError } from '../errors.ts';
import { operatorBody } from './operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, readRoutes } from './operator-route.ts';

const DEFAULTS = { rateLimitPerMinute: 120, webhookConcurrency: 1 };

const PROFILE_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  rateLimitPerMinute: { type: 'integer', nullable: true, minimum: 1, maximum: 1_000_000 },
  webhookConcurrency: { type: 'integer', minimum: 1, maximum: 64 },
} as const;

export const ACCOUNT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such account. Check the id.');

export function accountRoutes({ engine }: OperatorServices): OperatorRoute[] {
  return [
    bodyRoute('POST /accounts', operatorBody(PROFILE_PROPERTIES, ['name']), (context, body) =>
      context.submit({ kind: 'CreateAccount', profile: { ...DEFAULTS, ...body } }, (account) =>
        context.succeed(201, accountFields(account)),
      ),
    ),
    ...readRoutes('accounts', {
      rows: () => engine.state.accounts,
      idOf: (account) => account.accountId,
      view: accountFields,
      notFound: ACCOUNT_NOT_FOUND,
    }),
    bodyRoute('PATCH /accounts/{id}', operatorBody(PROFILE_PROPERTIES), (context, changes) =>
      context.submit({ kind: 'UpdateAccount', accountId: context.id, changes }, (account) =>
        context.succeed(200, accountFields(account)),
      ),
    ),
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
