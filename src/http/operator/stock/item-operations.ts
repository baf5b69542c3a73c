/** Description of the search for a text. */
import { MAX_FOUND_ITEMS } from '../../../engine/limits.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, listOf, type OperatorOperation, rowSchema, said, TIME } from '../operator-operation.ts';

const FOUND = rowSchema('FoundItem', 'Where the text is, or where it went.', {
  required: {
    productId: { type: 'integer' },
    state: { type: 'string', enum: ['available', 'sold', 'withdrawn'] },
    exact: {
      type: 'boolean',
      description:
        'False for one that only looks like it: but for blanks, characters that nobody sees, or case.',
    },
  },
  optional: {
    lotId: {
      type: 'integer',
      description: 'Absent for what a supplier or an operator delivered with an order.',
    },
    orderId: { type: 'integer', description: 'Of a sold one.' },
    accountId: { type: 'integer', description: 'Of a sold one: the buyer.' },
    at: said(TIME, 'Of a sold one: when the order was made, in Unix milliseconds.'),
  },
});

const ANSWER = answerSchema(
  'FoundItems',
  'Where the text is, or where it went.',
  { items: listOf(FOUND, `At most ${MAX_FOUND_ITEMS}; those that are exactly this text come first.`) },
  { more: { type: 'boolean', const: true, description: 'There are further ones.' } },
);

export const SEARCH_ITEMS: OperatorOperation = {
  operationId: 'searchItems',
  tag: 'Stock',
  summary: 'Find where the text of an item is, or went',
  description: 'That somebody searched, and what he found, is a fact, `ItemsSearched`; the text is in none.',
  answers: [answer(200, ANSWER)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};
