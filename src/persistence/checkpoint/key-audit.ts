/**
 * Proves that the runs hold exactly the keys that they should: none missing, none too many, each where a
 * search finds it.
 *
 * Looking up every key of a long history would take minutes. Instead, both sides are summed up: each key and
 * what it led to is mixed into a number, and the sums must be equal, in whatever order they come.
 */
import type { PurchaseOutcome } from '../../engine/orders.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { decodePlace, encodePlace, KeyBlock } from './key-block.ts';
import { type KeyRunTables, type Run, readList } from './key-runs.ts';
import { type KeySink, RunMerge } from './run-merge.ts';

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

/** The sum of all keys in the runs. Throws `DamagedDataError` when a run isn't what the list says, or isn't sorted. */
export function sumOfRuns(tables: KeyRunTables): KeySum {
  const sum = new KeySum();
  for (const run of readList(tables).runs) addRun(sum, tables, run);
  return sum;
}

/**
 * Throws `DamagedDataError` when an account's key led to two outcomes: then a retry has bought twice. Walks all
 * runs at once by hash, so that keys which may be equal come one after the other.
 */
export function expectNoKeyTwice(tables: KeyRunTables, outcomeOf: (ref: number) => PurchaseOutcome): void {
  const { runs } = readList(tables);
  const merge = new RunMerge(tables.keys, runs, new RepeatedKeys(outcomeOf));
  merge.step(Number.POSITIVE_INFINITY);
}

class RepeatedKeys implements KeySink {
  readonly blocks = 0;
  readonly #outcomeOf: (ref: number) => PurchaseOutcome;
  #hash = -1;
  #refs: number[] = [];

  constructor(outcomeOf: (ref: number) => PurchaseOutcome) {
    this.#outcomeOf = outcomeOf;
  }

  add(hash: number, ref: number): void {
    if (hash !== this.#hash) {
      this.flush();
      this.#hash = hash;
    }
    this.#refs.push(ref);
  }

  flush(): void {
    const refs = this.#refs;
    this.#refs = [];
    if (refs.length < 2) return;
    const keys = new Set<string>();
    for (const { accountId, idempotencyKey } of refs.map(this.#outcomeOf)) {
      const key = `key ${idempotencyKey} of account ${accountId}`;
      if (keys.has(key)) throw new DamagedDataError(`${key} has two outcomes`);
      keys.add(key);
    }
  }
}

function addRun(sum: KeySum, { keys }: KeyRunTables, { run, keys: expected }: Run): void {
  const start = encodePlace({ run, firstHash: 0, block: 0 });
  const end = encodePlace({ run: run + 1, firstHash: 0, block: 0 });
  const countBefore = sum.count;
  let last = 0;
  for (const { key, value } of keys.getRange({ start, end })) {
    const block = KeyBlock.decode(key, value);
    if (decodePlace(key).firstHash !== block.hash(0)) {
      throw new DamagedDataError(`a block of keys in run ${run} lies in the wrong place`);
    }
    for (let index = 0; index < block.count; index += 1) {
      const hash = block.hash(index);
      if (hash < last) throw new DamagedDataError(`the keys of run ${run} are not sorted`);
      last = hash;
      sum.add(hash, block.ref(index));
    }
  }
  if (sum.count - countBefore !== expected) {
    throw new DamagedDataError(`run ${run} has ${sum.count - countBefore} keys of ${expected}`);
  }
}

function mix(a: number, b: number): number {
  let mixed = Math.imul(a ^ (b << 7) ^ b, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
