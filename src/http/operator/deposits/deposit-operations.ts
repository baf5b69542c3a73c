/** Descriptions of the routes of deposits. */
import { answerSchema } from '../../schemas/envelope.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';

const REFERENCE = {
  type: 'string',
  description: '`network:txId:logIndex`: the reference of the credit, and of the movement in the statement.',
} as const;
const PLACE = {
  network: { type: 'string', description: 'Such as `trc20`.' },
  address: { type: 'string', description: 'One of `--deposit-address`.' },
} as const;

const DEPOSIT = {
  depositId: { type: 'integer' },
  accountId: { type: 'integer' },
  ...PLACE,
  amountUsdt: said(USDT, 'What was asked for.'),
  payUsdt: said(
    USDT,
    'What is to be paid, to the last decimal: no other open deposit of the address has it.',
  ),
  createdAt: TIME,
  expiresAt: said(TIME, 'A transfer is found for a day longer. Unix milliseconds.'),
  state: { type: 'string', description: '`waiting`, `credited`, or `expired`.' },
} as const;
const CREDITED = { reference: REFERENCE } as const;

const OPENED = answerSchema('DepositAnswer', 'What to pay, and where.', DEPOSIT, CREDITED);
const ROW = rowSchema('Deposit', 'A deposit; one that is `unclaimed` is a transfer that none waited for.', {
  required: { state: DEPOSIT.state, ...PLACE, amountUsdt: USDT },
  optional: {
    depositId: DEPOSIT.depositId,
    accountId: DEPOSIT.accountId,
    payUsdt: DEPOSIT.payUsdt,
    createdAt: TIME,
    expiresAt: DEPOSIT.expiresAt,
    reference: REFERENCE,
    paidAt: said(TIME, 'Of a transfer, by the chain. Unix milliseconds.'),
    seenAt: said(TIME, 'When it was reported first. Unix milliseconds.'),
  },
});
const PAGE = answerSchema(
  'DepositPage',
  'Deposits, the newest first; or unclaimed transfers, the oldest first.',
  { deposits: listOf(ROW, 'A page of them.') },
  NEXT_CURSOR,
);
const OBSERVED = answerSchema(
  'ObservedTransfer',
  'What became of the transfer.',
  { state: { type: 'string', description: '`credited`, `waiting` for confirmations, or `unclaimed`.' } },
  {
    accountId: {
      type: 'integer',
      description: 'Whose it is. Absent for a bot when the account is not its own.',
    },
  },
);
const ASSIGNED = answerSchema(
  'AssignedTransfer',
  'The credit.',
  {
    accountId: { type: 'integer' },
    reference: REFERENCE,
    amountUsdt: USDT,
    balanceUsdt: said(USDT, 'The wallet after it.'),
  },
  { repeated: { type: 'boolean', description: 'True: it was assigned before.' } },
);
const ADDRESSES = answerSchema(
  'DepositAddresses',
  'What a watcher follows.',
  {
    addresses: listOf(
      rowSchema('DepositAddress', 'Where customers pay.', { required: PLACE }),
      'As the node is set.',
    ),
    confirmations: { type: 'integer', description: 'From which a transfer is credited.' },
    epoch: { type: 'integer', description: 'Another one after a restore: then report the last day again.' },
  },
  {
    heardAt: said(
      TIME,
      'When a watcher was heard of last, in Unix milliseconds. Absent: not since the node started.',
    ),
  },
);

export const OPEN_DEPOSIT: OperatorOperation = {
  operationId: 'openDeposit',
  tag: 'Deposits',
  summary: 'Tell a customer what to pay, and where',
  description: 'The wallet is credited once a watcher has reported the transfer.',
  answers: [answer(201, OPENED)],
  errors: ['NOT_FOUND'],
};

export const LIST_DEPOSITS: OperatorOperation = {
  operationId: 'listDeposits',
  tag: 'Deposits',
  summary: 'List deposits of the last week, or transfers that nobody claimed',
  answers: [answer(200, PAGE)],
  errors: [],
};

export const READ_ADDRESSES: OperatorOperation = {
  operationId: 'readDepositAddresses',
  tag: 'Deposits',
  summary: 'Read what a watcher is to follow',
  description: 'A watcher asks again and again: as long as it does, `DEPOSITS_SILENT` is not raised.',
  answers: [answer(200, ADDRESSES)],
  errors: [],
};

export const OBSERVE_TRANSFER: OperatorOperation = {
  operationId: 'observeTransfer',
  tag: 'Deposits',
  summary: 'Report a transfer to an address of the shop',
  description:
    'Repeat it as often as you like: each transfer is credited once. The amount is matched exactly with the deposits that wait at the address, then with those that expired within a day.',
  answers: [answer(200, OBSERVED)],
  errors: [],
};

export const ASSIGN_TRANSFER: OperatorOperation = {
  operationId: 'assignTransfer',
  tag: 'Deposits',
  summary: 'Credit an unclaimed transfer to an account',
  answers: [answer(200, ASSIGNED)],
  errors: ['NOT_FOUND', 'TRANSITION_NOT_ALLOWED'],
};
