/** Descriptions of the routes of products and their files. */
import { PRODUCT_TYPES, VISIBILITIES } from '../../../engine/products.ts';
import { MAX_FILE_BYTES } from '../../../persistence/files/file-errors.ts';
import type { Answer } from '../../operation.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { AVAILABLE_STOCK, CATALOG_FIELDS } from '../../schemas/product.ts';
import { importAnswer, TABLE_BODY } from '../imports/import-fields.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  type Shape,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';
import { repeatable } from '../repeated-call.ts';

export const PRICE_TIER = rowSchema('PriceTier', 'A volume price.', {
  required: {
    minQuantity: { type: 'integer', description: 'The least quantity that has this price.' },
    priceUsdt: said(USDT, 'USDT a unit.'),
  },
});

const SOURCE = rowSchema('ProductSource', 'A supplier of a product.', {
  required: {
    supplierId: { type: 'integer' },
    sku: { type: 'string', description: 'What the supplier calls it.' },
  },
});

const PRODUCT: Shape = {
  required: {
    productId: { type: 'integer' },
    name: { type: 'string' },
    description: { type: 'string' },
    instructions: { type: 'string' },
    type: { type: 'string', enum: PRODUCT_TYPES },
    priceUsdt: said(USDT, 'USDT a unit.'),
    priceTiers: listOf(PRICE_TIER, 'Volume prices, ascending; empty when there are none.'),
    requiresRecipient: { type: 'boolean' },
    allowDuplicates: { type: 'boolean', description: 'Whether an upload may add a text again.' },
    active: { type: 'boolean', description: 'Whether it is on sale.' },
    ...CATALOG_FIELDS,
    visibility: {
      type: 'string',
      enum: VISIBILITIES,
      description: '`all`, or `listed`: only accounts whose own prices or price list name it see it.',
    },
    createdAt: TIME,
    availableStock: AVAILABLE_STOCK,
    soldLastDay: {
      type: 'integer',
      description: 'Units sold in the last 24 hours, or since the start if that was later.',
    },
  },
  optional: {
    hoursOfCover: {
      type: 'number',
      description:
        'How long own stock lasts if orders take from it as in the last day. Absent in the first hour after a start, and when nothing was taken.',
    },
    lowStock: { type: 'integer', description: 'An alert is raised when its stock falls below this.' },
    sources: listOf(
      SOURCE,
      'Who delivers what own stock does not have, in the order in which they are asked.',
    ),
    supplierId: { type: 'integer', description: 'That of the first of `sources`.' },
    supplierSku: { type: 'string', description: 'That of the first of `sources`.' },
    file: {
      type: 'object',
      description: 'What a product of type `file` delivers. Without one it is not on sale.',
      required: ['fileId', 'sizeBytes', 'contentType', 'sha256'],
      properties: {
        fileId: { type: 'string' },
        sizeBytes: { type: 'integer' },
        contentType: { type: 'string' },
        sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      },
    },
  },
};

export const PRODUCT_ROW = rowSchema('Product', 'What is sold.', PRODUCT);
const ONE = answerSchema('ProductAnswer', 'The product.', PRODUCT.required, PRODUCT.optional);
const PAGE = answerSchema(
  'ProductPage',
  'Products, in the order of their ids.',
  { products: listOf(PRODUCT_ROW, 'A page of them.') },
  NEXT_CURSOR,
);

/** An example of one. */
export const CODES = {
  productId: 12,
  name: 'Gift card',
  description: 'One code',
  instructions: 'Redeem it',
  type: 'standard',
  requiresRecipient: false,
  allowDuplicates: false,
  active: true,
  sku: 'gift-10',
  category: 'Gift cards',
  attributes: { region: 'EU' },
  imageUrl: null,
  visibility: 'all',
  minQuantity: 1,
  maxQuantity: null,
  priceUsdt: 3.5,
  priceTiers: [{ minQuantity: 100, priceUsdt: 3.125 }],
  createdAt: 1767225600000,
  availableStock: 250,
  soldLastDay: 120,
};

function tagged(plain: Answer): Answer {
  return { ...plain, headers: ['ETag'] };
}

