/** Description of the route that takes receipts in. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, listOf, type OperatorOperation, rowSchema } from '../operator-operation.ts';

const LINE = { type: 'integer', description: 'Of the file, from 1; empty lines count, too.' } as const;
const FIRST = 'The first 1000 of them.';

const TAKEN_IN = answerSchema('ReceiptsTakenIn', 'What became of the receipts.', {
  receipts: { type: 'integer', description: 'How many there were.' },
  recovered: { type: 'integer', description: 'Orders that are there again.' },
  repeated: { type: 'integer', description: 'Receipts of orders that were there already.' },
  waiting: {
    type: 'integer',
    description:
      'Of both, those whose debit waits, because the wallet has less: enter the credits that were lost.',
  },
  pendingCount: {
    type: 'integer',
    description:
      'Orders that an operator has to deliver by hand: they were pending, or their items were not found.',
  },
  pending: listOf(
    rowSchema(
      'ReceiptPending',
      'An order to be delivered by hand; `reason` says with what, and whom to ask.',
      {
        required: { line: LINE, orderId: { type: 'integer' }, reason: { type: 'string' } },
      },
    ),
    FIRST,
  ),
  invalidCount: { type: 'integer', description: 'Receipts that changed nothing.' },
  invalid: listOf(
    rowSchema('ReceiptInvalid', 'A receipt that changed nothing.', {
      required: { line: LINE, reason: { type: 'string', description: 'Why, in words.' } },
    }),
    FIRST,
  ),
});

export const TAKE_IN_RECEIPTS: OperatorOperation = {
  operationId: 'takeInReceipts',
  tag: 'Node',
  summary: 'Put back the orders that receipts prove',
  description: `
After a restore: each receipt proves an order of the gap. The order is there again, its items are off sale, its total is
debited, and its key is answered as before. Of several receipts of one order the newest counts, in whatever order they
come, so a file may be sent again. Of an account or product that was made in the gap, create it again first, with its
number: \`accountId\` of POST /accounts, \`productId\` of POST /products. Orders appear while the file is sent; an upload that breaks off leaves what it has done.`.trim(),
  otherBodies: { 'text/plain': 'One receipt a line, of any size.' },
  answers: [answer(200, TAKEN_IN)],
  errors: [],
};
