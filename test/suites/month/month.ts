/** The month's tools, which everything in it is done with, and which all questions are asked of. */
import type { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import type { Random } from '../../support/random.ts';
import type { Ledger } from './ledger.ts';
import type { Shop } from './shop.ts';
import { type By, type Operator, reasonOf } from './staff.ts';

export interface Month {
  readonly shop: Shop;
  readonly ledger: Ledger;
  readonly supplier: ReferenceSupplier;
  readonly random: Random;
}

/** An operator who does a thing, and says why, or doesn't. */
export function by({ random }: Month, operator: Operator): By {
  const reason = reasonOf(random);
  return reason === undefined ? { operator } : { operator, reason };
}

/** A body or a query: without a reason it has no such field at all. */
export function saying<Fields extends object>({ reason }: By, fields: Fields): Fields & { reason?: string } {
  return reason === undefined ? fields : { ...fields, reason };
}

export function freshKey({ random }: Month, purpose: string): string {
  const part = () => random.between(0, 2 ** 31 - 1).toString(36);
  return `${purpose}-${part()}${part()}`;
}
