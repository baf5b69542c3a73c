/** Descriptions of the routes of price lists. */
import { answerSchema } from '../../schemas/envelope.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  type Shape,
  TIME,
} from '../operator-operation.ts';
import { repeatable } from '../repeated-call.ts';
import { PRICES } from './price-operations.ts';

const HEAD = {
  priceListId: { type: 'integer' },
  name: { type: 'string' },
  percent: {
    type: 'number',
    nullable: true,
    description:
      'What the list does not name costs so many percent more than the product; null: what the product costs.',
  },
  accounts: { type: 'integer', description: 'How many accounts have it.' },
} as const;
const COUNT = { type: 'integer', description: 'How many products it names.' } as const;

const LIST: Shape = {
  required: { ...HEAD, prices: COUNT },
  optional: { createdAt: TIME },
};

const ROW = rowSchema('PriceList', 'Prices that several accounts have.', LIST);
const ONE = answerSchema('PriceListAnswer', 'The price list.', LIST.required, LIST.optional);
const READ = answerSchema(
  'PriceListRead',
  'The price list, with its prices.',
  { ...HEAD, prices: PRICES },
  { ...LIST.optional, ...NEXT_CURSOR },
);
const PAGE = answerSchema(
  'PriceListPage',
  'Price lists, in the order of their ids.',
  { priceLists: listOf(ROW, 'A page of them.') },
  NEXT_CURSOR,
);
const DELETED = answerSchema('DeletedPriceList', 'The price list that is no more.', {
  priceListId: { type: 'integer' },
});

export const CREATE_PRICE_LIST = repeatable({
  operationId: 'createPriceList',
  tag: 'Prices',
  summary: 'Make a price list',
  description: 'It names no product yet. Give it to an account with `PATCH /accounts/{id}`.',
  answers: [answer(201, ONE, 'The new price list.')],
  errors: [],
});

export const LIST_PRICE_LISTS: OperatorOperation = {
  operationId: 'listPriceLists',
  tag: 'Prices',
  summary: 'List price lists',
  answers: [answer(200, PAGE)],
  errors: [],
};

export const GET_PRICE_LIST: OperatorOperation = {
  operationId: 'getPriceList',
  tag: 'Prices',
  summary: 'Read a price list with its prices',
  answers: [answer(200, READ)],
  errors: ['NOT_FOUND'],
};

export const UPDATE_PRICE_LIST: OperatorOperation = {
  operationId: 'updatePriceList',
  tag: 'Prices',
  summary: 'Change a price list',
  description: 'What is left out stays. The next purchase of each of its accounts has the new prices.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

export const DELETE_PRICE_LIST: OperatorOperation = {
  operationId: 'deletePriceList',
  tag: 'Prices',
  summary: 'Delete a price list that no account has',
  answers: [answer(200, DELETED)],
  errors: ['NOT_FOUND', 'TRANSITION_NOT_ALLOWED'],
};
