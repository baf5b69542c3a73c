/** Descriptions of the routes of accounts and their keys. */
import { SCOPES } from '../../../engine/scope.ts';
import { WEBHOOK_EVENTS } from '../../../engine/webhook.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  type Shape,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';
import { repeatable } from '../repeated-call.ts';

const SCOPE_LIST = {
  type: 'array',
  items: { type: 'string', enum: SCOPES },
  description: 'What the key may do.',
} as const;

const SPEND_LIMITS = listOf(
  {
    type: 'object',
    properties: { windowHours: { type: 'integer' }, amountUsdt: USDT },
    required: ['windowHours', 'amountUsdt'],
  },
  'What it may buy for, at most, in any so many hours.',
);

const ACCOUNT: Shape = {
  required: {
    accountId: { type: 'integer' },
    name: { type: 'string' },
    rateLimitPerMinute: {
      type: 'integer',
      nullable: true,
      description: 'Requests in any 60 seconds; null is no limit.',
    },
    webhookConcurrency: { type: 'integer', description: 'First attempts of webhook events at once.' },
    externalId: {
      type: 'string',
      nullable: true,
      description: 'Your own name for it; no other account has it.',
    },
    priceListId: {
      type: 'integer',
      nullable: true,
      description: 'The price list that it buys by; null: none.',
    },
    spendLimits: SPEND_LIMITS,
    allowedNetworks: {
      type: 'array',
      items: { type: 'string' },
      nullable: true,
      description: 'Networks and addresses from which its key works; null: anywhere.',
    },
    balanceUsdt: said(USDT, 'What can be spent.'),
    heldUsdt: said(USDT, 'Set aside for purchases at suppliers.'),
    createdAt: TIME,
  },
  optional: {
    keyPrefix: { type: 'string', description: 'The beginning of the key; absent without a key.' },
    keyActive: { type: 'boolean', description: 'Whether the key opens anything.' },
    scopes: SCOPE_LIST,
    botId: { type: 'integer', description: 'The operator of role `bot` that made it; absent: no bot did.' },
  },
};

/** The fields of a webhook that operators see. */
export const WEBHOOK_FIELDS = {
  host: { type: 'string', description: 'Of the URL, of which the rest may be secret.' },
  events: listOf({ type: 'string', enum: WEBHOOK_EVENTS }, 'What is sent.'),
  balanceThresholdUsdt: {
    type: 'number',
    nullable: true,
    description: 'Below it, in USDT, `balance.low` is sent; null: never.',
  },
} as const;

const WEBHOOK = {
  ...rowSchema('AccountWebhook', 'Where its events are sent; null when it has no webhook.', {
    required: WEBHOOK_FIELDS,
  }),
  nullable: true,
} as const;

const ROW = rowSchema('Account', 'A buyer with a wallet and at most one key.', ACCOUNT);
const ONE = answerSchema('AccountAnswer', 'The account.', ACCOUNT.required, ACCOUNT.optional);
const READ = answerSchema(
  'AccountRead',
  'The account, with its webhook.',
  { ...ACCOUNT.required, webhook: WEBHOOK },
  ACCOUNT.optional,
);
const PAGE = answerSchema(
  'AccountPage',
  'Accounts, in the order of their ids.',
  { accounts: listOf(ROW, 'A page of them.') },
  NEXT_CURSOR,
);
const NEW_KEY = answerSchema('NewKey', 'The new key. No other answer shows it.', {
  accountId: { type: 'integer' },
  apiKey: { type: 'string', description: 'Give it to the buyer; it is not stored.' },
  keyPrefix: { type: 'string' },
  scopes: SCOPE_LIST,
});

export const CREATE_ACCOUNT = repeatable({
  operationId: 'createAccount',
  tag: 'Accounts',
  summary: 'Create an account',
  description:
    'It has an empty wallet and no key. When an account has this `externalId`, nothing is made, and it is answered with 200. `accountId` is for one that was made in the gap of a restore: only numbers that the restore leapt over, and that nobody has, are given again.',
  answers: [answer(201, ONE, 'The new account.')],
  errors: ['TRANSITION_NOT_ALLOWED'],
});

export const LIST_ACCOUNTS: OperatorOperation = {
  operationId: 'listAccounts',
  tag: 'Accounts',
  summary: 'List accounts',
  answers: [answer(200, PAGE)],
  errors: [],
};

export const GET_ACCOUNT: OperatorOperation = {
  operationId: 'getAccount',
  tag: 'Accounts',
  summary: 'Read an account',
  answers: [answer(200, READ)],
  errors: ['NOT_FOUND'],
};

export const UPDATE_ACCOUNT: OperatorOperation = {
  operationId: 'updateAccount',
  tag: 'Accounts',
  summary: 'Change an account',
  description: 'What is left out stays. A new rate limit is in force at once.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND', 'ALREADY_TAKEN'],
};

export const ISSUE_KEY = repeatable(
  {
    operationId: 'issueKey',
    tag: 'Accounts',
    summary: 'Issue a key; the one before dies at once',
    answers: [answer(201, NEW_KEY)],
    errors: ['NOT_FOUND'],
  },
  { shownOnce: ['apiKey'] },
);

export const SET_KEY_ACTIVE: OperatorOperation = {
  operationId: 'setKeyActive',
  tag: 'Accounts',
  summary: 'Deactivate the key, or activate it again',
  description:
    'With `false` the buyer gets 401 until it is `true` again. A purchase that waits already is refused too.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

export const REVOKE_KEY: OperatorOperation = {
  operationId: 'revokeKey',
  tag: 'Accounts',
  summary: 'Take the key away for good',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};
