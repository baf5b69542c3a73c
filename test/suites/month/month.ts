/** What all that happens in the month is done with, and all questions are asked of. */
import type { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import type { Random } from '../../support/random.ts';
import type { By, Deed, Ledger } from './ledger.ts';
import type { Shop } from './shop.ts';
import { type Operator, reasonOf } from './staff.ts';

export interface Month {
  readonly shop: Shop;
  readonly ledger: Ledger;
  readonly supplier: ReferenceSupplier;
  readonly random: Random;
  readonly isLong: boolean;
}

/** An operator who says why, or doesn't: `reason` is then no field of the body at all. */
export function by({ random }: Month, operator: Operator): Required<Pick<By, 'operator'>> & By {
  const reason = reasonOf(random);
  return reason === undefined ? { operator } : { operator, reason };
}

/** The audit will have it. */
export function enterDeed(
  { shop, ledger }: Month,
  { operator, reason }: Required<Pick<By, 'operator'>> & By,
  action: string,
  of: Pick<Deed, 'requestId' | 'accountId' | 'productId' | 'orderId'>,
): void {
  ledger.deeds.push({ operator, reason, action, shift: shop.shift, ...of });
}

export function freshKey({ random }: Month, purpose: string): string {
  const part = () => random.between(0, 2 ** 31 - 1).toString(36);
  return `${purpose}-${part()}${part()}`;
}
