/** Accounts: POST, GET and PATCH /accounts. */
import type { Account, AccountProfile } from '../../engine/accounts.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { apiError } from '../errors.ts';
import { operatorBody } from './operator-body.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';
import { pageOf, parsePage } from './page.ts';

const DEFAULT_RATE_LIMIT_PER_MINUTE = 120;
const DEFAULT_WEBHOOK_CONCURRENCY = 1;

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
  const newAccount = operatorBody<NewAccount>(NEW_ACCOUNT);
  const accountChanges = operatorBody<Partial<AccountProfile>>(ACCOUNT_CHANGES);
  return [
    {
      method: 'POST',
      path: '/accounts',
      handle: (context) =>
        context.readJson(newAccount, (body) => {
          const profile = {
            rateLimitPerMinute: DEFAULT_RATE_LIMIT_PER_MINUTE,
            webhookConcurrency: DEFAULT_WEBHOOK_CONCURRENCY,
            ...knownFields(body),
            name: body.name,
          };
          context.submit({ kind: 'CreateAccount', profile }, (account) =>
            context.succeed(201, accountFields(account)),
          );
        }),
    },
    {
      method: 'GET',
      path: '/accounts',
      handle: (context) => {
        const page = parsePage(context.query);
        if ('error' in page) return context.fail(page.error);
        const { rows, nextCursor } = pageOf(engine.state.accounts.values(), page, (row) => row.accountId);
        context.succeedWhenDurable(200, { accounts: rows.map(accountFields), ...nextCursor });
      },
    },
    {
      method: 'GET',
      path: '/accounts/{id}',
      handle: (context) => {
        const account = engine.state.accounts.get(context.id);
        if (account === undefined) context.fail(ACCOUNT_NOT_FOUND);
        else context.succeedWhenDurable(200, accountFields(account));
      },
    },
    {
      method: 'PATCH',
      path: '/accounts/{id}',
      handle: (context) =>
        context.readJson(accountChanges, (body) => {
          context.submit(
            { kind: 'UpdateAccount', accountId: context.id, changes: knownFields(body) },
            (account) => context.succeed(200, accountFields(account)),
          );
        }),
    },
  ];
}

/** The account as operators see it. Key fields are there when it has a key. */
export function accountFields(account: Readonly<Account>): Record<string, unknown> {
  return {
    accountId: account.accountId,
    ...account.profile,
    balanceUsdt: usdtFromMicros(account.walletMicros),
    heldUsdt: usdtFromMicros(account.heldMicros),
    ...(account.key === null ? {} : { keyPrefix: account.key.prefix, scopes: account.key.scopes }),
    createdAt: account.createdAtMs,
  };
}

function knownFields(body: Partial<AccountProfile>): Partial<AccountProfile> {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.rateLimitPerMinute === undefined ? {} : { rateLimitPerMinute: body.rateLimitPerMinute }),
    ...(body.webhookConcurrency === undefined ? {} : { webhookConcurrency: body.webhookConcurrency }),
  };
}
