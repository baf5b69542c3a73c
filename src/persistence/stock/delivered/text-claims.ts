/**
 * Texts that a supplier has just delivered and that are not on disk yet: between the check that nobody had them and
 * their transaction lies the commit that makes their order. Meanwhile nobody else may take them.
 *
 * Memory alone, because a crash leaves the order pending: its supplier is asked again, and the check is then part of
 * the transaction. Claims go by fingerprint without comparing texts, which would have to be kept: eighty keyed bits
 * meet by chance never, and then a delivery is refused, not sold twice. `OrderTextsStore` bounds how many are claimed at
 * once.
 */
export class TextClaims {
  /** Fingerprint keys, which begin with the product, to the supplier purchase that claims them. */
  readonly #claimants = new Map<string, number>();
  readonly #bySupplierPurchase = new Map<number, readonly string[]>();

  /** Whether a supplier purchase, another than `exceptSupplierPurchaseId`, claims it. */
  isTaken(key: Buffer, exceptSupplierPurchaseId?: number): boolean {
    if (this.#claimants.size === 0) return false;
    const claimant = this.#claimants.get(nameOf(key));
    return claimant !== undefined && claimant !== exceptSupplierPurchaseId;
  }

  has(supplierPurchaseId: number): boolean {
    return this.#bySupplierPurchase.has(supplierPurchaseId);
  }

  /** None of them is taken. */
  add(supplierPurchaseId: number, keys: readonly Buffer[]): void {
    this.drop(supplierPurchaseId);
    const names = keys.map(nameOf);
    this.#bySupplierPurchase.set(supplierPurchaseId, names);
    for (const name of names) this.#claimants.set(name, supplierPurchaseId);
  }

  /** May be called for one that has none. */
  drop(supplierPurchaseId: number): void {
    for (const name of this.#bySupplierPurchase.get(supplierPurchaseId) ?? []) this.#claimants.delete(name);
    this.#bySupplierPurchase.delete(supplierPurchaseId);
  }
}

function nameOf(key: Buffer): string {
  return key.toString('latin1');
}
