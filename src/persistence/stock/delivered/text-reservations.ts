/**
 * Texts that a supplier has just delivered and that are not on disk yet: between the check that nobody had them and
 * their transaction lies the commit that makes their order. Meanwhile nobody else may take them.
 *
 * Memory alone, because a crash leaves the order pending: its supplier is asked again, and the check is then part of
 * the transaction. Reservations go by a hash of what is seen of a text without comparing texts, which would have to be kept:
 * ninety-six keyed bits meet by chance never, and then a delivery is refused, not sold twice. `OrderTextsStore` bounds how
 * many are claimed at once.
 */
import type { Fingerprints } from '../file/stock-fingerprints.ts';
import { visibleForm } from '../likeness.ts';

interface Reservation {
  readonly supplierPurchaseId: number;
  readonly productId: number;
  readonly names: readonly string[];
}

export class TextReservations {
  readonly #fingerprints: Fingerprints;
  readonly #reservations = new Map<string, Reservation>();
  readonly #bySupplierPurchase = new Map<number, Reservation>();

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  /** The product for which a supplier purchase has reserved it, another than `exceptSupplierPurchaseId`. */
  claimantOf(text: Buffer, exceptSupplierPurchaseId?: number): number | undefined {
    if (this.#reservations.size === 0) return undefined;
    const reservation = this.#reservations.get(this.#nameOf(text));
    return reservation?.supplierPurchaseId === exceptSupplierPurchaseId ? undefined : reservation?.productId;
  }

  has(supplierPurchaseId: number): boolean {
    return this.#bySupplierPurchase.has(supplierPurchaseId);
  }

  /** None of them is taken. */
  add(supplierPurchaseId: number, productId: number, texts: readonly Buffer[]): void {
    this.drop(supplierPurchaseId);
    const reservation = { supplierPurchaseId, productId, names: texts.map((text) => this.#nameOf(text)) };
    this.#bySupplierPurchase.set(supplierPurchaseId, reservation);
    for (const name of reservation.names) this.#reservations.set(name, reservation);
  }

  /** May be called for one that has none. */
  drop(supplierPurchaseId: number): void {
    for (const name of this.#bySupplierPurchase.get(supplierPurchaseId)?.names ?? [])
      this.#reservations.delete(name);
    this.#bySupplierPurchase.delete(supplierPurchaseId);
  }

  #nameOf(text: Buffer): string {
    return this.#fingerprints.hashOf(visibleForm(text.toString())).toString('latin1');
  }
}
