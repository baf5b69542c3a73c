/** Descriptions of the routes of suppliers and of purchases at them. */
import { SUPPLIER_PURCHASE_PHASES } from '../../../engine/supplying/supplier-purchases.ts';
import { answerSchema } from '../../schemas/envelope.ts';
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

const SUPPLIER: Shape = {
  required: {
    supplierId: { type: 'integer' },
    name: { type: 'string' },
    url: { type: 'string' },
    createdAt: TIME,
    circuit: {
      type: 'string',
      enum: ['closed', 'open'],
      description:
        '`open`: it did not answer, so purchases fail without asking it, but for one now and then.',
    },
    openPurchases: {
      type: 'integer',
      description: 'Held, pending or unresolved: `GET /supplier-purchases`.',
    },
    unresolvedPurchases: {
      type: 'integer',
      description: 'Of these, those that it may have sold all the same.',
    },
  },
};

const ROW = rowSchema('Supplier', 'Who delivers what own stock does not have.', SUPPLIER);
const ONE = answerSchema('SupplierAnswer', 'The supplier, without its secret.', SUPPLIER.required);
const PAGE = answerSchema(
  'SupplierPage',
  'Suppliers, in the order of their ids.',
  { suppliers: listOf(ROW, 'A page of them.') },
  NEXT_CURSOR,
);

export const CREATE_SUPPLIER = repeatable({
  operationId: 'createSupplier',
  tag: 'Suppliers',
  summary: 'Add a supplier',
  answers: [answer(201, ONE, 'The new supplier.')],
  errors: [],
});

export const LIST_SUPPLIERS: OperatorOperation = {
  operationId: 'listSuppliers',
  tag: 'Suppliers',
  summary: 'List suppliers',
  answers: [answer(200, PAGE)],
  errors: [],
};

export const GET_SUPPLIER: OperatorOperation = {
  operationId: 'getSupplier',
  tag: 'Suppliers',
  summary: 'Read a supplier',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

export const UPDATE_SUPPLIER: OperatorOperation = {
  operationId: 'updateSupplier',
  tag: 'Suppliers',
  summary: 'Change a supplier',
  description: 'What is left out stays.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

const PURCHASE: Shape = {
  required: {
    supplierPurchaseId: { type: 'integer' },
    reference: { type: 'string', description: 'What the supplier knows it by.' },
    supplierId: { type: 'integer' },
    supplierSku: { type: 'string' },
    accountId: { type: 'integer' },
    productId: { type: 'integer' },
    quantity: { type: 'integer' },
    totalPriceUsdt: said(USDT, 'What was put on hold.'),
    createdAt: TIME,
  },
  optional: {
    holdReference: {
      type: 'string',
      description: 'Where other sources were asked before: the reference of the first, which the hold has.',
    },
    idempotencyKey: { type: 'string', description: 'Of the purchase.' },
    orderId: { type: 'integer', description: 'The order that waits for it, or that it pays.' },
    cause: {
      type: 'string',
      enum: ['OUT_OF_STOCK', 'PURCHASE_FAILED', 'PROVIDER_TIMEOUT', 'IDEMPOTENCY_UNRESOLVED', 'ORDER_ENDED'],
      description:
        'Why it is unresolved: what the buyer was answered, or that the order ended without the supplier.',
    },
  },
};
const REQUEST = {
  requestId: { type: 'string', description: 'Of the answer to the purchase.' },
} as const;

const ENDED: Shape = {
  required: {
    ...PURCHASE.required,
    result: {
      type: 'string',
      enum: ['delivered', 'failed', 'unknown', 'given-up'],
      description: 'What the supplier said, or that an operator gave it up.',
    },
    itemsDelivered: { type: 'integer' },
    itemsIntoStock: { type: 'integer', description: 'How many of these entered own stock.' },
    endedAt: TIME,
  },
  optional: PURCHASE.optional ?? {},
};

const OPEN_ROW = rowSchema('SupplierPurchase', 'A purchase at a supplier that is open.', {
  required: {
    ...PURCHASE.required,
    phase: {
      type: 'string',
      enum: SUPPLIER_PURCHASE_PHASES,
      description: '`held`: being asked; `pending`: promised; `unresolved`: the supplier may have sold.',
    },
  },
  optional: { ...PURCHASE.optional, ...REQUEST },
});
const ENDED_ROW = rowSchema('EndedSupplierPurchase', 'A purchase at a supplier that has ended.', {
  required: ENDED.required,
  optional: { ...ENDED.optional, ...REQUEST },
});
const PURCHASES = answerSchema(
  'SupplierPurchasePage',
  'What is open, and on the first page what has ended lately.',
  {
    supplierPurchases: listOf(OPEN_ROW, 'What is open, in the order of the ids.'),
    ended: listOf(ENDED_ROW, 'The latest first; empty on later pages.'),
  },
  NEXT_CURSOR,
);
const GIVEN_UP = answerSchema(
  'GivenUpSupplierPurchase',
  'The purchase, which has ended.',
  ENDED.required,
  ENDED.optional,
);

export const LIST_SUPPLIER_PURCHASES: OperatorOperation = {
  operationId: 'listSupplierPurchases',
  tag: 'Suppliers',
  summary: 'List what is open at suppliers',
  answers: [answer(200, PURCHASES)],
  errors: [],
};

export const RECONCILE: OperatorOperation = {
  operationId: 'reconcileSupplierPurchases',
  tag: 'Suppliers',
  summary: 'Ask suppliers about all that is open',
  description: 'Answers with the lists after it, at the latest after 20 seconds; the questions go on.',
  answers: [answer(200, PURCHASES)],
  errors: [],
};

export const GIVE_UP: OperatorOperation = {
  operationId: 'giveUpSupplierPurchase',
  tag: 'Suppliers',
  summary: 'End an unresolved purchase without its supplier',
  description:
    'Nothing enters own stock, and the supplier is asked no more; what it reports later is taken in. A repeated call gets the same answer, as long as the purchase is among those that have ended lately.',
  answers: [answer(200, GIVEN_UP)],
  errors: ['NOT_FOUND', 'TRANSITION_NOT_ALLOWED', 'NOT_READY'],
};
