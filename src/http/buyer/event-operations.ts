/** The description of the route of events. */
import { WEBHOOK_EVENTS } from '../../engine/webhook.ts';
import type { Operation, Query } from '../operation.ts';
import { EVENTS_ANSWER } from '../schemas/event.ts';

export const MAX_EVENTS = 1_000;
export const MAX_WAIT_SECONDS = 30;

export const EVENTS_QUERY: Query = {
  after: {
    type: 'string',
    description:
      'The `lastEventId` of the answer before, or the id of any event of yours; `latest`: no events, and where the newest one is. Without it: from the oldest event that is kept.',
  },
  types: {
    type: 'string',
    description: `Only events of these types, such as \`order.completed,order.failed\`: of ${WEBHOOK_EVENTS.map((type) => `\`${type}\``).join(', ')}.`,
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_EVENTS,
    description: 'The most events of the answer; 100 without it.',
  },
  wait: {
    type: 'number',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    description:
      'For how many seconds the answer waits for an event while there is none. Without it: not at all. Give your client a longer time-out.',
  },
};

export const LIST_EVENTS: Operation = {
  operationId: 'listEvents',
  tag: 'Webhooks',
  summary: 'Read events from where you stopped',
  description: `
All events of the account in their order, without gaps, whether it has a webhook or not. With a webhook they have the same
ids. Keep \`lastEventId\` with what you made of the events, and ask again with it as \`after\`. They are kept for 30 days or
longer.

\`lastEventId\` goes on when \`types\` leaves all events out. While \`hasMore\` is true, ask again at once. After
\`EVENTS_GONE\` begin again without \`after\`, and compare your orders by \`GET /orders/{id}\`. At most 4 requests of an
account wait at a time.`.trim(),
  answers: [{ status: 200, description: 'Events, the oldest first.', schema: EVENTS_ANSWER }],
  errors: ['BAD_REQUEST', 'EVENTS_GONE'],
};
