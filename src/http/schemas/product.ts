/** The catalog: a Product of SPEC.md §2, and the answer of GET /products. */
import { PRODUCT_TYPES } from '../../engine/products.ts';
import { answerSchema } from './envelope.ts';
import type { JsonSchema } from './json-schema.ts';

const PRODUCT_PROPERTIES = {
  id: { type: 'integer', description: 'What to send as `productId`.' },
  name: { type: 'string', description: 'The commercial name.' },
  description: { type: 'string', description: 'What the product includes.' },
  instructions: { type: 'string', description: 'How to use what is delivered; may be empty.' },
  type: { type: 'string', enum: PRODUCT_TYPES, description: 'How the product is delivered.' },
  priceUsdt: {
    type: 'number',
    description:
      'Per unit, up to 2 decimals. With volume pricing the total of a purchase differs from price times quantity.',
  },
  availableStock: {
    description: 'How many can be bought, or `unlimited`; approximate where a supplier delivers.',
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', const: 'unlimited' },
    ],
  },
  requiresRecipient: {
    type: 'boolean',
    description: 'When true, a purchase must name `recipient.username`.',
  },
  active: { type: 'boolean', description: 'Always true here: the catalog lists what is on sale.' },
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
