/** Descriptions of the routes of webhook deliveries. */
import { WEBHOOK_EVENTS } from '../../../engine/webhook.ts';
import { EVENT_STATUSES } from '../../../persistence/webhooks/event-row.ts';
import { MOST_PENDING } from '../../../persistence/webhooks/pending-events.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { WEBHOOK_FIELDS } from '../accounts/account-operations.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  TIME,
} from '../operator-operation.ts';

const EVENT_ID = { type: 'string', description: 'What receivers know the event by.' } as const;

const ATTEMPT = rowSchema(
  'WebhookAttempt',
  'One attempt: with `status` when there was an answer, else with `error`.',
  {
    required: { startedAt: TIME, durationMs: { type: 'number' } },
    optional: {
      status: { type: 'integer', description: 'The HTTP status of the answer.' },
      responseHead: { type: 'string', description: 'The beginning of the answer, up to 1 KB.' },
      error: {
        type: 'object',
        description: 'Why there was no answer.',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
);

const DELIVERY = rowSchema('WebhookDelivery', 'An event, and how its delivery goes.', {
  required: {
    eventId: EVENT_ID,
    type: { type: 'string', enum: WEBHOOK_EVENTS },
    status: { type: 'string', enum: EVENT_STATUSES },
    createdAt: TIME,
    attempts: listOf(ATTEMPT, 'The latest 25, oldest first.'),
  },
  optional: { nextAttemptAt: { type: 'integer', description: 'Unix milliseconds; while it is pending.' } },
});

const PAGE = answerSchema(
  'WebhookDeliveryPage',
  'Deliveries, the newest first.',
  { deliveries: listOf(DELIVERY, 'A page of them.') },
  NEXT_CURSOR,
);
const REPLAYED = answerSchema('WebhookReplay', 'The event is pending again.', {
  eventId: EVENT_ID,
  status: { type: 'string', const: 'pending' },
});
const MANY_REPLAYED = answerSchema(
  'WebhookReplays',
  'So many are pending again.',
  { replayed: { type: 'integer' } },
  NEXT_CURSOR,
);
const COUNTED = answerSchema(
  'WebhookReplayCount',
  'So many would be pending again. Nothing was sent, and there is no fact.',
  { wouldReplay: { type: 'integer' } },
  NEXT_CURSOR,
);
const TESTED = answerSchema('WebhookTest', 'What became of the attempt.', {
  eventId: EVENT_ID,
  attempt: ATTEMPT,
});

const WEBHOOK = rowSchema('Webhook', 'An account that has a webhook, and how its deliveries go.', {
  required: {
    accountId: { type: 'integer' },
    name: { type: 'string', description: 'Of the account.' },
    ...WEBHOOK_FIELDS,
    failing: { type: 'boolean', description: 'Whether the latest attempt failed.' },
    pending: {
      type: 'integer',
      description: `Events that wait for an attempt, or have one under way; up to ${MOST_PENDING} are counted.`,
    },
  },
});
const WEBHOOKS = answerSchema(
  'WebhookPage',
  'Accounts that have a webhook, in the order of their ids.',
  { webhooks: listOf(WEBHOOK, 'A page of them.') },
  NEXT_CURSOR,
);

export const LIST_WEBHOOKS: OperatorOperation = {
  operationId: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List the accounts that have a webhook',
  answers: [answer(200, WEBHOOKS)],
  errors: ['NOT_READY'],
};

export const LIST_DELIVERIES: OperatorOperation = {
  operationId: 'listWebhookDeliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of an account',
  answers: [answer(200, PAGE)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};

export const REPLAY_ONE: OperatorOperation = {
  operationId: 'replayWebhookEvent',
  tag: 'Webhooks',
  summary: 'Send an event again that was delivered or discarded',
  description: 'With the same id and body, to the webhook of now, with all its attempts anew.',
  answers: [answer(202, REPLAYED)],
  errors: ['NOT_FOUND', 'REPLAY_NOT_ALLOWED', 'NOT_READY'],
};

export const REPLAY_MANY: OperatorOperation = {
  operationId: 'replayWebhookEvents',
  tag: 'Webhooks',
  summary: 'Send all events since a time again',
  description:
    'A call looks at 500 events, the oldest first, with `dryRun` at 5,000. As long as there is a `nextCursor`, call again with it.',
  answers: [answer(202, MANY_REPLAYED), answer(200, COUNTED)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};

export const TEST_WEBHOOK: OperatorOperation = {
  operationId: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Make one attempt now, of an event `webhook.test`',
  description: 'Answers after the receiver, or after the time-out. It is not repeated, and in no history.',
  answers: [answer(202, TESTED)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};
