/**
 * Texts that a supplier has just delivered and that are not on disk yet: between the check that nobody had them and
 * their transaction lies the commit that makes their order. Meanwhile nobody else may take them.
 *
 * Memory alone, because a crash leaves the order pending: its supplier is asked again, and the check is then part of
 * the transaction. Claims go by a hash of what is seen of a text without comparing texts, which would have to be kept:
 * ninety-six keyed bits meet by chance never, and then a delivery is refused, not sold twice. `OrderTextsStore` bounds how
 * many are claimed at once.
 */
import type { Fingerprints } from '../file/stock-fingerprints.ts';
import { visibleForm } from '../likeness.ts';

interface Claim {
  readonly supplierPurchaseId: number;
  readonly productId: number;
  readonly names: readonly string[];
}

export class TextClaims {
  readonly #fingerprints: Fingerprints;
  readonly #claims = new Map<string, Claim>();
  readonly #bySupplierPurchase = new Map<number, Claim>();

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  /** The product for which a supplier purchase claims it, another than `exceptSupplierPurchaseId`. */
  claimantOf(text: Buffer, exceptSupplierPurchaseId?: number): number | undefined {
    if (this.#claims.size === 0) return undefined;
    const claim = this.#claims.get(this.#nameOf(text));
    return claim?.supplierPurchaseId === exceptSupplierPurchaseId ? undefined : claim?.productId;
  }

  has(supplierPurchaseId: number): boolean {
    return this.#bySupplierPurchase.has(supplierPurchaseId);
  }

  /** None of them is taken. */
  add(supplierPurchaseId: number, productId: number, texts: readonly Buffer[]): void {
    this.drop(supplierPurchaseId);
    const claim = { supplierPurchaseId, productId, names: texts.map((text) => this.#nameOf(text)) };
    this.#bySupplierPurchase.set(supplierPurchaseId, claim);
    for (const name of claim.names) this.#claims.set(name, claim);
  }

  /** May be called for one that has none. */
  drop(supplierPurchaseId: number): void {
    for (const name of this.#bySupplierPurchase.get(supplierPurchaseId)?.names ?? [])
      this.#claims.delete(name);
    this.#bySupplierPurchase.delete(supplierPurchaseId);
  }

  #nameOf(text: Buffer): string {
    return this.#fingerprints.hashOf(visibleForm(text.toString())).toString('latin1');
  }
}
