/** The schema of `takenAway` in GET /restore: the effect of facts that the backup had behind the restored moment. */
import { listOf, rowSchema, said, TIME, USDT } from '../operator-operation.ts';

const INTEGER = { type: 'integer' } as const;
const NAME = {
  type: 'string',
  description: 'Of the account, operator, product, supplier or price list.',
} as const;

function change(values: readonly string[], description: string) {
  return { type: 'string', enum: [...values], description } as const;
}

function kind(title: string, description: string, fields: Readonly<Record<string, object>>, optional = {}) {
  const required = { ...fields, at: said(TIME, 'Of the last fact about it, in Unix milliseconds.') };
  const row = rowSchema(title, description, { required, optional: { name: NAME, ...optional } });
  return {
    type: 'object',
    required: ['count', 'rows'],
    properties: {
      count: { type: 'integer', description: 'How many there are.' },
      rows: listOf(row, 'The first 1,000 of them.'),
    },
  } as const;
}

const PRICE = {
  type: 'object',
  description: 'As restored, and as it was later; absent when it is the same.',
  required: ['from', 'to'],
  properties: { from: USDT, to: USDT },
} as const;
const TIER = {
  type: 'object',
  required: ['minQuantity', 'priceUsdt'],
  properties: { minQuantity: INTEGER, priceUsdt: USDT },
} as const;
const SPEND_LIMIT = {
  type: 'object',
  required: ['windowHours', 'amountUsdt'],
  properties: { windowHours: INTEGER, amountUsdt: USDT },
} as const;
const TIERS = {
  type: 'object',
  description: 'The same of its volume prices.',
  required: ['from', 'to'],
  properties: { from: listOf(TIER, 'As restored.'), to: listOf(TIER, 'As they were later.') },
} as const;

/** A setting as restored, and as it was later; absent when it is the same. */
function changed(of: object, description: string) {
  return { type: 'object', description, required: ['from', 'to'], properties: { from: of, to: of } } as const;
}

const SETTING = 'As restored, and as it was later; absent when it is the same.';
const PRICES = {
  priceUsdt: changed({ ...USDT, nullable: true }, 'As restored, and as it was later: null without a price.'),
  priceTiers: TIERS,
} as const;

const PROPERTIES = {
  to: said(TIME, 'Up to when the facts of the backup go. What was taken away later nobody knows.'),
  complete: {
    type: 'boolean',
    description: 'False when some of these facts could not be read: they may have taken more away.',
  },
  keys: kind('TakenKey', 'An API key that was restored, and is no longer the account’s.', {
    accountId: INTEGER,
    change: change(['replaced', 'revoked', 'deactivated'], 'What became of it.'),
  }),
  operators: kind('TakenOperator', 'An operator whose token was restored.', {
    operatorId: INTEGER,
    change: { type: 'string', enum: ['revoked', 'rotated'], description: '`rotated`: got another token.' },
  }),
  webhooks: kind('TakenWebhook', 'A webhook that was restored.', {
    accountId: INTEGER,
    change: change(
      ['deleted', 'address', 'secret'],
      'What is another one; an address has a new secret, too.',
    ),
  }),
  products: kind(
    'TakenProduct',
    'A product that was deactivated, or had another price.',
    { productId: INTEGER, deactivated: { type: 'boolean' } },
    { priceUsdt: PRICE, priceTiers: TIERS },
  ),
  lots: kind('TakenLot', 'A lot that was recalled.', {
    lotId: INTEGER,
    productId: INTEGER,
    withdrawn: { type: 'integer', description: 'Items that the recall took off sale.' },
  }),
  items: kind('TakenItems', 'Items that were withdrawn from a product.', {
    productId: INTEGER,
    count: INTEGER,
    firstItem: { type: 'integer', description: 'The lowest number of them; there may be others between.' },
    lastItem: INTEGER,
  }),
  suppliers: kind('TakenSecret', 'A supplier whose secret was replaced.', {
    supplierId: INTEGER,
    change: change(['secret'], 'What is another one.'),
  }),
  accounts: kind(
    'TakenTerms',
    'An account that had another price list, other spend limits, or a key for other networks.',
    { accountId: INTEGER },
    {
      priceListId: changed({ ...INTEGER, nullable: true }, SETTING),
      spendLimits: changed(listOf(SPEND_LIMIT, 'Its limits.'), SETTING),
      allowedNetworks: changed({ ...listOf({ type: 'string' }, 'Null: anywhere.'), nullable: true }, SETTING),
    },
  ),
  priceLists: kind('TakenPercent', 'A price list with another percent.', {
    priceListId: INTEGER,
    percent: changed({ type: 'number', nullable: true }, 'As restored, and as it was later; null: none.'),
  }),
  listPrices: kind(
    'TakenListPrice',
    'A product with another price in a list.',
    { priceListId: INTEGER, productId: INTEGER },
    PRICES,
  ),
  accountPrices: kind(
    'TakenOwnPrice',
    'A product for which an account had another price of its own.',
    { accountId: INTEGER, productId: INTEGER },
    PRICES,
  ),
} as const;

export const TAKEN_AWAY = {
  type: 'object',
  nullable: true,
  description:
    'While sales are closed: what facts took away that the backup has behind the restored moment, a row for each thing, as it was at last. Null when it has none: what happened later is unknown.',
  required: Object.keys(PROPERTIES),
  properties: PROPERTIES,
} as const;
