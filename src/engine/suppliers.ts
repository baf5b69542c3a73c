/**
 * The table of suppliers: who delivers what the operator's own stock doesn't have.
 *
 * The secret is sealed before it comes here: neither the engine nor the journal ever holds it readable.
 */

/** What an operator decides about a supplier. */
export interface SupplierProfile {
  readonly name: string;
  /** Where the protocol's paths begin, without a slash at its end. */
  readonly url: string;
  /** Base64 of what the master key opens. */
  readonly sealedSecret: string;
}

export interface Supplier {
  readonly supplierId: number;
  profile: SupplierProfile;
  readonly createdAtMs: number;
}

export class Suppliers {
  /** Ids are given out in order, so the table is a plain array; 0 is none. */
  readonly #byId: (Supplier | undefined)[] = [undefined];

  get size(): number {
    return this.#byId.length - 1;
  }

  get nextId(): number {
    return this.#byId.length;
  }

  get(supplierId: number): Supplier | undefined {
    return this.#byId[supplierId];
  }

  /** By id. */
  *values(): IterableIterator<Supplier> {
    for (const supplier of this.#byId) if (supplier !== undefined) yield supplier;
  }

  /** Its id must be `nextId`. */
  add(supplier: Supplier): void {
    this.#byId[supplier.supplierId] = supplier;
  }
}
