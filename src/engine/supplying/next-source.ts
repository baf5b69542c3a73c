/**
 * The source that is asked for a purchase: the first one, in the product's order, that may be asked now. The one place
 * that says which may.
 *
 * Suppliers whose circuits are open are read by a port, because that is memory of this process; a fact says which source
 * was chosen, so that a replay asks nobody.
 */
import { MAX_HELD_PER_SUPPLIER, MAX_SUPPLIER_PURCHASES } from '../limits.ts';
import { placeOfSource, type SupplierSource } from '../products.ts';
import type { State } from '../state.ts';
import type { SupplierPurchase } from './supplier-purchases.ts';

/** Suppliers that are not to be asked at this moment, if another one can be. */
export type KeptBack = () => ReadonlySet<number>;

const NOBODY: ReadonlySet<number> = new Set();
export const NONE_KEPT_BACK: KeptBack = () => NOBODY;

/**
 * The source for a new hold. When all that have room are kept back, the first of these: whether it is asked is then the
 * circuit's matter. Undefined when none has room.
 */
export function firstSource(
  state: State,
  sources: readonly SupplierSource[],
  keptBack: KeptBack,
): SupplierSource | undefined {
  const [first] = sources;
  // Most products have one.
  if (sources.length === 1 && first !== undefined) return hasRoom(state, first) ? first : undefined;
  const withRoom = sources.filter((source) => hasRoom(state, source));
  const back = keptBack();
  return withRoom.find(({ supplierId }) => !back.has(supplierId)) ?? withRoom[0];
}

/** The source to ask after that of `held`, by the product's sources as they are now; undefined when there is none. */
export function sourceBehind(
  state: State,
  held: SupplierPurchase,
  keptBack: KeptBack,
): SupplierSource | undefined {
  const profile = state.products.get(held.productId)?.profile;
  const place = profile === undefined ? -1 : placeOfSource(profile, held);
  if (place < 0) return undefined;
  const behind = profile?.sources?.slice(place + 1) ?? [];
  const back = keptBack();
  return behind.find((source) => !back.has(source.supplierId) && hasRoom(state, source));
}

/**
 * Whether one more purchase may be open at its supplier: none has more of them than there is room left for all. So one
 * that is down for long fills half of the table, the next one half of the rest, and one that is well, which has few,
 * finds room. Rejected: a fixed share, too small for a node with one supplier or too large for one with many.
 */
function hasRoom({ supplierPurchases }: State, { supplierId }: SupplierSource): boolean {
  return (
    supplierPurchases.openCountOf(supplierId) < MAX_SUPPLIER_PURCHASES - supplierPurchases.size &&
    supplierPurchases.heldCountOf(supplierId) < MAX_HELD_PER_SUPPLIER
  );
}
