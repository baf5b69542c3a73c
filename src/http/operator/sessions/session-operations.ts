/** Descriptions of the routes of sessions. */
import { ROLES } from '../../../engine/operators.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import {
  answer,
  listOf,
  type OperatorOperation,
  rowSchema,
  type Shape,
  said,
  TIME,
} from '../operator-operation.ts';

const WHO = {
  operator: { type: 'string', description: 'The name of the operator; the owner is `root`.' },
  role: { type: 'string', enum: ROLES },
} as const;
const SESSION: Shape = {
  required: {
    sessionId: { type: 'integer' },
    ...WHO,
    createdAt: TIME,
    lastUsedAt: said(
      TIME,
      'When its last request came that was not `X-Unattended`, in Unix milliseconds. An hour later it ends.',
    ),
    expiresAt: said(TIME, 'When it ends at the latest, in Unix milliseconds.'),
    current: { type: 'boolean', description: 'Whether it is the one that asks.' },
  },
};

const CODE = answerSchema('ConsoleCode', 'A code that opens a session.', {
  code: { type: 'string', description: 'For `POST /sessions`; no other answer shows it.' },
  expiresAt: TIME,
});
const { lastUsedAt: _, current: __, ...BEGUN_FIELDS } = SESSION.required;
const BEGUN = answerSchema('SessionWithToken', 'The session, with its token.', {
  ...BEGUN_FIELDS,
  token: { type: 'string', description: 'To be sent like an operator’s token; no other answer shows it.' },
});
const ROW = rowSchema('Session', 'Who is signed in, without the token.', SESSION);
const ONE = answerSchema('SessionAnswer', 'The session.', SESSION.required);
const LIST = answerSchema('SessionList', 'Who is signed in, the newest first.', {
  sessions: listOf(ROW, 'All of them; a node has at most 1,024.'),
});
const CALLER = answerSchema(
  'CallerAnswer',
  'Whose request it is.',
  { operatorId: { type: 'integer', description: '0 is the owner `root`.' }, ...WHO },
  {
    sessionId: { type: 'integer', description: 'Absent when the request has an operator’s token.' },
    expiresAt: said(TIME, 'When session or token ends, in Unix milliseconds; absent when it does not.'),
  },
);

export const GIVE_CODE: OperatorOperation = {
  operationId: 'createConsoleCode',
  tag: 'Operators',
  summary: 'Get a code that opens the console',
  description:
    'It works once, within a minute, in `POST /sessions`, and until the node stops. Send an operator’s token: a session gets no codes, so that none can outlive its end.',
  answers: [answer(201, CODE)],
  errors: [],
};

export const BEGIN_SESSION: OperatorOperation = {
  operationId: 'createSession',
  tag: 'Operators',
  summary: 'Sign in at the console',
  description:
    'With a `code`, or with an operator’s `token`; one of them. The session may do what the operator may. It ends after 12 hours, after one without a request, when somebody ends it, and with the token that it was made from. An operator has up to 16: one more ends the one not used for longest. A page that asks by itself, while nobody may be there, sends `X-Unattended: true`: such a request does not lengthen its session.',
  answers: [answer(201, BEGUN)],
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'RATE_LIMITED', 'NOT_LEADING'],
};

export const LIST_SESSIONS: OperatorOperation = {
  operationId: 'listSessions',
  tag: 'Operators',
  summary: 'List who is signed in',
  description: 'An owner sees all sessions, others see their own.',
  answers: [answer(200, LIST)],
  errors: [],
};

export const GET_SESSION: OperatorOperation = {
  operationId: 'getCaller',
  tag: 'Operators',
  summary: 'Read whose request it is',
  answers: [answer(200, CALLER)],
  errors: [],
};

export const END_SESSION: OperatorOperation = {
  operationId: 'endSession',
  tag: 'Operators',
  summary: 'End a session',
  description: 'One of one’s own; an owner may end any. It opens nothing from then on.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};
