/**
 * Products by their sku.
 *
 * Invariant: each sku of a product's profile leads to that product. The table is made of the profiles alone, so no row of the
 * checkpoint says it. `decide` refuses a sku that another product has.
 */
import type { ProductProfile } from './products.ts';

type Named = Pick<ProductProfile, 'sku'>;

export class ProductSkus {
  readonly #products = new Map<string, number>();

  /** The product that has the sku. */
  productOf(sku: string): number | undefined {
    return this.#products.get(sku);
  }

  /** `before` is absent for a product that is new here. */
  change(productId: number, before: Named | undefined, { sku }: Named): void {
    if (before?.sku === sku) return;
    if (before?.sku != null) this.#products.delete(before.sku);
    if (sku != null) this.#products.set(sku, productId);
  }
}
