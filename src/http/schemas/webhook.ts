/** The webhook configuration (SPEC.md §2, §4): the bodies that set and delete it, and its answers. */
import { WEBHOOK_EVENTS } from '../../engine/webhook.ts';
import { answerSchema } from './envelope.ts';
import type { JsonSchema, TypeOf } from './json-schema.ts';

const CONFIGURATION = {
  url: {
    type: 'string',
    description:
      'An `https` URL without user or password, with port 443 or 8443. Its host must resolve to public addresses only.',
  },
  events: {
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: WEBHOOK_EVENTS },
    description: 'Which events to send. An event that is named twice is sent once.',
  },
  balanceThresholdUsdt: {
    type: 'number',
    minimum: 0,
    description:
      '`balance.low` is sent when a purchase takes the balance below this. Without it, it is never sent.',
  },
} as const satisfies Record<string, JsonSchema>;

export const WEBHOOK_BODY = {
  title: 'WebhookRequest',
  description: 'Which events to send, and where. Other fields are ignored.',
  type: 'object',
  required: ['url', 'events'],
  properties: CONFIGURATION,
} as const satisfies JsonSchema;

export type WebhookBody = TypeOf<typeof WEBHOOK_BODY>;

export const WEBHOOK_DELETION_BODY = {
  title: 'WebhookDeletion',
  type: 'object',
  required: ['confirm'],
  properties: { confirm: { type: 'boolean', const: true, description: 'Must be true.' } },
} as const satisfies JsonSchema;

export type WebhookDeletionBody = TypeOf<typeof WEBHOOK_DELETION_BODY>;

export const WEBHOOK_ANSWER = answerSchema('WebhookConfiguration', 'The webhook configuration.', {
  webhook: configurationWith('Webhook', {
    secretMasked: {
      type: 'string',
      pattern: '^\\*{3}[0-9a-f]{4}$',
      description: 'Three asterisks and the last 4 characters of the secret.',
    },
  }),
});

export const REGISTERED_WEBHOOK = answerSchema(
  'RegisteredWebhook',
  'The new webhook configuration, with its secret. No other answer shows the whole secret.',
  {
    webhook: configurationWith('WebhookWithSecret', {
      secret: {
        type: 'string',
        pattern: '^whsec_live_[0-9a-f]{64}$',
        description: 'Signs every delivery. Store it: no other answer shows it.',
      },
      standardWebhooksSecret: {
        type: 'string',
        pattern: '^whsec_[A-Za-z0-9+/]{100}$',
        description: 'The same secret, as libraries of Standard Webhooks take it.',
      },
    }),
  },
);

export const DELETED_WEBHOOK = answerSchema(
  'WebhookDeleted',
  'The webhook is deleted, and nothing is sent any more.',
  {
    message: { type: 'string', description: 'For people.' },
  },
);

function configurationWith(title: string, secrets: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    title,
    description: 'Which events are sent, and where.',
    type: 'object',
    required: ['url', 'events', ...Object.keys(secrets)],
    properties: { ...CONFIGURATION, ...secrets },
  };
}