export const CREATE_PRODUCT = repeatable({
  operationId: 'createProduct',
  tag: 'Products',
  summary: 'Create a product',
  description: `
Defaults: type \`standard\`, on sale, no volume prices; \`allowDuplicates\` is true for a product that requires a recipient.
\`supplierId\` and \`supplierSku\` belong together, and stand for a list of \`sources\` with one. Prices have up to 2 decimals, those of tiers up to 6.
\`productId\` is for one that was made in the gap of a restore: only numbers that the restore leapt over, and that nobody
has, are given again.`.trim(),
  answers: [tagged(answer(201, ONE, 'The new product.'))],
  errors: ['TRANSITION_NOT_ALLOWED', 'ALREADY_TAKEN'],
});

const CHANGED_LINE = rowSchema('ImportedProduct', 'What a line would change.', {
  required: {
    line: { type: 'integer' },
    sku: { type: 'string' },
    changes: listOf(
      {
        type: 'object',
        required: ['field', 'from', 'to'],
        properties: {
          field: { type: 'string' },
          from: { description: 'What it is; of a new product, its default.' },
          to: { description: 'What it would be.' },
        },
      },
      'Each field that would change.',
    ),
  },
  optional: { productId: { type: 'integer', description: 'Absent when it would be created.' } },
});

export const IMPORT_PRODUCTS: OperatorOperation = {
  operationId: 'importProducts',
  tag: 'Products',
  summary: 'Create and change products from a table',
  description: `
The first line has the names of the columns, in any order: \`sku\`, \`name\`, \`priceUsdt\`, and any of \`description\`,
\`instructions\`, \`type\`, \`category\`, \`imageUrl\`, \`active\`, \`visibility\`, \`minQuantity\`, \`maxQuantity\`, \`lowStock\`,
\`requiresRecipient\`, \`allowDuplicates\`, \`priceTiers\` (\`10:9.00 100:8.50\`) and \`attributes.NAME\`. Each other line is a product,
found by its sku, or a new one. An empty cell leaves the field as it is. All lines are checked first: with an error nothing
changes, and the counts say what would have, unless bad lines are left out. It goes on product by product then; if it
is interrupted, the same table again does the rest. One table is imported at a time.`.trim(),
  otherBodies: TABLE_BODY,
  answers: [importAnswer('ProductImport', CHANGED_LINE)],
  errors: [],
};

export const LIST_PRODUCTS: OperatorOperation = {
  operationId: 'listProducts',
  tag: 'Products',
  summary: 'List products',
  description:
    'With `Accept: text/csv` the answer is the whole catalog as a table that `POST /products/import` takes, without any field of the query.',
  requestHeaders: [{ name: 'Accept', description: 'JSON unless `text/csv` is preferred, by its weights.' }],
  answers: [
    {
      ...answer(200, PAGE),
      others: { 'text/csv': 'A line for each product, by id, with all columns of an import.' },
    },
  ],
  errors: [],
};

export const GET_PRODUCT: OperatorOperation = {
  operationId: 'getProduct',
  tag: 'Products',
  summary: 'Read a product',
  answers: [tagged(answer(200, ONE))],
  errors: ['NOT_FOUND'],
};

export const UPDATE_PRODUCT: OperatorOperation = {
  operationId: 'updateProduct',
  tag: 'Products',
  summary: 'Change a product',
  description: `
What is left out stays. Its \`type\` never changes. With the header \`If-Match\`, it is changed only if it is as it was when
it was read: so nobody overwrites what another one has saved meanwhile. What is in stock or sold meanwhile does no harm.`.trim(),
  requestHeaders: [
    {
      name: 'If-Match',
      description: 'The `ETag` of the answer that the change was made from. Without it, the change is made.',
    },
  ],
  answers: [tagged(answer(200, ONE))],
  errors: ['NOT_FOUND', 'ALREADY_TAKEN', { code: 'CHANGED_MEANWHILE', status: 412, headers: ['ETag'] }],
};

export const SET_PRODUCT_FILE: OperatorOperation = {
  operationId: 'setProductFile',
  tag: 'Products',
  summary: 'Upload what a file product delivers',
  description: `
The body is the file, of up to ${MAX_FILE_BYTES} bytes, and its \`Content-Type\` is what buyers get it with. Older orders keep the
file that they bought. An upload that was interrupted has changed nothing.`.trim(),
  otherBodies: { '*/*': 'The bytes of the file.' },
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};
