/**
 * Holds the checkpoint against the journal's facts, as `purser verify` replays them: the facts are folded once more, into
 * a store beside it, and the two are walked together. So each row is there as its facts give it, and no row that no fact
 * explains.
 */
import { rmSync } from 'node:fs';
import type { Fact } from '../../engine/fact.ts';
import type { State } from '../../engine/state.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { canonicalJson } from '../codec/canonical-json.ts';
import { decodeJson } from '../codec/sealed-row.ts';
import { createStore } from '../store/file-list.ts';
import { StoreFiles } from '../store/store-files.ts';
import { StoreReader, type StoreRow } from '../store/store-reader.ts';
import { compareKeys, type StoreTable } from '../store/store-table.ts';
import { takeState } from './checkpoint.ts';
import { CheckpointHistory } from './checkpoint-history.ts';
import { FactRows } from './fact-rows.ts';
import { ALL_TABLES, TABLES } from './tables.ts';

/** Facts of one file. */
const FILE_FACTS = 50_000;
const ALL = { fromA: 0, toA: Number.MAX_SAFE_INTEGER };

export class CheckpointCheck {
  readonly #found: StoreReader;
  readonly #scratch: string;
  readonly #files: StoreFiles;
  readonly #facts = new FactRows();
  #taken = 0;

  /** `scratch`: a folder of its own, with room for a second checkpoint. `replayed`: the state before all facts. */
  constructor(found: StoreReader, scratch: string, replayed: State) {
    this.#found = found;
    this.#scratch = scratch;
    this.close();
    createStore(scratch);
    this.#files = new StoreFiles(scratch, ALL_TABLES);
    for (const rows of Object.values(replayed.changed)) rows.collect();
  }

  /** A fact that the checkpoint reflects, and the state right after it. Throws what the disk does. */
  add(fact: Fact, replayed: State): void {
    this.#facts.take(fact, replayed.position, replayed);
    this.#taken += 1;
    if (this.#taken % FILE_FACTS === 0 || this.#facts.rows.areFull) this.#write();
  }

  /** `replayed`: the state at the checkpoint's position. Throws `DamagedDataError`, and `DamagedFileError` for its files. */
  finish(replayed: State): void {
    takeState(this.#facts.rows, replayed, []);
    this.#write();
    const expected = new StoreReader(this.#scratch);
    try {
      for (const [name, table] of Object.entries<StoreTable>(TABLES))
        expectSame(name, expected.range(table, ALL), this.#found.range(table, ALL), isJson(table));
    } finally {
      expected.close();
    }
    this.#expectFilters();
    this.#expectNoKeyTwice();
  }

  close(): void {
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  #write(): void {
    this.#files.add({ position: this.#taken, journalHash: '' }, this.#facts);
    while (this.#files.mergePart());
  }

  #expectFilters(): void {
    for (const table of ALL_TABLES.filter(({ isFiltered }) => isFiltered)) {
      for (const { a } of this.#found.range(table, ALL)) {
        if (!this.#found.mayHave(table, a))
          throw new DamagedDataError(
            `hash ${a} is missing in a filter of the checkpoint: a retry would buy twice`,
          );
      }
    }
  }

  #expectNoKeyTwice(): void {
    const history = new CheckpointHistory(this.#found);
    const keys = new Set<string>();
    let before = { a: -1, b: 0 };
    for (const { a, b } of this.#found.range(TABLES.keys, ALL)) {
      if (a !== before.a) keys.clear();
      else {
        if (keys.size === 0) keys.add(keyOf(history, before.b));
        const key = keyOf(history, b);
        if (keys.has(key)) throw new DamagedDataError(`${key} has two outcomes`);
        keys.add(key);
      }
      before = { a, b };
    }
  }
}

function keyOf(history: CheckpointHistory, ref: number): string {
  const { accountId, idempotencyKey } = history.outcome(ref);
  return `key ${idempotencyKey} of account ${accountId}`;
}

/** Rows of the state, but for accounts. */
function isJson(table: StoreTable): boolean {
  return table !== TABLES.accounts && table.number < TABLES.orders.number;
}

function expectSame(
  name: string,
  expected: Iterator<StoreRow>,
  found: Iterator<StoreRow>,
  isJson: boolean,
): void {
  let one = expected.next();
  let other = found.next();
  while (one.done !== true || other.done !== true) {
    const order = one.done
      ? 1
      : other.done
        ? -1
        : compareKeys(one.value.a, one.value.b, other.value.a, other.value.b);
    if (order < 0) throw different(name, one.value, 'is missing in the checkpoint');
    if (order > 0) throw different(name, other.value, 'is in the checkpoint, and no fact explains it');
    if (!isSame(one.value.value, other.value.value, isJson))
      throw different(name, one.value, 'differs from what the journal gives');
    one = expected.next();
    other = found.next();
  }
}

function different(name: string, { a, b }: Pick<StoreRow, 'a' | 'b'>, what: string): DamagedDataError {
  return new DamagedDataError(`row ${b === 0 ? a : `${a}/${b}`} of ${name} ${what}`);
}

/** Fields of a state's row may come in another order when it was read and written again. */
function isSame(one: Uint8Array, other: Uint8Array, isJson: boolean): boolean {
  if (Buffer.compare(one, other) === 0) return true;
  return isJson && canonicalJson(decodeJson<object>(one)) === canonicalJson(decodeJson<object>(other));
}
