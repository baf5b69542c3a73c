/**
 * Proves that the runs hold exactly the keys that they should: none missing, none too many, each where a
 * search finds it.
 *
 * Looking up every key of a long history would take minutes. Instead, both sides are summed up: each key and
 * what it led to is mixed into a number, and the sums must be equal, in whatever order they come.
 */
import type { PurchaseOutcome } from '../../../engine/orders.ts';
import { DamagedDataError } from '../../codec/byte-reader.ts';
import { type KeyRunTables, keyRuns } from './key-runs.ts';
import { RunMerge } from './run-merge.ts';

export class KeySum {
  #count = 0;
  #low = 0;
  #high = 0;

  add(hash: number, ref: number): void {
    this.#count += 1;
    const seed = mix((hash % 2 ** 32) | 0, Math.floor(hash / 2 ** 32));
    const low = mix(seed ^ ((ref % 2 ** 32) | 0), Math.floor(ref / 2 ** 32));
    this.#low = (this.#low + low) | 0;
    this.#high = (this.#high + mix(low, seed)) | 0;
  }

  get count(): number {
    return this.#count;
  }

  equals(other: KeySum): boolean {
    return this.#count === other.#count && this.#low === other.#low && this.#high === other.#high;
  }
}

/**
 * The sum of all keys in the runs. Throws `DamagedDataError` when a run isn't what the list says, or isn't sorted; and
 * when an account's key led to two outcomes: then a retry has bought twice. Walks all runs at once by hash, so that keys
 * which may be equal come one after the other.
 */
export function auditKeys(tables: KeyRunTables, outcomeOf: (ref: number) => PurchaseOutcome): KeySum {
  const sum = new KeySum();
  const merge = new RunMerge(keyRuns(tables));
  let last = -1;
  let refs: number[] = [];
  for (let key = merge.next(); key !== undefined; key = merge.next()) {
    const { hash, ref } = key;
    sum.add(hash, ref);
    if (hash === last) {
      refs.push(ref);
    } else {
      if (refs.length > 1) expectNoKeyTwice(refs.map(outcomeOf));
      refs = [ref];
      last = hash;
    }
  }
  if (refs.length > 1) expectNoKeyTwice(refs.map(outcomeOf));
  return sum;
}

/** The outcomes are those of keys with the same hash. */
function expectNoKeyTwice(outcomes: readonly PurchaseOutcome[]): void {
  const keys = new Set<string>();
  for (const { accountId, idempotencyKey } of outcomes) {
    const key = `key ${idempotencyKey} of account ${accountId}`;
    if (keys.has(key)) throw new DamagedDataError(`${key} has two outcomes`);
    keys.add(key);
  }
}

/** Two numbers of 32 bits into one. */
export function mix(a: number, b: number): number {
  let mixed = Math.imul(a ^ (b << 7) ^ b, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
