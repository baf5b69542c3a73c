/**
 * A product as its form has it: each field that can be changed, as a text. So what somebody typed, what is there and what
 * somebody else made of it are compared in one way, and only what differs is sent.
 */
import type { GivenTo, Schema } from '../../api/call-types.ts';
import { EMPTIED, purser } from '../../parts/command-line.tsx';

export type Product = Schema<'Product'>;
type Body = GivenTo<'PATCH /products/{id}'>['body'];

/** In the order in which they are shown. */
export const DRAFT_FIELDS = {
  name: 'Name',
  description: 'Description',
  instructions: 'Instructions',
  type: 'Type',
  price: 'Price in USDT',
  /** `10:3.2`, one a line. */
  tiers: 'Volume prices',
  active: 'Active',
  requiresRecipient: 'Requires a recipient',
  allowDuplicates: 'Allow duplicates',
  lowStock: 'Low stock',
  supplierId: 'Supplier',
  supplierSku: 'SKU',
} as const;

export type DraftField = keyof typeof DRAFT_FIELDS;
/** `active`, `requiresRecipient` and `allowDuplicates` are `on` or empty. */
export type Draft = Readonly<Record<DraftField, string>>;
/** The fields that somebody has changed. */
export type Edits = Partial<Draft>;

export function changedFields(was: Draft, is: Draft): readonly DraftField[] {
  return (Object.keys(DRAFT_FIELDS) as DraftField[]).filter((field) => was[field] !== is[field]);
}

export function draftOf(product: Product): Draft {
  const { name, description, instructions, type, priceUsdt, priceTiers, lowStock = '' } = product;
  const { supplierId = '', supplierSku = '' } = product;
  return {
    name,
    description,
    instructions,
    type,
    price: String(priceUsdt),
    tiers: priceTiers.map((tier) => `${tier.minQuantity}:${tier.priceUsdt}`).join('\n'),
    active: onOff(product.active),
    requiresRecipient: onOff(product.requiresRecipient),
    allowDuplicates: onOff(product.allowDuplicates),
    lowStock: String(lowStock),
    supplierId: String(supplierId),
    supplierSku,
  };
}

/** With one more edit; what is as it was is none. */
export function edited(base: Draft, edits: Edits, field: DraftField, text: string): Edits {
  const { [field]: _, ...others } = edits;
  return text === base[field] ? others : { ...others, [field]: text };
}

export interface Tier {
  readonly minQuantity: number;
  readonly priceUsdt: number;
}

/** Rows without any text are none; what is no number is NaN, which the API refuses. */
export function tiersOf(text: string): readonly Tier[] {
  return tierRows(text)
    .filter(([quantity, price]) => quantity !== '' || price !== '')
    .map(([quantity, price]) => ({ minQuantity: numberOf(quantity), priceUsdt: numberOf(price) }));
}

/** As they are typed. */
export function tierRows(text: string): readonly (readonly [quantity: string, price: string])[] {
  if (text === '') return [];
  return text.split('\n').map((row) => {
    const [quantity = '', price = ''] = row.split(':');
    return [quantity, price] as const;
  });
}

/** The body of the PATCH. A supplier and the SKU go together. */
export function bodyOf(base: Draft, edits: Edits): Body {
  const { price, tiers, lowStock, supplierId, supplierSku, ...rest } = edits;
  const { active, requiresRecipient, allowDuplicates, type, ...texts } = rest;
  const hasSource = supplierId !== undefined || supplierSku !== undefined;
  return {
    ...texts,
    ...(type === undefined ? {} : { type: type as Product['type'] }),
    ...(price === undefined ? {} : { priceUsdt: numberOf(price) }),
    ...(tiers === undefined ? {} : { priceTiers: tiersOf(tiers) }),
    ...(active === undefined ? {} : { active: active !== '' }),
    ...(requiresRecipient === undefined ? {} : { requiresRecipient: requiresRecipient !== '' }),
    ...(allowDuplicates === undefined ? {} : { allowDuplicates: allowDuplicates !== '' }),
    ...(lowStock === undefined ? {} : { lowStock: lowStock === '' ? null : numberOf(lowStock) }),
    ...(hasSource ? sourceOf({ ...base, ...edits }) : {}),
  };
}

function sourceOf({ supplierId, supplierSku }: Draft) {
  if (supplierId === '') return { supplierId: null, supplierSku: null };
  return { supplierId: numberOf(supplierId), supplierSku };
}

export function updateCommand(
  productId: number,
  base: Draft,
  edits: Edits,
  reason: string | undefined,
): string {
  const { name, type, price, tiers, active, requiresRecipient, allowDuplicates, lowStock } = edits;
  const { supplierId, supplierSku } = { ...base, ...edits };
  const hasSource = edits.supplierId !== undefined || edits.supplierSku !== undefined;
  const rows = tiersOf(tiers ?? '').map(({ minQuantity, priceUsdt }) => `${minQuantity}:${priceUsdt}`);
  return purser('product update', [productId], {
    name,
    description: edits.description === '' ? EMPTIED : edits.description,
    instructions: edits.instructions === '' ? EMPTIED : edits.instructions,
    type,
    price,
    tier: rows,
    'no-tier': tiers !== undefined && rows.length === 0,
    active: active === 'on',
    inactive: active === '',
    'requires-recipient': requiresRecipient === 'on',
    'no-requires-recipient': requiresRecipient === '',
    'allow-duplicates': allowDuplicates === 'on',
    'no-allow-duplicates': allowDuplicates === '',
    'low-stock': lowStock || undefined,
    'no-low-stock': lowStock === '',
    supplier: hasSource && supplierId !== '' ? supplierId : undefined,
    'supplier-sku': hasSource && supplierId !== '' ? supplierSku : undefined,
    'no-supplier': hasSource && supplierId === '',
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
    case 'tiers':
      return tiersOf(text)
        .map(({ minQuantity, priceUsdt }) => `from ${minQuantity}: ${priceUsdt}`)
        .join(', ');
    default:
      return text;
  }
}

function onOff(is: boolean): string {
  return is ? 'on' : '';
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
