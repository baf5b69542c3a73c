/** The catalog: a Product of SPEC.md §2, and the answer of GET /products. */
import { PRODUCT_TYPES } from '../../engine/products.ts';
import { answerSchema } from './envelope.ts';
import type { JsonSchema } from './json-schema.ts';

/** The fields that place a product in a catalog, for operators and buyers alike. */
export const CATALOG_FIELDS = {
  sku: { type: 'string', nullable: true, description: "The shop's own name for it; null: none." },
  category: { type: 'string', nullable: true, description: 'Where it stands in the catalog; null: nowhere.' },
  attributes: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Texts by name, such as region or platform; `{}` when there are none.',
  },
  imageUrl: { type: 'string', nullable: true, description: 'A picture of it, an https address; null: none.' },
  minQuantity: { type: 'integer', minimum: 1, description: 'The least that one order may buy.' },
  maxQuantity: {
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'The most that one order may buy; null: no bound.',
  },
} as const satisfies Record<string, JsonSchema>;

/** A schema of its own, so that generators without unions of plain types make a named one. */
export const AVAILABLE_STOCK = {
  title: 'AvailableStock',
  description: 'How many can be bought, or `unlimited`. Approximate when a supplier delivers the product.',
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', const: 'unlimited' },
  ],
} as const satisfies JsonSchema;

const PRODUCT_PROPERTIES = {
  id: { type: 'integer', description: 'Send it as `productId` in a purchase.' },
  name: { type: 'string', description: 'The commercial name.' },
  description: { type: 'string', description: 'What the product includes.' },
  instructions: { type: 'string', description: 'How to use what is delivered; may be empty.' },
  type: { type: 'string', enum: PRODUCT_TYPES, description: 'How the product is delivered.' },
  priceUsdt: {
    type: 'number',
    description:
      'Price of one unit, up to 2 decimals. With volume prices (`priceTiers`), the total of a purchase is not this price times the quantity.',
  },
  priceTiers: {
    type: 'array',
    description:
      'Volume prices, ascending by `minQuantity`; empty when there are none. From the last tier whose `minQuantity` the quantity reaches, every unit has that price, and the total is rounded to cents.',
    items: {
      title: 'PriceTier',
      description: 'A volume price.',
      type: 'object',
      required: ['minQuantity', 'priceUsdt'],
      properties: {
        minQuantity: { type: 'integer', minimum: 2, description: 'The least quantity that has this price.' },
        priceUsdt: { type: 'number', description: 'Price of one unit, up to 6 decimals.' },
      },
    },
  },
  availableStock: AVAILABLE_STOCK,
  requiresRecipient: {
    type: 'boolean',
    description: 'When true, a purchase must name `recipient.username`.',
  },
  ...CATALOG_FIELDS,
  active: { type: 'boolean', description: 'Always true, because the catalog lists only products on sale.' },
} as const satisfies Record<string, JsonSchema>;

export const PRODUCT: JsonSchema = {
  title: 'Product',
  description: 'A product on sale.',
  type: 'object',
  required: Object.keys(PRODUCT_PROPERTIES),
  properties: PRODUCT_PROPERTIES,
};

export const CATALOG_ANSWER = answerSchema('Catalog', 'Everything that is on sale.', {
  products: { type: 'array', items: PRODUCT },
});
