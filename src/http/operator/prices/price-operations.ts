/** Descriptions of the routes of prices. */
import { PRICE_RULES } from '../../../engine/pricing/price-rule.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { importAnswer, TABLE_BODY } from '../imports/import-fields.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  said,
  USDT,
} from '../operator-operation.ts';
import { PRICE_TIER } from '../products/product-operations.ts';

const PRICE = {
  productId: { type: 'integer' },
  priceUsdt: said(USDT, 'USDT a unit.'),
  priceTiers: listOf(PRICE_TIER, 'Volume prices, ascending; empty when there are none.'),
} as const;

export const PRICES = listOf(
  rowSchema('OwnPrice', 'What a product costs, by a list or for an account.', { required: PRICE }),
  'A page of them, in the order of the ids of products.',
);

const ID: JsonSchema = { type: 'integer' };
const SET_OF_LIST = answerSchema('ListPrice', 'The price as it is now.', { priceListId: ID, ...PRICE });
const SET_OF_ACCOUNT = answerSchema('AccountPrice', 'The price as it is now.', { accountId: ID, ...PRICE });
const GONE_OF_LIST = answerSchema('RemovedListPrice', 'What the list does not name now.', {
  priceListId: ID,
  productId: ID,
});
const GONE_OF_ACCOUNT = answerSchema('RemovedAccountPrice', 'What the account has no own price of now.', {
  accountId: ID,
  productId: ID,
});
const OWN = answerSchema(
  'AccountPricePage',
  'Own prices of an account.',
  { accountId: ID, prices: PRICES },
  NEXT_CURSOR,
);
const EXPLAINED = answerSchema(
  'ExplainedPrice',
  'What the account would pay now.',
  {
    accountId: ID,
    productId: ID,
    quantity: ID,
    totalUsdt: said(USDT, 'The whole quantity, in whole cents.'),
    unitUsdt: said(USDT, 'Of one unit, at this quantity, before the total is rounded.'),
    rule: {
      type: 'string',
      enum: PRICE_RULES,
      description:
        'Where the price comes from: the first that there is of its own price, its list, the percent of its list, and the product.',
    },
    visible: { type: 'boolean', description: 'Whether the account sees the product and can buy it.' },
  },
  { priceListId: { type: 'integer', description: 'The list, of rules `list` and `percent`.' } },
);

export const SET_LIST_PRICE: OperatorOperation = {
  operationId: 'setListPrice',
  tag: 'Prices',
  summary: 'Set the price of a product in a list',
  description: 'Its tiers replace those of the product; without any it has none.',
  answers: [answer(200, SET_OF_LIST)],
  errors: ['NOT_FOUND'],
};

export const REMOVE_LIST_PRICE: OperatorOperation = {
  operationId: 'removeListPrice',
  tag: 'Prices',
  summary: 'Take the price of a product out of a list',
  answers: [answer(200, GONE_OF_LIST)],
  errors: ['NOT_FOUND'],
};

export const SET_OWN_PRICE: OperatorOperation = {
  operationId: 'setOwnPrice',
  tag: 'Prices',
  summary: "Set an account's own price of a product",
  description: 'It comes before its list. Its tiers replace those of the product; without any it has none.',
  answers: [answer(200, SET_OF_ACCOUNT)],
  errors: ['NOT_FOUND'],
};

export const REMOVE_OWN_PRICE: OperatorOperation = {
  operationId: 'removeOwnPrice',
  tag: 'Prices',
  summary: "Take an account's own price of a product away",
  answers: [answer(200, GONE_OF_ACCOUNT)],
  errors: ['NOT_FOUND'],
};

export const LIST_OWN_PRICES: OperatorOperation = {
  operationId: 'listOwnPrices',
  tag: 'Prices',
  summary: "List an account's own prices",
  answers: [answer(200, OWN)],
  errors: ['NOT_FOUND'],
};

export const EXPLAIN_PRICE: OperatorOperation = {
  operationId: 'explainPrice',
  tag: 'Prices',
  summary: 'What an account would pay, and by which rule',
  answers: [answer(200, EXPLAINED)],
  errors: ['NOT_FOUND'],
};

const PRICED_LINE = rowSchema('PriceImportLine', 'A price that would change.', {
  required: {
    line: { type: 'integer', description: 'Of the file, where the record begins.' },
    productId: ID,
    oldPriceUsdt: { ...USDT, nullable: true, description: 'In the list so far; null: none.' },
    newPriceUsdt: USDT,
    newestCostUsdt: {
      ...USDT,
      nullable: true,
      description: "What an item of the product's newest lot with a cost has cost; null: nobody said.",
    },
  },
});

export const IMPORT_PRICES: OperatorOperation = {
  operationId: 'importPrices',
  tag: 'Prices',
  summary: 'Set prices of a list from a table',
  description: `
The first line has the names of the columns, in any order: \`sku\` or \`productId\`, \`priceUsdt\`, and \`priceTiers\`
(\`10:9.00 100:8.50\`) if wanted. An empty \`priceUsdt\` leaves the price as it is, and so do empty tiers theirs. All lines are
checked first: with an error nothing changes, and the counts say what would have, unless bad lines are left out.
\`created\` are products that the list did not name before.`.trim(),
  otherBodies: TABLE_BODY,
  answers: [importAnswer('PriceImport', PRICED_LINE)],
  errors: ['NOT_FOUND'],
};
