/** Descriptions of the routes of the cluster. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, type OperatorOperation } from '../operator-operation.ts';

const NAME = {
  type: 'string',
  nullable: true,
  description: 'The node that leads; null while none is known.',
} as const;

const CLUSTER = answerSchema('Cluster', 'The nodes that share the log.', {
  leader: NAME,
  term: { type: 'integer', description: 'Of the leader: each one begins the next.' },
  nodes: {
    type: 'array',
    items: {
      type: 'object',
      required: ['node', 'url', 'role', 'applied'],
      properties: {
        node: { type: 'string' },
        url: { type: 'string', description: 'The origin of its buyer API.' },
        role: { type: 'string', enum: ['leader', 'follower'] },
        applied: { type: 'integer', description: 'The last entry of the log that it has, a second ago.' },
      },
    },
  },
});

export const GET_CLUSTER: OperatorOperation = {
  operationId: 'getCluster',
  tag: 'Node',
  summary: 'Read who leads, and how far each node has come',
  description: 'Of any node of the cluster.',
  answers: [answer(200, CLUSTER)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};

const HANDOVER = answerSchema('Handover', 'The leader stops, and another node takes over.', { leader: NAME });

export const HAND_OVER: OperatorOperation = {
  operationId: 'handOver',
  tag: 'Node',
  summary: 'Have another node lead',
  description:
    'Of any node of the cluster: the leader hears of it within a second. It answers what is under way, waits for no supplier, and its process ends; its unit starts it again.',
  answers: [answer(202, HANDOVER)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};

const TRIMMED = answerSchema(
  'Trimmed',
  'What is left of the log.',
  { state: { type: 'string', const: 'complete' } },
  {
    first: { type: 'integer', description: 'The first entry that is left.' },
    last: { type: 'integer', description: 'The last one.' },
    removed: { type: 'integer', description: 'How many were removed.' },
    base: { type: 'integer', description: 'The entry behind which new nodes begin.' },
  },
);

const TRIMMING = answerSchema('Trimming', 'It goes on: call again.', {
  state: { type: 'string', const: 'running' },
});

export const TRIM_LOG: OperatorOperation = {
  operationId: 'trimLog',
  tag: 'Node',
  summary: 'Remove from the log what no node needs any more',
  description:
    'Of any node of the cluster. A week is kept, and what a node lacks that was there within a week. It is answered within 15 seconds: with `running`, call again.',
  answers: [answer(200, TRIMMED), answer(202, TRIMMING)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};
