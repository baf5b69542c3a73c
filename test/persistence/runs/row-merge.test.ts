/**
 * Rows of several sources in one order (tiered-table.test.ts proves which): however a walk ends, every source is given back.
 * One of them is a position in the database, whose pages can't be used again before.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TableEntry } from '../../../src/persistence/lmdb/lmdb-table.ts';
import { mergedRows } from '../../../src/persistence/runs/row-merge.ts';

/** Rows of these keys, then, or at first, an error. */
class Source implements Iterable<TableEntry> {
  isOpen = false;
  readonly #keys: string;

  /** A `!` in the place of a key: the row there can't be read. */
  constructor(keys: string) {
    this.#keys = keys;
  }

  *[Symbol.iterator](): IterableIterator<TableEntry> {
    this.isOpen = true;
    try {
      for (const key of this.#keys) {
        if (key === '!') throw new Error('damaged');
        yield { key: Buffer.from(key), value: Buffer.from('') };
      }
    } finally {
      this.isOpen = false;
    }
  }
}

describe('merged rows', () => {
  for (const [title, keys, read, isDamaged] of [
    ['all rows are read', ['ac', 'b', ''], 9, false],
    ['the reader has enough', ['ac', 'abc', 'd'], 2, false],
    ['the first row of a later source can’t be read', ['ac', 'b', '!'], 9, true],
    ['a later row can’t be read', ['ac', 'b!', 'd'], 9, true],
    ['the first source’s first row can’t be read', ['!', 'b'], 9, true],
  ] as const) {
    test(`when ${title}, each source is given back`, () => {
      const sources = keys.map((each) => new Source(each));
      const walk = () => {
        let count = 0;
        for (const _row of mergedRows(sources)) {
          count += 1;
          if (count === read) break;
        }
      };
      if (isDamaged) assert.throws(walk, /^Error: damaged$/);
      else walk();
      assert.ok(sources.every(({ isOpen }) => !isOpen));
    });
  }
});
