/** Descriptions of the webhook's routes (SPEC.md §4). */
import type { Operation } from '../operation.ts';
import {
  DELETED_WEBHOOK,
  REGISTERED_WEBHOOK,
  WEBHOOK_ANSWER,
  WEBHOOK_BODY,
  WEBHOOK_DELETION_BODY,
} from '../schemas/webhook.ts';

export const GET_WEBHOOK: Operation = {
  operationId: 'getWebhook',
  tag: 'Webhooks',
  summary: 'Read the webhook configuration',
  answers: [
    {
      status: 200,
      description: 'The configuration, with its secret masked.',
      schema: WEBHOOK_ANSWER,
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
  },
  answers: [
    {
      status: 200,
      description: 'The configuration, with its new secret.',
      schema: REGISTERED_WEBHOOK,
    },
  ],
  errors: ['BAD_REQUEST', 'SALES_CLOSED'],
};

export const DELETE_WEBHOOK: Operation = {
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Delete the webhook',
  description: 'Events that wait for delivery are cancelled.',
  body: { schema: WEBHOOK_DELETION_BODY },
  answers: [
    {
      status: 200,
      description: 'The webhook is deleted, and nothing is sent any more.',
      schema: DELETED_WEBHOOK,
    },
  ],
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SALES_CLOSED'],
};
