/** The description of the route of bots. */
import { MAX_COUNTED_LINES } from '../../../engine/limits.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, listOf, type OperatorOperation, rowSchema, TIME } from '../operator-operation.ts';
import { BOT_FIGURES_FIELDS } from './bot-figures.ts';

const ROW = rowSchema('Bot', 'How a bot is, as far as it was there since the node started.', {
  required: {
    operatorId: { type: 'integer' },
    name: { type: 'string' },
    externalIdPrefix: { type: 'string', description: 'Accounts whose `externalId` begins so are its own.' },
    lastSeenAt: {
      ...TIME,
      nullable: true,
      description:
        'When it called last, or still read its feed, in Unix milliseconds; null: not since the node started.',
    },
    behind: {
      type: 'integer',
      nullable: true,
      description: `How many lines of its feed come after the last one that it said it has; ${MAX_COUNTED_LINES}: so many or more. Null: it has not asked for its feed since the node started, or they are still being counted.`,
    },
    nextLineAt: {
      ...TIME,
      nullable: true,
      description: 'When the oldest of these lines was written, in Unix milliseconds; null: there is none.',
    },
    ...BOT_FIGURES_FIELDS,
  },
});
const LIST = answerSchema('BotList', 'The bots that are not revoked, in the order of their ids.', {
  bots: listOf(ROW, 'All of them.'),
});

export const LIST_BOTS: OperatorOperation = {
  operationId: 'listBots',
  tag: 'Operators',
  summary: 'Read how the bots are',
  description:
    'A bot says how far it has come, and the figures, whenever it asks for its feed: `after`, `blockedChats` and `unsentMessages` of `GET /feed`.',
  answers: [answer(200, LIST)],
  errors: ['NOT_READY'],
};
