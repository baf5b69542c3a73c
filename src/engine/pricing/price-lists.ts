/**
 * The table of price lists: names for prices that several accounts have, and how many accounts have each.
 *
 * Invariant: a list that an account has exists. So it is deleted only while none has it, and its number is never given
 * again.
 */
import type { AccountProfile } from '../accounts.ts';
import type { ChangedRows } from '../apply/changed-rows.ts';
import { IdTable } from '../id-table.ts';

export interface PriceListProfile {
  readonly name: string;
  /** The surcharge on a product's prices, in hundredths of a percent; null: none, and the product's price holds. */
  readonly percent: number | null;
}

export interface PriceList {
  readonly priceListId: number;
  profile: PriceListProfile;
  readonly createdAtMs: number;
}

export class PriceLists extends IdTable<PriceList> {
  readonly #accounts = new Map<number, number>();

  constructor(changed: ChangedRows) {
    super('price list', changed);
  }

  /** How many accounts have the list. */
  accountsOf(priceListId: number): number {
    return this.#accounts.get(priceListId) ?? 0;
  }

  /** An account has another list than before, or one at all. */
  noteAccount(before: AccountProfile | undefined, after: AccountProfile): void {
    this.#count(before?.priceListId, -1);
    this.#count(after.priceListId, 1);
  }

  #count(priceListId: number | undefined, change: number): void {
    if (priceListId === undefined) return;
    const count = this.accountsOf(priceListId) + change;
    if (count === 0) this.#accounts.delete(priceListId);
    else this.#accounts.set(priceListId, count);
  }
}
