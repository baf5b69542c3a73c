/** The fields of a product's form. */
import { call } from '../../api/operator-api.ts';
import { optionsOf, useChoices } from '../../parts/forms/choices.ts';
import { amount, check, type Field, prose, rows, select, text, whole } from '../../parts/forms/field.tsx';
import { tiersField } from '../prices/price-tiers.ts';
import { DRAFT_FIELDS, type DraftField, type Product } from './product-draft.ts';
import { PRODUCT_TYPES, VISIBILITIES } from './product-words.ts';

export type NamedField = readonly [name: DraftField, field: Field<unknown>];

const MOST_SUPPLIERS = 200;
/** As the API bounds them. */
const MOST_ATTRIBUTES = 32;
const MOST_SOURCES = 8;
const LABELS = DRAFT_FIELDS;

const FIELDS: readonly NamedField[] = [
  ['name', text({ label: LABELS.name })],
  [
    'sku',
    text({ label: LABELS.sku, isOptional: true, maxLength: 64, hint: 'Yours: no other product has it.' }),
  ],
  [
    'category',
    text({
      label: LABELS.category,
      isOptional: true,
      maxLength: 100,
      hint: 'Where it stands in the catalog.',
    }),
  ],
  ['description', prose({ label: LABELS.description, rows: 3, maxLength: 10_000, isOptional: true })],
  [
    'instructions',
    prose({
      label: LABELS.instructions,
      rows: 3,
      maxLength: 10_000,
      isOptional: true,
      hint: 'How to use what is delivered.',
    }),
  ],
  ['type', select({ label: LABELS.type, options: PRODUCT_TYPES })],
  ['priceUsdt', amount({ label: LABELS.priceUsdt })],
  [
    'visibility',
    select({
      label: LABELS.visibility,
      options: VISIBILITIES,
      hint: 'Chosen: accounts whose own prices or price list name it.',
    }),
  ],
  ['active', check({ label: LABELS.active, hint: 'Offered to buyers.' })],
  ['requiresRecipient', check({ label: LABELS.requiresRecipient, hint: 'A purchase names who gets it.' })],
  [
    'allowDuplicates',
    check({ label: LABELS.allowDuplicates, hint: 'Imports may add a text that was there before.' }),
  ],
  ['minQuantity', whole({ label: LABELS.minQuantity, isOptional: true, min: 1, hint: 'Empty: 1.' })],
  ['maxQuantity', whole({ label: LABELS.maxQuantity, isOptional: true, min: 1, hint: 'Empty: no bound.' })],
  [
    'lowStock',
    whole({ label: LABELS.lowStock, isOptional: true, min: 1, hint: 'An alert when fewer are left.' }),
  ],
];

/** `sources` are those that it has, whose suppliers may not be among the first. */
export function useProductFields(sources: Product['sources'] = []): readonly NamedField[] {
  const supplierIds = sources.map(({ supplierId }) => supplierId);
  const suppliers = useChoices(async (signal) => {
    const page = await call('GET /suppliers', { query: { limit: MOST_SUPPLIERS }, signal });
    return page.suppliers.map(({ supplierId: id, name }) => ({ id, name }));
  });
  return [
    ...FIELDS,
    [
      'sources',
      rows({
        label: LABELS.sources,
        noun: 'source',
        most: MOST_SOURCES,
        parts: [
          { label: 'Supplier', attributes: {}, options: optionsOf(suppliers, supplierIds, 'choose one') },
          { label: 'Its SKU', attributes: { type: 'text', maxlength: 200 } },
        ],
        one: (supplierId, sku) => ({ supplierId, sku }),
        hint: 'Who delivers what own stock does not have, asked in this order.',
      }),
    ],
    [
      'imageUrl',
      {
        ...text({
          label: LABELS.imageUrl,
          isOptional: true,
          maxLength: 2_048,
          hint: 'For buyers. The console does not load it.',
        }),
        control: { kind: 'input', attributes: { type: 'url', pattern: 'https://.*', title: 'https://…' } },
      },
    ],
    [
      'attributes',
      rows({
        label: LABELS.attributes,
        noun: 'attribute',
        most: MOST_ATTRIBUTES,
        parts: [
          { label: 'Called', attributes: { type: 'text', maxlength: 64 } },
          { label: 'Is', attributes: { type: 'text', maxlength: 500 } },
        ],
        one: (name, is) => [name, is],
        hint: 'Such as region or platform: buyers see them.',
      }),
    ],
    ['priceTiers', tiersField()],
  ];
}
