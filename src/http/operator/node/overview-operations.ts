/** Description of the route of the overview. */
import { answerSchema } from '../../schemas/envelope.ts';
import { AVAILABLE_STOCK } from '../../schemas/product.ts';
import {
  answer,
  listOf,
  type OperatorOperation,
  rowSchema,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';
import { MASTER_KEY_FROM, MASTER_KEY_SAVED } from './node-operations.ts';

/** Whom it is told. */
const FOR_MONEY = 'For `finance` and `owner` only.';
const COUNT = { type: 'integer' } as const;
const MS = { type: 'number', nullable: true } as const;
const P50 = said(
  MS,
  'Half were answered in so many milliseconds, refusals included; null when there were none.',
);
const P99 = said(MS, 'The same of 99 in 100.');

const SOLD = rowSchema('SoldSinceStart', 'Since the process started, refunds not deducted.', {
  required: { orders: COUNT, units: COUNT },
  optional: { usdt: said(USDT, FOR_MONEY) },
});

const PURCHASES = rowSchema('PurchasesNow', 'How purchases go.', {
  required: {
    perSecond: { type: 'number', description: 'Orders sold a second, in the last ten to twenty seconds.' },
    p50Ms: P50,
    p99Ms: P99,
  },
});

const REFUSALS = rowSchema('RefusalCount', 'Requests of buyers that got this error.', {
  required: {
    error: { type: 'string' },
    count: said(COUNT, 'Since the process started.'),
    lastHour: COUNT,
  },
});

const MINUTE = rowSchema('OverviewMinute', 'A minute, or what there is of the one that goes on.', {
  required: {
    at: said(TIME, 'When it began, in Unix milliseconds.'),
    seconds: { type: 'number', description: 'How long it is.' },
    orders: said(COUNT, 'Sold.'),
    units: said(COUNT, 'Sold.'),
    refusals: said(COUNT, 'Of all errors.'),
    p50Ms: P50,
    p99Ms: P99,
  },
  optional: { usdt: said(USDT, `USDT sold. ${FOR_MONEY}`) },
});

const STOCK = rowSchema('ProductCover', 'How long own stock of a product lasts.', {
  required: {
    productId: COUNT,
    name: { type: 'string' },
    availableStock: AVAILABLE_STOCK,
    hoursOfCover: { type: 'number', description: 'If it sells as in the last day.' },
  },
});

const ATTENTION = rowSchema('Attention', 'What may need somebody.', {
  required: {
    deliveries: said(COUNT, 'Orders that wait for a delivery by hand; up to 1,000 are counted.'),
    supplierPurchasesOpen: said(COUNT, 'Held, pending or unresolved.'),
    supplierPurchasesUnresolved: said(COUNT, 'Of these, those that the supplier may have sold all the same.'),
    supplierCircuitsOpen: said(COUNT, 'Suppliers that do not answer.'),
    webhooksFailing: said(COUNT, 'Accounts whose latest attempt failed.'),
    webhookEventsPending: said(COUNT, 'Events that wait for an attempt.'),
    alertsFiring: said(COUNT, 'States that go on: `GET /alerts`.'),
  },
});

const BACKUP = {
  ...rowSchema('BackupAge', 'The continuous backup; null without one.', {
    required: {
      lagSeconds: { type: 'number', description: 'For how long it has lacked the oldest fact; 0: nothing.' },
      drillOk: { type: 'boolean', nullable: true, description: 'Of the last drill; null before the first.' },
      drillAgeSeconds: {
        type: 'integer',
        nullable: true,
        description: 'Since the last drill ended, or since drills have been due.',
      },
    },
  }),
  nullable: true,
} as const;

const DISK = {
  ...rowSchema('DiskRoom', 'Where the data folder is; null when it is not known.', {
    required: { freeBytes: COUNT, totalBytes: COUNT },
  }),
  nullable: true,
} as const;

const FIELDS = {
  at: TIME,
  ready: { type: 'boolean', description: 'Whether it takes purchases.' },
  journalPosition: said(COUNT, 'Of the newest fact.'),
  sold: SOLD,
  purchases: PURCHASES,
  refusals: listOf(REFUSALS, 'Errors that somebody got.'),
  minutes: listOf(MINUTE, 'The last hour, the oldest first; as much of it as the process has run.'),
  stock: listOf(STOCK, 'The ten products on sale whose own stock lasts least, as far as it is known.'),
  attention: ATTENTION,
  backup: BACKUP,
  masterKeyFrom: MASTER_KEY_FROM,
  disk: DISK,
} as const;

const OVERVIEW = answerSchema('Overview', 'How the shop does.', FIELDS, { masterKeySaved: MASTER_KEY_SAVED });

export const GET_OVERVIEW: OperatorOperation = {
  operationId: 'getOverview',
  tag: 'Node',
  summary: 'Read how the shop does',
  description: `
Small, and cheap enough to be asked for every two seconds. Its figures are in memory: a start begins anew, and how long
stock lasts isn't known in the first hour. Monitoring belongs on \`GET /metrics\`.`.trim(),
  answers: [answer(200, OVERVIEW)],
  errors: [],
};
