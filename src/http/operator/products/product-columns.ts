/**
 * The columns of a table of products: what a cell means, and what is written into it. The same rules hold for a cell as for
 * the field of a body, because it is read by the same schema.
 *
 * Invariant: a cell that was written and comes back changes nothing. Texts that a spreadsheet would run as formulas are
 * written with an apostrophe in front, so a cell that is what would be written for the product is no change; of a new
 * product such an apostrophe is left out.
 */
import { usdtText } from '../../../engine/money.ts';
import type { PriceTier } from '../../../engine/pricing/price.ts';
import type { ProductProfile } from '../../../engine/products.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import { csvHead, csvLine, formulaGuarded, textCell, unguarded } from '../csv-text.ts';
import type { TableHeader, TableRow } from '../imports/imported-table.ts';
import { operatorBody } from '../operator-body.ts';
import { PRODUCT_PROPERTIES, type ProductBody, parseProfile, unfitAttributeName } from './product-body.ts';

/** How a cell is read into a field: undefined when it can't be. */
interface Kind {
  readonly read: (text: string) => unknown;
  /** The form that a cell must have, in words. */
  readonly words: string;
}

type Name = keyof typeof PRODUCT_PROPERTIES;

const TEXT: Kind = { read: (text) => text, words: 'a text' };
const WORD: Kind = { read: (text) => text.trim(), words: 'a word' };
const FLAG: Kind = {
  read: (text) => ({ true: true, false: false })[text.trim().toLowerCase()],
  words: 'true or false',
};
const COUNT: Kind = {
  read: (text) => (/^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined),
  words: 'a whole number',
};
const PRICE: Kind = { read: priceOf, words: 'a price in USDT with a point, such as 9.50' };
const TIERS: Kind = { read: tiersOf, words: 'quantities with unit prices, such as 10:9.00 100:8.50' };

/** In the order in which they are written. */
const COLUMNS = {
  sku: TEXT,
  name: TEXT,
  priceUsdt: PRICE,
  description: TEXT,
  instructions: TEXT,
  type: WORD,
  category: TEXT,
  imageUrl: WORD,
  active: FLAG,
  visibility: WORD,
  minQuantity: COUNT,
  maxQuantity: COUNT,
  lowStock: COUNT,
  requiresRecipient: FLAG,
  allowDuplicates: FLAG,
  priceTiers: TIERS,
} as const satisfies Partial<Record<Name, Kind>>;

type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];
const ATTRIBUTE = 'attributes.';

export const PRODUCT_TABLE: TableHeader = {
  required: ['sku', 'name', 'priceUsdt'],
  isKnown: (column) =>
    Object.hasOwn(COLUMNS, column) ||
    (column.startsWith(ATTRIBUTE) && unfitAttributeName(column.slice(ATTRIBUTE.length)) === undefined),
};

export interface CellFields {
  readonly changes: Partial<ProductProfile>;
  readonly error?: never;
}
export interface CellError {
  readonly column: string;
  readonly error: ApiError;
}

const BODY = operatorBody(PRODUCT_PROPERTIES);

/** The fields that the row's cells name; attributes are those of the row alone. `before` is absent for a new product. */
export function fieldsOf({ cells }: TableRow, before: ProductProfile | undefined): CellFields | CellError {
  const changes: Record<string, unknown> = {};
  const attributes: [string, string][] = [];
  for (const [column, text] of cells) {
    const isAttribute = column.startsWith(ATTRIBUTE);
    const name = column.slice(ATTRIBUTE.length);
    if (before !== undefined && isAsWritten(column, text, before)) continue;
    const cell = isAttribute ? { attributes: { [name]: unguarded(text) } } : cellOf(column as Column, text);
    if ('error' in cell) return { column, error: cell.error };
    const checked = BODY.check(cell);
    const parsed = 'error' in checked ? checked : parseProfile(checked.body);
    if ('error' in parsed) return { column, error: parsed.error };
    if (isAttribute) attributes.push([name, unguarded(text)]);
    else Object.assign(changes, parsed.changes);
  }
  return {
    changes: attributes.length === 0 ? changes : { ...changes, attributes: Object.fromEntries(attributes) },
  };
}

function cellOf(column: Column, text: string): ProductBody | { readonly error: ApiError } {
  const kind = COLUMNS[column];
  const value = kind.read(kind === TEXT ? unguarded(text) : text);
  return value === undefined
    ? { error: badRequest(`${column} must be ${kind.words}.`) }
    : { [column]: value };
}

/** Whether the cell is what would be written for the product. */
function isAsWritten(column: string, text: string, profile: ProductProfile): boolean {
  const written = column.startsWith(ATTRIBUTE)
    ? attributeOf(profile, column.slice(ATTRIBUTE.length))
    : textOf(profile, column as Column);
  return written === text || (text.includes("'") && formulaGuarded(written) === text);
}

function priceOf(text: string): number | undefined {
  return /^\s*\d{1,10}(?:\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined;
}

function tiersOf(text: string): NonNullable<ProductBody['priceTiers']> | undefined {
  const tiers = text
    .trim()
    .split(/\s+/)
    .map((tier) => {
      const [quantity = '', price = '', ...rest] = tier.split(':');
      return { minQuantity: COUNT.read(quantity), priceUsdt: priceOf(price), isWhole: rest.length === 0 };
    });
  const isRead = tiers.every(
    ({ minQuantity, priceUsdt, isWhole }) => minQuantity !== undefined && priceUsdt !== undefined && isWhole,
  );
  return isRead
    ? tiers.map(({ minQuantity, priceUsdt = 0 }) => ({ minQuantity: Number(minQuantity), priceUsdt }))
    : undefined;
}

/** The table of these products, line by line. */
export function* productTable(profiles: readonly ProductProfile[]): Generator<string> {
  const named = new Set(profiles.flatMap(({ attributes }) => Object.keys(attributes ?? {})));
  const attributes = [...named].sort();
  yield csvHead([...NAMES, ...attributes.map((name) => textCell(ATTRIBUTE + name, 'plain'))], 'plain');
  for (const profile of profiles) {
    const texts = [
      ...NAMES.map((name) => textOf(profile, name)),
      ...attributes.map((name) => attributeOf(profile, name)),
    ];
    yield csvLine(texts.map((text) => textCell(text, 'plain')));
  }
}

/** Empty for what it has not: an attribute may be named like a field that every object inherits, such as `constructor`. */
function attributeOf({ attributes = {} }: ProductProfile, name: string): string {
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? '') : '';
}

/** Empty for what it has not. */
function textOf(profile: ProductProfile, column: Column): string {
  switch (column) {
    case 'priceUsdt':
      return usdtText(profile.priceMicros);
    case 'priceTiers':
      return profile.priceTiers.map(tierText).join(' ');
    case 'visibility':
      return profile.visibility ?? 'all';
    case 'minQuantity':
      return String(profile.minQuantity ?? 1);
    default:
      return String(profile[column] ?? '');
  }
}

function tierText({ minQuantity, priceMicros }: PriceTier): string {
  return `${minQuantity}:${usdtText(priceMicros)}`;
}
