/**
 * Accounts: POST, GET and PATCH /accounts; their wallet credits, POST /accounts/{id}/credits, of which the reference makes
 * each happen once; their API keys, POST, PATCH and DELETE /accounts/{id}/key. A key is shown once; issuing one kills the
 * one before.
 */
import { type Account, type ApiKey, withSettings } from '../../../engine/accounts.ts';
import {
  MAX_ALLOWED_NETWORKS,
  MAX_EXTERNAL_ID_LENGTH,
  MAX_REFERENCE_LENGTH,
} from '../../../engine/limits.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import { SCOPES } from '../../../engine/scope.ts';
import { MAX_SPEND_LIMITS, MAX_WINDOW_HOURS } from '../../../engine/spending/spend-limit.ts';
import type { Webhook } from '../../../engine/webhook.ts';
import { settleDebits } from '../../../recovery/debit-settling.ts';
import { accountView, creditView, type Fields } from '../../../views/operator-views.ts';
import { generateApiKey } from '../../auth.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import { parseNetwork } from '../../limits/network.ts';
import { ID } from '../../schemas/order.ts';
import { CREDIT_WALLET } from '../money/money-operations.ts';
import { operatorBody, optionalBody } from '../operator-body.ts';
import {
  bodyRoute,
  deleteRoute,
  type OperatorRoute,
  type OperatorServices,
  onceRoute,
} from '../operator-route.ts';
import { FINANCE, OWNERS } from '../roles.ts';
import { readRoutes } from '../table-routes.ts';
import {
  CREATE_ACCOUNT,
  GET_ACCOUNT,
  ISSUE_KEY,
  LIST_ACCOUNTS,
  REVOKE_KEY,
  SET_KEY_ACTIVE,
  UPDATE_ACCOUNT,
} from './account-operations.ts';
import { parseCredit, parseSpendLimits } from './amounts.ts';

const DEFAULTS = { name: '', rateLimitPerMinute: 120, webhookConcurrency: 1 };

/** The longest IPv6 network. */
const MAX_NETWORK_LENGTH = 49;

const EXTERNAL_ID = { type: 'string', minLength: 1, maxLength: MAX_EXTERNAL_ID_LENGTH } as const;

const PROFILE_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200, description: 'For operators.' },
  rateLimitPerMinute: {
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests in any 60 seconds; 120 when it is created without. null: no limit.',
  },
  webhookConcurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    description: 'First attempts of webhook events at once; 1 when it is created without.',
  },
  externalId: {
    ...EXTERNAL_ID,
    nullable: true,
    description: 'Your own name for it, such as `telegram:123`; no other account has it. null: none.',
  },
  priceListId: { ...ID, nullable: true, description: 'The price list that it buys by; null: none.' },
  allowedNetworks: {
    type: 'array',
    nullable: true,
    minItems: 1,
    maxItems: MAX_ALLOWED_NETWORKS,
    items: { type: 'string', maxLength: MAX_NETWORK_LENGTH },
    description:
      'Networks (`192.0.2.0/24`, `2001:db8::/32`) and addresses from which its key works; from elsewhere it is 401, like a wrong key. null: anywhere.',
  },
  spendLimits: {
    type: 'array',
    maxItems: MAX_SPEND_LIMITS,
    items: {
      type: 'object',
      properties: {
        windowHours: { type: 'integer', minimum: 1, maximum: MAX_WINDOW_HOURS },
        amountUsdt: { type: 'number', description: 'USDT, up to 6 decimals.' },
      },
      required: ['windowHours', 'amountUsdt'],
    },
    description:
      'In any `windowHours` it may buy for `amountUsdt` at most, with what is on hold and without what was refunded; what it bought before counts, too. More is 429. A purchase counts for up to a sixtieth of the window longer.',
  },
} as const;

const NEW_ACCOUNT = {
  accountId: {
    ...ID,
    description:
      'Of an account that was lost before a restore: it gets this number again. Else leave it out.',
  },
  ...PROFILE_PROPERTIES,
} as const;

const KEY_PROPERTIES = {
  scopes: {
    type: 'array',
    items: { type: 'string', enum: SCOPES },
    minItems: 1,
    uniqueItems: true,
    description: 'What the key may do. Default: all.',
  },
} as const;

const KEY_CHANGES = { active: { type: 'boolean', description: 'Whether the key opens anything.' } } as const;

/** The refusal of an entry that is no network; undefined when all are. */
function networkError(sent: readonly string[] | null | undefined): ApiError | undefined {
  const at = sent?.findIndex((text) => parseNetwork(text) === undefined) ?? -1;
  if (at < 0) return undefined;
  return badRequest(
    `allowedNetworks.${at} must be an address or a network, such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32.`,
  );
}

const CREDIT_PROPERTIES = {
  amountUsdt: {
    type: 'number',
    description: 'USDT, up to 6 decimals, not 0. Negative: adjusts down, never below zero.',
  },
  reference: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_REFERENCE_LENGTH,
    description: 'Yours; each happens once for an account.',
  },
} as const;

export const ACCOUNT_NOT_FOUND = apiError('NOT_FOUND', 'There is no such account. Check the id.');

