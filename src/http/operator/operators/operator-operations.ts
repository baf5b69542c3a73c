/** Descriptions of the routes of operators and of the audit. */
import { ROLES } from '../../../engine/operators.ts';
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
} from '../operator-operation.ts';
import { repeatable } from '../repeated-call.ts';

const ENDS = {
  expiresAt: said(TIME, 'When the newest token ends, in Unix milliseconds; absent when it does not.'),
  previousTokenExpiresAt: said(TIME, 'When the last of the older tokens ends, in Unix milliseconds.'),
} as const;
const OPERATOR: Shape = {
  required: {
    operatorId: { type: 'integer' },
    name: { type: 'string' },
    role: { type: 'string', enum: ROLES },
    createdAt: TIME,
  },
  optional: {
    externalIdPrefix: {
      type: 'string',
      description: 'Of role `bot`: accounts whose `externalId` begins so are its own.',
    },
    ...ENDS,
    revokedAt: TIME,
  },
};
const TOKEN = {
  token: { type: 'string', description: 'Store it: no other answer shows it.' },
} as const;

const ROW = rowSchema('Operator', 'Who may call this API, without the token.', OPERATOR);
const ONE = answerSchema('OperatorAnswer', 'The operator.', OPERATOR.required, OPERATOR.optional);
const WITH_TOKEN = answerSchema(
  'OperatorWithToken',
  'The operator, with a new token.',
  { ...OPERATOR.required, ...TOKEN },
  OPERATOR.optional,
);
const PAGE = answerSchema(
  'OperatorPage',
  'Operators, in the order of their ids.',
  { operators: listOf(ROW, 'A page of them.') },
  NEXT_CURSOR,
);

export const CREATE_OPERATOR = repeatable(
  {
    operationId: 'createOperator',
    tag: 'Operators',
    summary: 'Create an operator with a role and a token',
    description:
      'A name is never given twice, in capitals or not, so that it is one person for ever in the audit.',
    answers: [answer(201, WITH_TOKEN)],
    errors: [],
  },
  { shownOnce: ['token'] },
);

export const LIST_OPERATORS: OperatorOperation = {
  operationId: 'listOperators',
  tag: 'Operators',
  summary: 'List operators, revoked ones included',
  answers: [answer(200, PAGE)],
  errors: [],
};

export const GET_OPERATOR: OperatorOperation = {
  operationId: 'getOperator',
  tag: 'Operators',
  summary: 'Read an operator',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

export const REVOKE_OPERATOR: OperatorOperation = {
  operationId: 'revokeOperator',
  tag: 'Operators',
  summary: 'End all tokens of an operator at once',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

export const ISSUE_TOKEN: OperatorOperation = {
  operationId: 'issueOperatorToken',
  tag: 'Operators',
  summary: 'Give an operator a new token',
  description:
    'The old one ends after `overlap`, or earlier if it or the new one does. Without `expiresAt` the new one ends when the old one would have; it is required when that time has passed.',
  answers: [answer(201, WITH_TOKEN)],
  errors: ['NOT_FOUND'],
};

const CHANGE = rowSchema('AuditChange', 'A field that an update changed.', {
  required: {
    field: { type: 'string', description: 'As the row has it, such as `priceUsdt`.' },
    from: { description: 'What it was; null when it was not there.' },
    to: { description: 'What it is; null when it is not there.' },
  },
  optional: { productId: { type: 'integer', description: 'Whose price it is, of a list or an account.' } },
});
const ENTRY = rowSchema('AuditEntry', 'What an operator did, and what it was about.', {
  required: {
    seq: { type: 'integer', description: 'Its fact in the feed.' },
    at: TIME,
    operator: { type: 'string' },
    action: { type: 'string', description: 'The type of the fact, or what an `OperatorActed` says.' },
  },
  optional: {
    changes: listOf(CHANGE, 'Of an update, as long as the journal has its fact.'),
    reason: { type: 'string' },
    requestId: { type: 'string', description: 'Of the answer to the call.' },
    accountId: { type: 'integer' },
    productId: { type: 'integer' },
    orderId: { type: 'integer' },
    supplierId: { type: 'integer' },
    priceListId: { type: 'integer' },
    lotId: { type: 'integer' },
    supplierPurchaseId: { type: 'integer' },
    targetOperator: { type: 'string', description: 'The name of the operator that it was done to.' },
    eventId: { type: 'string' },
    orderIds: listOf({ type: 'integer' }, 'Those that a search found.'),
  },
});
const AUDIT = answerSchema(
  'Audit',
  'What operators did, the newest first.',
  { entries: listOf(ENTRY, 'A page of them.') },
  NEXT_CURSOR,
);

export const READ_AUDIT: OperatorOperation = {
  operationId: 'readAudit',
  tag: 'Operators',
  summary: 'Read what operators did',
  answers: [answer(200, AUDIT)],
  errors: ['NOT_READY'],
};
