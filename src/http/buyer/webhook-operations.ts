/** Descriptions of the webhook's routes (SPEC.md §4). */
import type { Operation } from '../operation.ts';
import {
  DELETED_WEBHOOK,
  REGISTERED_WEBHOOK,
  WEBHOOK_ANSWER,
  WEBHOOK_BODY,
  WEBHOOK_DELETION_BODY,
} from '../schemas/webhook.ts';

const REQUEST = {
  url: 'https://shop.example/purser-events',
  events: ['order.completed', 'balance.low'],
  balanceThresholdUsdt: 50,
};
const WITHOUT_THRESHOLD = { url: 'https://shop.example:8443/events', events: ['order.completed'] };
const SECRET = `whsec_live_${'4f0c2b9d7e6a1835'.repeat(4)}`;

export const GET_WEBHOOK: Operation = {
  operationId: 'getWebhook',
  tag: 'Webhooks',
  summary: 'Read the webhook configuration',
  answers: [
    {
      status: 200,
      description: 'The configuration, with its secret masked.',
      content: {
        schema: WEBHOOK_ANSWER,
        examples: {
          webhook: {
            success: true,
            webhook: { ...REQUEST, secretMasked: '***1835' },
            requestId: 'req_1790000000000_8',
          },
        },
      },
    },
  ],
  errors: ['NOT_FOUND', 'WEBHOOK_SECRET_UNREADABLE'],
};

export const SET_WEBHOOK: Operation = {
  operationId: 'setWebhook',
  tag: 'Webhooks',
  summary: 'Register or replace the webhook, and get a new secret',
  description: `
An account has one webhook. This call replaces an earlier one, whose secret stops working at once. Redirects are not
followed when events are sent, and the host is looked up again before every delivery.

The host is looked up within 5 seconds. No test event is sent to the URL.`.trim(),
  body: {
    schema: WEBHOOK_BODY,
    examples: { balance: REQUEST, orders: WITHOUT_THRESHOLD },
  },
  answers: [
    {
      status: 200,
      description: 'The configuration, with its new secret.',
      content: {
        schema: REGISTERED_WEBHOOK,
        examples: {
          webhook: {
            success: true,
            webhook: { ...REQUEST, secret: SECRET },
            requestId: 'req_1790000000000_7',
          },
        },
      },
    },
  ],
  errors: ['BAD_REQUEST', 'SALES_CLOSED'],
};

export const DELETE_WEBHOOK: Operation = {
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Delete the webhook',
  description: 'Events that wait for delivery are cancelled.',
  body: { schema: WEBHOOK_DELETION_BODY, examples: { confirmed: { confirm: true } } },
  answers: [
    {
      status: 200,
      description: 'The webhook is deleted, and nothing is sent any more.',
      content: {
        schema: DELETED_WEBHOOK,
        examples: {
          deleted: {
            success: true,
            message: 'The webhook was deleted; events that waited for delivery are cancelled.',
            requestId: 'req_1790000000000_9',
          },
        },
      },
    },
  ],
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SALES_CLOSED'],
};
