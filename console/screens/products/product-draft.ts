/**
 * A product as its form has it: each field that can be changed, as a text. So what somebody typed, what is there and what
 * somebody else made of it are compared in one way, and only what differs is sent.
 */
import type { GivenTo, Schema } from '../../api/call-types.ts';
import { EMPTIED, purser } from '../../parts/command-line.tsx';
import { filledRows, textOfRows } from '../../parts/forms/rows-text.ts';
import { textOfTiers, tierFlags, tiersOf, tierWords } from '../prices/price-tiers.ts';

export type Product = Schema<'Product'>;
type Body = GivenTo<'PATCH /products/{id}'>['body'];

/** By the API's names, in the order in which they are shown. */
export const DRAFT_FIELDS = {
  name: 'Name',
  sku: 'SKU',
  category: 'Category',
  description: 'Description',
  instructions: 'Instructions',
  type: 'Type',
  priceUsdt: 'Price in USDT',
  visibility: 'Seen by',
  active: 'Active',
  requiresRecipient: 'Requires a recipient',
  allowDuplicates: 'Allow duplicates',
  minQuantity: 'Least in an order',
  maxQuantity: 'Most in an order',
  lowStock: 'Low stock',
  sources: 'Sources',
  imageUrl: 'Address of a picture',
  attributes: 'Attributes',
  priceTiers: 'Volume prices',
} as const;

export type DraftField = keyof typeof DRAFT_FIELDS;
/** `active`, `requiresRecipient` and `allowDuplicates` are `on` or empty; sources, attributes and tiers are rows. */
export type Draft = Readonly<Record<DraftField, string>>;
/** The fields that somebody has changed. */
export type Edits = Partial<Draft>;

export function changedFields(was: Draft, is: Draft): readonly DraftField[] {
  return (Object.keys(DRAFT_FIELDS) as DraftField[]).filter((field) => was[field] !== is[field]);
}

export function draftOf(product: Product): Draft {
  const { name, description, instructions, type, visibility, lowStock = '' } = product;
  const { sources = [] } = product;
  return {
    name,
    sku: product.sku ?? '',
    category: product.category ?? '',
    description,
    instructions,
    type,
    priceUsdt: String(product.priceUsdt),
    visibility,
    active: onOff(product.active),
    requiresRecipient: onOff(product.requiresRecipient),
    allowDuplicates: onOff(product.allowDuplicates),
    minQuantity: String(product.minQuantity),
    maxQuantity: String(product.maxQuantity ?? ''),
    lowStock: String(lowStock),
    sources: textOfRows(sources.map(({ supplierId, sku }) => [String(supplierId), sku])),
    imageUrl: product.imageUrl ?? '',
    attributes: textOfRows(Object.entries(product.attributes)),
    priceTiers: textOfTiers(product.priceTiers),
  };
}

/** With one more edit; what is as it was is none. */
export function edited(base: Draft, edits: Edits, field: DraftField, text: string): Edits {
  const { [field]: _, ...others } = edits;
  return text === base[field] ? others : { ...others, [field]: text };
}

/** The body's value of each field whose text isn't that itself. */
const VALUES: Partial<Record<DraftField, (text: string) => unknown>> = {
  sku: orNull,
  category: orNull,
  imageUrl: orNull,
  priceUsdt: numberOf,
  active: isOn,
  requiresRecipient: isOn,
  allowDuplicates: isOn,
  minQuantity: (text) => numberOf(text || '1'),
  maxQuantity: numberOrNull,
  lowStock: numberOrNull,
  sources: sourcesOf,
  attributes: attributesOf,
  priceTiers: tiersOf,
};

/** The body of the PATCH. */
export function bodyOf(edits: Edits): Body {
  const values = Object.entries(edits).map(([field, text]) => [
    field,
    (VALUES[field as DraftField] ?? String)(text),
  ]);
  return Object.fromEntries(values);
}

export function updateCommand(productId: number, edits: Edits, reason: string | undefined): string {
  const { name, type, visibility, priceUsdt, priceTiers, active, requiresRecipient } = edits;
  const { sku, category, imageUrl, attributes, minQuantity, maxQuantity, allowDuplicates, lowStock } = edits;
  const sources = filledRows(edits.sources ?? '').map((row) => row.join(':'));
  const tiers = tierFlags(tiersOf(priceTiers ?? ''));
  const named = filledRows(attributes ?? '').map((row) => row.join('='));
  return purser('product update', [productId], {
    name,
    sku: sku || undefined,
    'no-sku': sku === '',
    category: category || undefined,
    'no-category': category === '',
    description: edits.description === '' ? EMPTIED : edits.description,
    instructions: edits.instructions === '' ? EMPTIED : edits.instructions,
    type,
    price: priceUsdt,
    tier: tiers,
    'no-tier': priceTiers !== undefined && tiers.length === 0,
    visibility,
    active: active === 'on',
    inactive: active === '',
    'requires-recipient': requiresRecipient === 'on',
    'no-requires-recipient': requiresRecipient === '',
    'allow-duplicates': allowDuplicates === 'on',
    'no-allow-duplicates': allowDuplicates === '',
    'min-quantity': minQuantity === '' ? 1 : minQuantity,
    'max-quantity': maxQuantity || undefined,
    'no-max-quantity': maxQuantity === '',
    'low-stock': lowStock || undefined,
    'no-low-stock': lowStock === '',
    source: sources,
    'no-supplier': edits.sources !== undefined && sources.length === 0,
    'image-url': imageUrl || undefined,
    'no-image-url': imageUrl === '',
    attribute: named,
    'no-attribute': attributes !== undefined && named.length === 0,
    reason,
  });
}

/** A field's text as people read it. */
export function wordsOf(field: DraftField, text: string): string {
  switch (field) {
    case 'active':
    case 'requiresRecipient':
    case 'allowDuplicates':
      return text === '' ? 'no' : 'yes';
    case 'sources':
      return sourceWords(sourcesOf(text));
    case 'attributes':
      return filledRows(text)
        .map((row) => row.join(': '))
        .join(', ');
    case 'priceTiers':
      return tierWords(tiersOf(text));
    default:
      return text;
  }
}

function sourcesOf(text: string): NonNullable<Product['sources']> {
  return filledRows(text).map(([supplierId, sku]) => ({ supplierId: numberOf(supplierId), sku }));
}

/** In order. */
export function sourceWords(sources: NonNullable<Product['sources']>): string {
  return sources.map(({ supplierId, sku }) => `supplier ${supplierId}: ${sku}`).join(', ');
}

/** Of two with one name the API would take the second alone. */
function attributesOf(text: string): Readonly<Record<string, string>> {
  const filled = filledRows(text);
  const names = filled.map(([name]) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`Two attributes have the name “${twice}”.`);
  return Object.fromEntries(filled);
}

function onOff(is: boolean): string {
  return is ? 'on' : '';
}

function isOn(text: string): boolean {
  return text !== '';
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function numberOrNull(text: string): number | null {
  return text === '' ? null : numberOf(text);
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
