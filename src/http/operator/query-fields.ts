/**
 * The fields that queries of the operator API may have, as its document describes them. Routes name theirs, and share
 * them by name; where one means something else, the route's operation says it.
 */
import { MAX_LOT_TEXT_LENGTH, MAX_REASON_LENGTH } from '../../engine/limits.ts';
import { ORDER_STATUSES } from '../../engine/orders.ts';
import type { QueryField } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { ID } from '../schemas/order.ts';

const TEXT: JsonSchema = { type: 'string' };
const FLAG: JsonSchema = { type: 'boolean' };
const LABEL: JsonSchema = { type: 'string', minLength: 1, maxLength: MAX_LOT_TEXT_LENGTH };
const HOW = 'A date (its beginning in UTC), RFC 3339, or Unix milliseconds.';

export const QUERY_FIELDS: Readonly<Record<string, QueryField>> = {
  accountId: { description: 'Of this account only.', schema: ID },
  after: {
    description: 'The `seq` of the last line that you have; 0, the default, for all lines.',
    schema: { type: 'integer', minimum: 0 },
  },
  allowDuplicates: {
    description:
      'Whether a text may be added that a product of the shop had before. Default: what the product says.',
    schema: FLAG,
  },
  by: {
    description: 'What there is a row for. Default: `day`.',
    schema: { type: 'string', enum: ['day', 'product', 'productId', 'account', 'accountId'] },
  },
  charset: {
    description:
      'Of a body that is `text/csv`: how a text is read that has no byte order mark and is not UTF-8.',
    schema: { type: 'string', enum: ['windows-1252'] },
  },
  column: {
    description:
      'Of a body that is `text/csv`: the column that has the items, by its name in the header. A whole number is its place, from 1, in a table without a header.',
    schema: { type: 'string', minLength: 1 },
  },
  costUsdt: {
    description: 'What one item cost, in USDT, with up to 6 decimals.',
    schema: { type: 'number' },
  },
  count: {
    description: 'How many to withdraw.',
    schema: { type: 'integer', minimum: 1, maximum: 10_000 },
    isRequired: true,
  },
  cursor: {
    description: 'The `nextCursor` of the page before, with the same filters. Without it: the first page.',
    schema: TEXT,
  },
  dryRun: { description: 'With `true` nothing is added: the answer says what would be.', schema: FLAG },
  epoch: {
    description:
      'With `after`: the `epoch` of the last line that you have. Then a restore since cannot go unnoticed.',
    schema: { type: 'integer', minimum: 1 },
  },
  excel: {
    description:
      'With `true` CSV for spreadsheets: with a byte order mark, and texts that stay as they are, `00123` too.',
    schema: FLAG,
  },
  failing: { description: 'With `true` only those whose latest attempt failed.', schema: FLAG },
  from: {
    description: `The beginning of the period, which is in it. ${HOW}`,
    schema: TEXT,
  },
  idempotencyKey: {
    description: 'The key of a purchase. Keys belong to accounts: `accountId` is required with it.',
    schema: TEXT,
  },
  items: { description: 'With `false` the answer has no `delivery`. Default: `true`.', schema: FLAG },
  leaveOutBadLines: {
    description:
      'With `true`, lines that can be no item are left out and counted. Default: they refuse the upload.',
    schema: FLAG,
  },
  limit: {
    description: 'At most so many rows, up to 1000, which is also the default.',
    schema: { type: 'integer', minimum: 1, maximum: 1_000 },
  },
  operator: { description: 'The name of an operator: only what he did. The owner is `root`.', schema: TEXT },
  overlap: {
    description: 'How long the token before goes on to work: a duration of up to 30 days. Default: `0`.',
    schema: TEXT,
  },
  productId: { description: 'Of this product only.', schema: ID },
  reason: {
    description: 'Why. It is kept with the change, for ever.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_REASON_LENGTH },
  },
  recipient: {
    description: 'A username, with or without its `@`, in capitals or not.',
    schema: TEXT,
  },
  reference: { description: 'What you know the lot by, such as an invoice.', schema: LABEL },
  requestId: {
    description: 'The `requestId` of the answer to the purchase.',
    schema: TEXT,
  },
  search: {
    description: 'A part of a name, in capitals or not, or an id.',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  },
  source: { description: 'Where the lot is from.', schema: LABEL },
  status: { description: 'Of this status only.', schema: { type: 'string', enum: ORDER_STATUSES } },
  to: {
    description: `The end of the period, which is not in it. ${HOW}`,
    schema: TEXT,
  },
  types: {
    description: 'Only lines of these types, separated by commas.',
    schema: TEXT,
  },
};