export function accountRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, clock } = services;
  const newCredit = operatorBody(CREDIT_PROPERTIES, ['amountUsdt', 'reference']);
  return [
    onceRoute(
      'POST /accounts',
      CREATE_ACCOUNT,
      OWNERS,
      operatorBody(NEW_ACCOUNT, ['name']),
      services,
      (context, { accountId, spendLimits, ...body }) => {
        const parsed = parseSpendLimits(spendLimits);
        if ('error' in parsed) return context.fail(parsed.error);
        const error = networkError(body.allowedNetworks);
        if (error !== undefined) return context.fail(error);
        const profile = withSettings(DEFAULTS, { ...body, spendLimits: parsed.limits });
        context.submitOnce(
          { kind: 'CreateAccount', profile, ...(accountId === undefined ? {} : { accountId }) },
          (once) => context.succeedOnce(once, accountFields(once.result)),
        );
      },
    ),
    ...readRoutes('accounts', {
      rows: () => engine.state.accounts,
      idOf: (account) => account.accountId,
      createdAtOf: (account) => account.createdAtMs,
      nameOf: (account) => account.profile.name,
      unique: {
        externalId: {
          schema: { ...EXTERNAL_ID, description: 'Only the account that has it.' },
          idOf: (text) => engine.state.externalIds.idOf(text),
        },
      },
      of: {
        priceListId: {
          schema: { ...ID, description: 'Only accounts that have this price list.' },
          isOf: (account, priceListId) => account.profile.priceListId === priceListId,
        },
      },
      seenBy: ({ guard }) => guard?.owns,
      view: accountFields,
      viewOne: (account) => ({ ...accountFields(account), webhook: webhookFields(account.webhook) }),
      notFound: ACCOUNT_NOT_FOUND,
      list: LIST_ACCOUNTS,
      one: GET_ACCOUNT,
    }),
    bodyRoute(
      'PATCH /accounts/{id}',
      UPDATE_ACCOUNT,
      OWNERS,
      operatorBody(PROFILE_PROPERTIES),
      (context, { spendLimits, ...settings }) => {
        const parsed = parseSpendLimits(spendLimits);
        if ('error' in parsed) return context.fail(parsed.error);
        const error = networkError(settings.allowedNetworks);
        if (error !== undefined) return context.fail(error);
        const { limits } = parsed;
        const changes = limits === undefined ? settings : { ...settings, spendLimits: limits };
        context.submit({ kind: 'UpdateAccount', accountId: context.id, changes }, (account) =>
          context.succeed(200, accountFields(account)),
        );
      },
    ),
    bodyRoute(
      'POST /accounts/{id}/credits',
      CREDIT_WALLET,
      FINANCE,
      newCredit,
      (context, { amountUsdt, reference }) => {
        const parsed = parseCredit(amountUsdt);
        if ('error' in parsed) return context.fail(parsed.error);
        const { amountMicros } = parsed;
        context.submit(
          { kind: 'CreditWallet', accountId: context.id, reference, amountMicros },
          ({ credit, replayed }) =>
            context.run(async () => {
              await settleDebits(engine, context.id, context.origin);
              context.succeed(replayed ? 200 : 201, {
                ...creditView(credit),
                ...(replayed ? { repeated: true } : {}),
              });
            }),
        );
      },
    ),
    onceRoute(
      'POST /accounts/{id}/key',
      ISSUE_KEY,
      OWNERS,
      optionalBody(KEY_PROPERTIES),
      services,
      (context, body) => {
        const { id: accountId } = context;
        const { apiKey, key } = generateApiKey(accountId, body.scopes ?? SCOPES, clock());
        const fields = { accountId, keyPrefix: key.prefix, scopes: key.scopes };
        context.submitOnce(
          { kind: 'IssueKey', accountId, key },
          (once) => context.succeedOnce(once, once.said ?? fields, { apiKey }),
          fields,
        );
      },
    ),
    bodyRoute(
      'PATCH /accounts/{id}/key',
      SET_KEY_ACTIVE,
      OWNERS,
      operatorBody(KEY_CHANGES, ['active']),
      (context, { active }) =>
        context.submit({ kind: 'SetKeyActive', accountId: context.id, isActive: active }, (account) =>
          context.succeed(200, accountFields(account)),
        ),
    ),
    deleteRoute('DELETE /accounts/{id}/key', REVOKE_KEY, OWNERS, (context) =>
      context.submit({ kind: 'RevokeKey', accountId: context.id }, (account) =>
        context.succeed(200, accountFields(account)),
      ),
    ),
  ];
}

function keyFields({ prefix, scopes, isActive }: ApiKey): Fields {
  return { keyPrefix: prefix, keyActive: isActive, scopes };
}

/**
 * The fields of a webhook, without its secret. Only the host of the URL is shown, as the URL may have a token in it.
 */
export function webhookFields(webhook: Webhook | null): Fields | null {
  if (webhook === null) return null;
  const { url, events, balanceThresholdUsdt } = webhook;
  return { host: new URL(url).host, events, balanceThresholdUsdt };
}

/** The account as operators see it. Key fields are there when it has a key. */
export function accountFields(account: Readonly<Account>): Fields {
  return {
    ...accountView(account.accountId, account.profile),
    balanceUsdt: usdtFromMicros(account.walletMicros),
    heldUsdt: usdtFromMicros(account.heldMicros),
    ...(account.key === null ? {} : keyFields(account.key)),
    ...(account.botId === undefined ? {} : { botId: account.botId }),
    createdAt: account.createdAtMs,
  };
}
