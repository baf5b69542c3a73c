/** The webhook configuration (SPEC.md §2, §4): the bodies that set and delete it, and its answers. */
import { WEBHOOK_EVENTS } from '../../engine/webhook.ts';
import { answerSchema } from './envelope.ts';
import type { JsonSchema, TypeOf } from './json-schema.ts';

const CONFIGURATION = {
  url: {
    type: 'string',
    description:
      'Public `https`, without user or password, port 443 or 8443. The host must resolve, and to public addresses only.',
  },
  events: {
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: WEBHOOK_EVENTS },
    description: 'Which events to send. One that is named twice counts once.',
  },
  balanceThresholdUsdt: {
    type: 'number',
    minimum: 0,
    description: '`balance.low` is sent when a purchase takes the balance below this; never without it.',
  },
} as const satisfies Record<string, JsonSchema>;

export const WEBHOOK_BODY = {
  title: 'WebhookRequest',
  description: 'Where to send which events. Fields that are not named here are ignored.',
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

export const WEBHOOK_ANSWER = answerSchema('WebhookConfiguration', 'Where events go.', {
  webhook: configurationWith('secretMasked', {
    type: 'string',
    pattern: '^\\*{3}[0-9a-f]{4}$',
    description: 'Three asterisks and the last 4 characters of the secret.',
  }),
});

export const REGISTERED_WEBHOOK = answerSchema(
  'RegisteredWebhook',
  'Where events go from now on, and the new secret, in full this once.',
  {
    webhook: configurationWith('secret', {
      type: 'string',
      pattern: '^whsec_live_[0-9a-f]{64}$',
      description: 'Signs every delivery. Store it: no other answer shows it.',
    }),
  },
);

export const DELETED_WEBHOOK = answerSchema('WebhookDeleted', 'Nothing is sent any more.', {
  message: { type: 'string', description: 'For people.' },
});

function configurationWith(name: string, secret: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['url', 'events', name],
    properties: { ...CONFIGURATION, [name]: secret },
  };
}
