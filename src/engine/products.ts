/** The table of products: what is sold, at which price, in which file. */
import type { Price } from './pricing/price.ts';

export const PRODUCT_TYPES = ['standard', 'file', 'manual'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** A supplier that delivers a product when own stock can't. */
export interface SupplierSource {
  readonly supplierId: number;
  /** The supplier's name for the product. */
  readonly sku: string;
}

/** Accounts that see a product: all, or only those whose own prices or price list name it. */
export const VISIBILITIES = ['all', 'listed'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Texts by name, such as a region or a platform. */
export type ProductAttributes = Readonly<Record<string, string>>;

/** A supplier's stock of a product by its own word, approximate. */
export type SuppliedStock = number | 'unlimited';

/** Settings of a product, made by operators; every fact that changes one of them has them all. */
export interface ProductProfile extends Price {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly type: ProductType;
  readonly requiresRecipient: boolean;
  /** Whether its goods are alike: what is delivered or uploaded is not held against what it had. */
  readonly allowDuplicates: boolean;
  readonly active: boolean;
  /** Operators are told when fewer than this are available; at least 1. Null or absent: never. */
  readonly lowStock?: number | null;
  /** In the order in which they are asked, at most `MAX_SOURCES`, each once. Empty or absent: only own stock serves it. */
  readonly sources?: readonly SupplierSource[];
  /** The shop's own name for it, which no other product has. Null or absent: none. */
  readonly sku?: string | null;
  /** Null or absent: none. */
  readonly category?: string | null;
  /** At most `MAX_ATTRIBUTES`. Absent: none. */
  readonly attributes?: ProductAttributes;
  /** An https address. Null or absent: none. */
  readonly imageUrl?: string | null;
  /** Absent: all. */
  readonly visibility?: Visibility;
  /** Bounds of one order's quantity: absent are 1, and, as null, none. */
  readonly minQuantity?: number;
  readonly maxQuantity?: number | null;
}

/**
 * The file that a product of type `file` delivers. The bytes are the file store's, and are never changed under an id.
 */
export interface ProductFile {
  /** 32 hexadecimal digits, chosen by the file store. */
  readonly fileId: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** SHA-256 of the bytes, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

export interface Product {
  readonly productId: number;
  profile: ProductProfile;
  /** Null for other types than `file`, and until a first file is set. */
  file: ProductFile | null;
  /** The stock at each of its sources, in their order, as recorded last; 0 while nothing is known. Never changed in place. */
  sourceStocks: readonly SuppliedStock[];
  readonly createdAtMs: number;
}

/** Whether buyers see and can buy it: a file product can't be sold before it has a file. */
export function isOnSale({ profile, file }: Product): boolean {
  return profile.active && (profile.type !== 'file' || file !== null);
}

/** A text that is the same for profiles that say the same, whatever the order of their fields, and for no others. */
export function profileText(profile: ProductProfile): string {
  const { name, description, instructions, type, priceMicros, priceTiers } = profile;
  const { requiresRecipient, allowDuplicates, active, lowStock = null, sources = [] } = profile;
  const tiers = priceTiers.map(({ minQuantity, priceMicros: micros }) => [minQuantity, micros]);
  const from = sources.map(({ supplierId, sku }) => [supplierId, sku]);
  const flags = [requiresRecipient, allowDuplicates, active];
  const texts = [name, description, instructions, type];
  return JSON.stringify([...texts, priceMicros, tiers, flags, lowStock, from, catalogFields(profile)]);
}

type CatalogFields = Pick<
  ProductProfile,
  'sku' | 'category' | 'attributes' | 'imageUrl' | 'visibility' | 'minQuantity' | 'maxQuantity'
>;

/** The fields that place a product in a catalog, each with its default, and attributes in the order of their names. */
export function catalogFields(profile: CatalogFields) {
  // In a fact's fields before, null is what wasn't there.
  const attributes = Object.entries(profile.attributes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    sku: profile.sku ?? null,
    category: profile.category ?? null,
    attributes: Object.fromEntries(attributes),
    imageUrl: profile.imageUrl ?? null,
    visibility: profile.visibility ?? 'all',
    minQuantity: profile.minQuantity ?? 1,
    maxQuantity: profile.maxQuantity ?? null,
  };
}

export function isSameSource(a: SupplierSource, b: SupplierSource): boolean {
  return a.supplierId === b.supplierId && a.sku === b.sku;
}

/** The place of a source among the product's; -1 when it isn't one of them. */
export function placeOfSource({ sources = [] }: ProductProfile, source: SupplierSource): number {
  return sources.findIndex((each) => isSameSource(each, source));
}

/** The stocks at the sources of `profile`, where those of `before` were known. */
export function keptStocks(
  { profile: before, sourceStocks }: Product,
  { sources = [] }: ProductProfile,
): readonly SuppliedStock[] {
  return sources.map((source) => sourceStocks[placeOfSource(before, source)] ?? 0);
}

/** The stock at all sources. */
export function suppliedStock({ sourceStocks }: Pick<Product, 'sourceStocks'>): SuppliedStock {
  let sum = 0;
  for (const stock of sourceStocks) {
    if (stock === 'unlimited') return stock;
    sum = Math.min(sum + stock, Number.MAX_SAFE_INTEGER);
  }
  return sum;
}
