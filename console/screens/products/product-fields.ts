/** The fields of a product's form, but for its volume prices, which have rows of their own. */
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { amount, check, type Field, prose, select, text, whole } from '../../parts/forms/field.tsx';
import { DRAFT_FIELDS, type DraftField } from './product-draft.ts';
import { PRODUCT_TYPES } from './product-words.ts';

type Supplier = Pick<Schema<'Supplier'>, 'supplierId' | 'name'>;
export type NamedField = readonly [name: DraftField, field: Field<unknown>];

const MOST_SUPPLIERS = 200;
const LABELS = DRAFT_FIELDS;

const FIELDS: readonly NamedField[] = [
  ['name', text({ label: LABELS.name })],
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
  ['price', amount({ label: LABELS.price })],
  ['active', check({ label: LABELS.active, hint: 'Offered to buyers.' })],
  ['requiresRecipient', check({ label: LABELS.requiresRecipient, hint: 'A purchase names who gets it.' })],
  [
    'allowDuplicates',
    check({ label: LABELS.allowDuplicates, hint: 'Imports may add a text that was there before.' }),
  ],
  [
    'lowStock',
    whole({ label: LABELS.lowStock, isOptional: true, min: 1, hint: 'An alert when fewer are left.' }),
  ],
];

/** `supplierId` is the one that it has, which may not be among the first. */
export function useProductFields(supplierId: number | undefined): readonly NamedField[] {
  const suppliers = useSuppliers();
  const isKnown = supplierId === undefined || suppliers.some((one) => one.supplierId === supplierId);
  const listed = isKnown ? suppliers : [...suppliers, { supplierId, name: 'supplier' }];
  return [
    ...FIELDS,
    [
      'supplierId',
      select({
        label: LABELS.supplierId,
        options: [
          ['', 'nobody: own stock only'],
          ...listed.map((one) => [String(one.supplierId), `${one.supplierId} · ${one.name}`] as const),
        ],
        hint: 'Delivers what own stock does not have.',
        isOptional: true,
      }),
    ],
    [
      'supplierSku',
      text({ label: LABELS.supplierSku, isOptional: true, hint: 'What the supplier calls it.' }),
    ],
  ];
}

/** Asked for once: suppliers seldom change. Without them the form still works. */
function useSuppliers(): readonly Supplier[] {
  const [suppliers, setSuppliers] = useState<readonly Supplier[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    call('GET /suppliers', { query: { limit: MOST_SUPPLIERS }, signal: controller.signal })
      .then((page) => setSuppliers(page.suppliers))
      .catch(() => undefined);
    return () => controller.abort();
  }, []);
  return suppliers;
}
