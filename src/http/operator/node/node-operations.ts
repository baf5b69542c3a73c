/** Descriptions of the routes of the node itself and of its feed. */
import { answerSchema } from '../../schemas/envelope.ts';
import {
  answer,
  listOf,
  type OperatorOperation,
  rowSchema,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';

const LIVE = answerSchema('Live', 'The process answers.', { live: { type: 'boolean', const: true } });
const READY = answerSchema('Ready', 'The node takes purchases.', { ready: { type: 'boolean', const: true } });

export const GET_LIVE: OperatorOperation = {
  operationId: 'getLive',
  tag: 'Node',
  summary: 'Check that the process answers',
  answers: [answer(200, LIVE)],
  errors: [],
};

export const GET_READY: OperatorOperation = {
  operationId: 'getReady',
  tag: 'Node',
  summary: 'Check that the node takes purchases',
  answers: [answer(200, READY)],
  errors: ['NOT_READY', 'NOT_LEADING'],
};

const CLUSTER = {
  type: 'object',
  description: 'Of a node that shares its log with others; absent where it has its log alone.',
  required: ['node', 'role', 'term', 'applied', 'confirmed', 'leader'],
  properties: {
    node: { type: 'string' },
    role: { type: 'string', enum: ['leader', 'follower'] },
    term: { type: 'integer', description: 'Of the newest entry that it has.' },
    applied: { type: 'integer', description: 'The last entry of the log that it has.' },
    confirmed: { type: 'integer', description: 'The last entry that it knows confirmed.' },
    leader: {
      type: 'object',
      nullable: true,
      required: ['node', 'url'],
      properties: { node: { type: 'string' }, url: { type: 'string' } },
    },
  },
} as const;

const LEDGER = {
  type: 'object',
  description: 'Its sum is zero. For `finance` and `owner` only.',
  required: ['walletsUsdt', 'heldUsdt', 'revenueUsdt', 'depositsUsdt'],
  properties: {
    walletsUsdt: said(USDT, 'In all wallets.'),
    heldUsdt: said(USDT, 'On hold for purchases at suppliers.'),
    revenueUsdt: said(USDT, 'What orders were charged, without what was refunded.'),
    depositsUsdt: said(USDT, 'What operators credited, with the other sign.'),
  },
} as const;

/** The place where the master key lies. A follower's status may be without it. */
export const MASTER_KEY_FROM = {
  type: 'string',
  enum: ['file', 'environment'],
  description:
    '`file`: it lies in the data folder, and whoever loses that has lost every backup as well, unless there is a copy elsewhere.',
} as const;

/** Beside `masterKeyFrom`, where that is `file`. */
export const MASTER_KEY_SAVED = {
  type: 'boolean',
  description:
    'Whether an operator saved this master key: `POST /rekey/save`. Absent when it is from the environment.',
} as const;

const STATUS = answerSchema(
  'Status',
  'The node and its ledger.',
  {
    version: { type: 'string', description: 'Of the program.' },
    transport: { type: 'string', enum: ['uws', 'node'], description: 'What serves the buyer API.' },
    buyerApi: {
      type: 'object',
      description: 'Where it listens for buyers. Whoever stands before the node may have another address.',
      required: ['host', 'port'],
      properties: { host: { type: 'string' }, port: { type: 'integer' } },
    },
    startedAt: said(
      TIME,
      'When the node started, in Unix milliseconds: what is counted since the start is from then on.',
    ),
    ready: { type: 'boolean', description: 'Whether it takes purchases.' },
    sales: {
      type: 'string',
      enum: ['open', 'closed'],
      description: '`closed` after a restore, until they are opened: see `GET /restore`.',
    },
    journalPosition: { type: 'integer', description: 'Of the newest fact.' },
    checkpointPosition: { type: 'integer', description: 'Up to here a start has nothing to replay.' },
    accounts: { type: 'integer' },
    products: { type: 'integer' },
    orders: { type: 'integer' },
  },
  { cluster: CLUSTER, ledger: LEDGER, masterKeyFrom: MASTER_KEY_FROM, masterKeySaved: MASTER_KEY_SAVED },
);

export const GET_STATUS: OperatorOperation = {
  operationId: 'getStatus',
  tag: 'Node',
  summary: 'Read the state of the node',
  answers: [answer(200, STATUS)],
  errors: [],
};

const SETTING = rowSchema('Setting', 'What one setting is, and where it is from.', {
  required: {
    name: {
      type: 'string',
      description: 'The flag without its dashes, and the key of the configuration file.',
    },
    env: { type: 'string', description: 'The variable of the environment.' },
    value: {
      type: 'string',
      nullable: true,
      description: 'As one would write it; of a URL the scheme and the host alone. null: it has none.',
    },
    source: { type: 'string', enum: ['flag', 'environment', 'file', 'default'] },
  },
});
const SETTINGS = answerSchema('Settings', 'What the node was started with.', {
  settings: listOf(SETTING, 'All but secrets.'),
});

export const LIST_SETTINGS: OperatorOperation = {
  operationId: 'listSettings',
  tag: 'Node',
  summary: 'Read the settings of the node',
  answers: [answer(200, SETTINGS)],
  errors: [],
};

export const GET_METRICS: OperatorOperation = {
  operationId: 'getMetrics',
  tag: 'Node',
  summary: 'Read the metrics, for Prometheus',
  description: 'Also at the root of this listener, as `/metrics`.',
  answers: [
    {
      status: 200,
      description: 'The metrics, in the text format of Prometheus.',
      others: { 'text/plain': 'The text format of Prometheus.' },
    },
  ],
  errors: [],
};

export const READ_FEED: OperatorOperation = {
  operationId: 'readFeed',
  tag: 'Node',
  summary: 'Follow everything that happens',
  description: `
Every fact after a position or from a time on, and new ones as they happen, for as long as the reader stays and its
token counts. Give either \`after\` or \`from\`, or neither for all. With \`types\`, other lines are left out, so \`seq\` has gaps. Empty lines are signs of life: skip them.`.trim(),
  answers: [
    {
      status: 200,
      description: 'The lines, without end.',
      others: {
        'application/x-ndjson':
          'A JSON object a line, with `seq`, `at` (Unix milliseconds), `epoch`, `type`, and what else its type has.',
      },
      headers: ['X-Feed-After', 'X-Accel-Buffering'],
    },
  ],
  errors: ['OTHER_EPOCH', 'NOT_READY'],
};
