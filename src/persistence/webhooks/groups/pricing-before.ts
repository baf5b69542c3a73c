/**
 * Lists and prices of accounts as they were, as far as they decide who sees what, for groups that came up before a change:
 * a row for each change, with the value until then. The value now is in `pricing`, so what doesn't change takes no row, and
 * rows of changes that are older than all groups can go.
 */

import { ByteReader } from '../../codec/byte-reader.ts';
import { numbersKey, readNumberKey } from '../../codec/number-key.ts';
import { writeVarint } from '../../codec/varint.ts';
import type { OutboxFile } from '../outbox-file.ts';
import { readRow, readRows } from '../outbox-file.ts';
import { PRICING_KINDS, type PricingRow } from '../outbox-rows.ts';

/** An account's list (0: none), or whether a list or an account has a price of a product (1, else 0), … */
export type PricedKind = Exclude<PricingRow['kind'], 'list'>;
/** … and an account that didn't exist yet. */
export const NOT_THERE = -1;

export interface PricingBefore {
  readonly kind: PricedKind;
  readonly a: number;
  readonly b: number;
  /** No event of the change's position, or a later one, has a lower number. */
  readonly number: number;
  /** The value until then. */
  readonly before: number;
}

export function pricingBeforeKey({ kind, a, b, number }: Omit<PricingBefore, 'before'>): Buffer {
  return numbersKey(PRICING_KINDS.indexOf(kind), a, b, number);
}

/** The number in a row's key. */
export function numberOfChange(key: Buffer): number {
  return readNumberKey(key, 24);
}

export function encodeBefore(before: number): Buffer {
  const payload = Buffer.alloc(8);
  return payload.subarray(0, writeVarint(payload, 0, before + 1));
}

/** A value as it was when groups came up. */
export class PricingHistory {
  /** Ascending. */
  readonly changes: readonly { readonly number: number; readonly before: number }[];
  readonly now: number;

  constructor(file: OutboxFile, kind: PricedKind, a: number, b: number) {
    const code = PRICING_KINDS.indexOf(kind);
    const range = { start: numbersKey(code, a, b), end: numbersKey(code, a, b + 1) };
    this.changes = Array.from(readRows(file, 'pricingBefore', range), ({ key, payload }) => {
      return { number: numberOfChange(key), before: new ByteReader(payload).varint() - 1 };
    });
    const row = readRow(file, 'pricing', numbersKey(code, a, b));
    if (row === undefined) this.now = 0;
    else this.now = kind === 'account' ? JSON.parse(row.toString()).priceListId : 1;
  }

  /** When the group with this number came up. */
  at(number: number): number {
    return this.changes.find((change) => change.number > number)?.before ?? this.now;
  }

  /** The values in their order: each with the number from which on it was another one. */
  *values(): IterableIterator<{ readonly value: number; readonly until: number }> {
    for (const { number, before } of this.changes) yield { value: before, until: number };
    yield { value: this.now, until: Number.POSITIVE_INFINITY };
  }
}
