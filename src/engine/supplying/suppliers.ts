/**
 * The table of suppliers: who delivers what the operator's own stock doesn't have.
 *
 * The secret is sealed before it comes here: neither the engine nor the journal ever holds it readable.
 */
import type { IdTable } from '../id-table.ts';

/** Settings of a supplier, made by operators. */
export interface SupplierProfile {
  readonly name: string;
  /** Where the protocol's paths begin, without a slash at its end. */
  readonly url: string;
  /** Base64 of what a data key opens. */
  readonly sealedSecret: string;
}

export interface Supplier {
  readonly supplierId: number;
  profile: SupplierProfile;
  readonly createdAtMs: number;
}

export type Suppliers = IdTable<Supplier>;
