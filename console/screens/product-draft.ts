/**
 * A product as its form has it: each field that can be changed, as a text. So what somebody typed, what is there and what
 * somebody else made of it are compared in one way, and only what differs is sent.
 */
import type { GivenTo, Schema } from '../api/call-types.ts';
import { type CommandWords, EMPTIED, flag } from '../parts/command-line.tsx';

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
/** Those that somebody has changed. */
export type Edits = Partial<Draft>;

export function isDraftField(name: string): name is DraftField {
  return Object.hasOwn(DRAFT_FIELDS, name);
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
): CommandWords {
  const { supplierId, supplierSku } = { ...base, ...edits };
  const switched = (name: string, value: string | undefined, off: string) =>
    value === undefined ? [] : [value === '' ? off : name];
  return [
    ...['product', 'update', productId],
    ...given('--name', edits.name),
    ...emptiable('--description', edits.description),
    ...emptiable('--instructions', edits.instructions),
    ...given('--type', edits.type),
    ...given('--price', edits.price),
    ...tierFlags(edits.tiers),
    ...switched('--active', edits.active, '--inactive'),
    ...switched('--requires-recipient', edits.requiresRecipient, '--no-requires-recipient'),
    ...switched('--allow-duplicates', edits.allowDuplicates, '--no-allow-duplicates'),
    ...(edits.lowStock === '' ? ['--no-low-stock'] : given('--low-stock', edits.lowStock)),
    ...(edits.supplierId === undefined && edits.supplierSku === undefined
      ? []
      : supplierId === ''
        ? ['--no-supplier']
        : ['--supplier', supplierId, '--sku', supplierSku]),
    ...flag('--reason', reason),
  ];
}

function given(name: string, text: string | undefined): CommandWords {
  return text === undefined ? [] : [name, text];
}

/** Of a text that may be emptied. */
function emptiable(name: string, text: string | undefined): CommandWords {
  return text === '' ? [name, EMPTIED] : given(name, text);
}

function tierFlags(tiers: string | undefined): CommandWords {
  if (tiers === undefined) return [];
  const rows = tiersOf(tiers);
  if (rows.length === 0) return ['--no-tier'];
  return rows.flatMap(({ minQuantity, priceUsdt }) => ['--tier', `${minQuantity}:${priceUsdt}`]);
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
        .join('\n');
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
