/** What all that happens in the month is done with, and all questions are asked of. */
import assert from 'node:assert/strict';
import type { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import type { Random } from '../../support/random.ts';
import type { Deed, Ledger } from './ledger.ts';
import type { Shop } from './shop.ts';
import { type Operator, reasonOf } from './staff.ts';

export interface Month {
  readonly shop: Shop;
  readonly ledger: Ledger;
  readonly supplier: ReferenceSupplier;
  readonly random: Random;
}

/** An operator who does a thing, and says why, or doesn't. */
export interface Who {
  readonly operator: Operator;
  readonly reason?: string;
}

export function by({ random }: Month, operator: Operator): Who {
  const reason = reasonOf(random);
  return reason === undefined ? { operator } : { operator, reason };
}

/** A body or a query: without a reason it has no such field at all. */
export function saying<Fields extends object>({ reason }: Who, fields: Fields): Fields & { reason?: string } {
  return reason === undefined ? fields : { ...fields, reason };
}

/** The audit will have it. */
export function enterDeed(
  { shop, ledger }: Month,
  { operator, reason }: Who,
  action: string,
  of: Pick<Deed, 'requestId' | 'accountId' | 'productId' | 'orderId'>,
): void {
  ledger.deeds.push({ operator, reason, action, shift: shop.shift, ...of });
}

export function freshKey({ random }: Month, purpose: string): string {
  const part = () => random.between(0, 2 ** 31 - 1).toString(36);
  return `${purpose}-${part()}${part()}`;
}

/** One row after the other: the difference of two long lists as a whole takes for ever. */
export function assertSameRows(told: readonly unknown[], wanted: readonly unknown[], title: string): void {
  const count = Math.min(told.length, wanted.length);
  for (let at = 0; at < count; at += 1) assert.deepEqual(told[at], wanted[at], `${title}: row ${at}`);
  assert.equal(told.length, wanted.length, `${title}: how many rows`);
}
