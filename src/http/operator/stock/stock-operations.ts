/** Descriptions of the routes of stock. */
import { MAX_LISTED_LINES } from '../../../persistence/stock/intake/line-numbers.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { AVAILABLE_STOCK } from '../../schemas/product.ts';
import { answer, listOf, NEXT_CURSOR, type OperatorOperation, rowSchema } from '../operator-operation.ts';
import { repeatable } from '../repeated-call.ts';

const RECALLED = {
  recalled: { type: 'integer', description: 'How many of the duplicates are of a lot that was recalled.' },
} as const;

const LINE_RANGES = listOf(
  rowSchema('LineRange', 'Lines that follow each other.', {
    required: { first: { type: 'integer' }, last: { type: 'integer' } },
  }),
  'Where they are; the first hundred ranges.',
);
const DUPLICATES_OF = {
  duplicatesOf: listOf(
    rowSchema('DuplicatesOf', 'Lines whose texts a product has.', {
      required: {
        productId: { type: 'integer' },
        count: { type: 'integer' },
        lines: LINE_RANGES,
      },
    }),
    'The duplicates by the product that has or had them; a hundred products at most.',
  ),
} as const;
const LOOK_ALIKES = {
  lookAlikeCount: {
    type: 'integer',
    description:
      'Lines that look like another text: but for blanks, characters that nobody sees, forms of Unicode, or case.',
  },
  lookAlikes: listOf(
    rowSchema(
      'LookAlike',
      'A line and the text that it looks like: of a line before it, an item or an order.',
      {
        required: {
          line: { type: 'integer' },
          added: {
            type: 'boolean',
            description: 'False when nobody could tell the two apart: then the line is a duplicate.',
          },
          differsIn: listOf({ type: 'string' }, 'What the two differ in.'),
        },
        optional: {
          likeLine: { type: 'integer' },
          productId: { type: 'integer' },
          item: {
            type: 'integer',
            description: "Its number in the product's stock; from the product's end on, one of this upload.",
          },
          orderId: { type: 'integer' },
        },
      },
    ),
    'The first hundred of them.',
  ),
} as const;

const LINES = `The numbers of the first ${MAX_LISTED_LINES} of them, from 1.`;
const BAD_LINES = {
  badLineCount: { type: 'integer', description: 'Lines that can be no item.' },
  badLines: listOf({ type: 'integer' }, LINES),
  badLineReasons: listOf(
    rowSchema('BadLineReason', 'What is wrong with some lines.', {
      required: { reason: { type: 'string' }, count: { type: 'integer' }, lines: LINE_RANGES },
    }),
    'Why they can be no item.',
  ),
} as const;

const ADDED = answerSchema(
  'StockAdded',
  'What the upload added.',
  {
    productId: { type: 'integer' },
    added: { type: 'integer' },
    duplicates: {
      type: 'integer',
      description: 'Lines that a product of the shop had before, or that came twice.',
    },
    availableStock: AVAILABLE_STOCK,
  },
  {
    lotId: { type: 'integer', description: 'What was added is this lot; absent when nothing was.' },
    ...RECALLED,
    ...DUPLICATES_OF,
    ...LOOK_ALIKES,
    ...BAD_LINES,
    quarantined: {
      type: 'integer',
      description:
        'After a restore: how many of what was added are in quarantine, because receipts say that lost orders had them.',
    },
  },
);

const DRY_RUN = answerSchema(
  'StockDryRun',
  'What the upload would do. Nothing was added.',
  {
    productId: { type: 'integer' },
    wouldAdd: { type: 'integer', description: 'Without the bad lines, for which an upload is refused.' },
    duplicateLineCount: { type: 'integer' },
    duplicateLines: listOf({ type: 'integer' }, LINES),
    ...DUPLICATES_OF,
    ...LOOK_ALIKES,
    ...BAD_LINES,
    sample: listOf({ type: 'string' }, 'The first three items that it would add, as buyers will see them.'),
  },
  {
    ...RECALLED,
    encoding: {
      type: 'string',
      enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'],
      description:
        'Of a text or table: what its beginning looks like. Items are lines of UTF-8; of a table `column` and `charset` say how it is read.',
    },
    table: {
      type: 'object',
      description: 'There when the text looks like a table with a header, such as a spreadsheet writes.',
      required: ['delimiter', 'columns'],
      additionalProperties: false,
      properties: { delimiter: { type: 'string' }, columns: listOf({ type: 'string' }, 'Its header.') },
    },
  },
);

const DRY = answer(200, DRY_RUN);

export const ADD_STOCK = repeatable(
  {
    operationId: 'addStock',
    tag: 'Stock',
    summary: 'Upload items',
    description: `
All of an upload or nothing becomes visible, so one that was interrupted is sent again; lines that the shop ever had, in
this product or another, are counted, and not added. A line that can be no item refuses the upload, unless \`leaveOutBadLines\` leaves it out; \`badLines\`
are in the answer then. Of a table the items are the cells of one
column; its lines are those of the file where records begin. What was added is a lot. A \`reason\` is in the query, or in the body of JSON.`.trim(),
    otherBodies: {
      'text/plain': 'One item a line, UTF-8, of any size.',
      'text/csv': 'A table of any size, as spreadsheets write it; `column` says which one has the items.',
    },
    answers: [answer(201, ADDED)],
    errors: ['NOT_FOUND'],
  },
  { other: DRY },
);

const WITHDRAWN = answerSchema('StockWithdrawn', 'What was withdrawn.', {
  productId: { type: 'integer' },
  withdrawn: { type: 'integer' },
  items: listOf({ type: 'string' }, 'Their texts.'),
  availableStock: AVAILABLE_STOCK,
});

export const WITHDRAW_STOCK = repeatable({
  operationId: 'withdrawStock',
  tag: 'Stock',
  summary: 'Withdraw the oldest items',
  description: 'As many as there are, at most `count`. They may be added again.',
  answers: [answer(200, WITHDRAWN)],
  errors: ['NOT_FOUND'],
});

const SHELVED = answerSchema(
  'WithdrawnItems',
  'What was withdrawn, the last ones first.',
  {
    productId: { type: 'integer' },
    items: listOf(
      rowSchema('WithdrawnItem', 'An item that was withdrawn.', {
        required: {
          item: { type: 'integer', description: 'Its number in stock.' },
          text: { type: 'string' },
        },
      }),
      'A page of them, without those of recalled lots.',
    ),
  },
  NEXT_CURSOR,
);

export const LIST_WITHDRAWN: OperatorOperation = {
  operationId: 'listWithdrawnStock',
  tag: 'Stock',
  summary: 'Read again what was withdrawn',
  description:
    'For an answer to a withdrawal that got lost. That they were shown is a fact, before they are.',
  answers: [answer(200, SHELVED)],
  errors: ['NOT_FOUND'],
};
