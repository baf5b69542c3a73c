/** The answer of GET /events: events as webhooks deliver them, each with its time. */
import { answerSchema } from './envelope.ts';
import type { JsonSchema } from './json-schema.ts';

const EVENT: JsonSchema = {
  title: 'Event',
  description:
    'What happened: the body of the webhook delivery, and `createdAt`. Each type has fields of its own. Ignore types that you do not know: new ones may come.',
  type: 'object',
  required: ['eventId', 'type', 'createdAt'],
  properties: {
    orderId: { type: 'integer', description: 'Of types `order.…`.' },
    refundedUsdt: { type: 'number', description: 'Of `order.refunded`: this refund.' },
    totalRefundedUsdt: { type: 'number', description: 'Of `order.refunded`: all refunds of the order.' },
    items: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Of `order.items_replaced`: the places in the order, from 0.',
    },
    amountUsdt: { type: 'number', description: 'Of `balance.credited`.' },
    balanceUsdt: {
      type: 'number',
      description: 'Of `balance.credited` and `balance.low`: the balance then.',
    },
    reference: { type: 'string', description: 'Of `balance.credited`.' },
    thresholdUsdt: { type: 'number', description: 'Of `balance.low`.' },
    productId: {
      type: 'integer',
      description: 'Of `catalog.updated` and `stock.changed`: the product that changed last.',
    },
    productIds: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Of `catalog.updated` and `stock.changed`: all products that changed.',
    },
    eventId: { type: 'string', description: 'The same whenever it is read or delivered: deduplicate by it.' },
    type: { type: 'string', description: 'The kind of event.' },
    createdAt: { type: 'integer', description: 'Unix milliseconds.' },
  },
};

export const EVENTS_ANSWER = answerSchema('Events', 'A page of events.', {
  events: { type: 'array', items: EVENT },
  lastEventId: {
    type: 'string',
    nullable: true,
    description: 'Where to go on: `after` of the next request. Null when there never was an event.',
  },
  hasMore: { type: 'boolean', description: 'Whether there are more events behind `lastEventId` by now.' },
});
