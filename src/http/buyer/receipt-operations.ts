/** Descriptions of the routes of receipts. */
import type { Operation } from '../operation.ts';
import { answerSchema } from '../schemas/envelope.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

const RECEIPT = answerSchema('Receipt', 'What the shop signs that it sold.', {
  receipt: {
    type: 'string',
    pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$',
    description:
      'A compact JWS (RFC 7515), signed with EdDSA; its type is `purser-receipt+jws`. Its claims: the guide’s page of receipts.',
  },
});

const KEY: JsonSchema = {
  title: 'ReceiptKey',
  description: 'A public key (RFC 7517, RFC 8037).',
  type: 'object',
  required: ['kty', 'crv', 'x', 'kid', 'alg', 'use'],
  properties: {
    kty: { type: 'string', const: 'OKP' },
    crv: { type: 'string', const: 'Ed25519' },
    x: { type: 'string', description: 'The key, base64url.' },
    kid: { type: 'string', description: 'Its RFC 7638 thumbprint: a receipt’s header names it.' },
    alg: { type: 'string', const: 'EdDSA' },
    use: { type: 'string', const: 'sig' },
  },
};

const RECEIPT_KEYS = answerSchema('ReceiptKeys', 'A JWK set (RFC 7517) with the envelope of every answer.', {
  keys: { type: 'array', items: KEY },
});

export const GET_RECEIPT: Operation = {
  operationId: 'getReceipt',
  tag: 'Orders',
  summary: 'Get a signed receipt of an order',
  description:
    'Keep it: if the shop is ever put back to an earlier moment, it proves what you bought. Orders that are `completed`, `pending_delivery` or `refunded` have one. Each call makes it anew, of the order as it is now; the items are in it as hashes.',
  answers: [
    {
      status: 200,
      description: 'The receipt.',
      schema: RECEIPT,
    },
  ],
  errors: ['NOT_FOUND'],
};

export const GET_RECEIPT_KEYS: Operation = {
  operationId: 'getReceiptKeys',
  tag: 'Service',
  summary: 'Read the public keys that prove receipts',
  description: 'They never change, so you may keep them for as long as you keep receipts.',
  answers: [
    {
      status: 200,
      description: 'The keys.',
      schema: RECEIPT_KEYS,
    },
  ],
  errors: [],
};
