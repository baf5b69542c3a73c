/** What the route of an import says about itself. */
import { answerSchema } from '../../schemas/envelope.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { answer, type OperatorOperation, said, TIME } from './operator-operation.ts';

const REQUIRED = {
  state: { type: 'string', enum: ['running', 'complete', 'failed'] },
  folder: { type: 'string', description: 'The data folder that was lost.' },
  at: said(TIME, 'When it began; when it ended, once it has. Unix milliseconds.'),
} as const;
const OPTIONAL = {
  error: { type: 'string', description: 'Why it failed: the restored folder goes on as before.' },
  epoch: { type: 'integer', description: 'Which one has begun with it.' },
  orders: { type: 'integer', description: 'How many the shop has now.' },
  facts: { type: 'integer', description: 'Which the restored folder did not have.' },
  sales: {
    type: 'string',
    enum: ['open', 'closed'],
    description: 'Open with `complete`; else the shop waits for `POST /restore/open`.',
  },
  kept: { type: 'string', description: 'Where the restored folder is, until you remove it.' },
} as const;

/** A part of `GET /restore`. */
export const IMPORT_STATUS: JsonSchema = {
  type: 'object',
  description: 'The last import since the process started; not there when there was none.',
  required: Object.keys(REQUIRED),
  properties: { ...REQUIRED, ...OPTIONAL },
};

export const IMPORT: OperatorOperation = {
  operationId: 'importFolder',
  tag: 'Restore',
  summary: 'Go on with the folder that was lost',
  description:
    'Checks that it is the folder that was lost, makes a folder of it, and opens that in place of the restored one, on the same ports: connections break for that moment. `GET /restore` tells how it goes. Whatever fails, the restored folder goes on as before.',
  bodies: {
    import: { folder: '/mnt/old/data', reason: 'the old disk is readable' },
    discard: { folder: '/mnt/old/data', discard: true, complete: true },
  },
  answers: [
    answer(202, answerSchema('ImportBegun', 'It is under way.', REQUIRED, OPTIONAL), {
      begun: { state: 'running', folder: '/mnt/old/data', at: 1_790_000_200_000 },
    }),
  ],
  errors: ['NOT_READY'],
};
