/**
 * Rows of several sources in one order, of which the first source's count. However a walk ends, every source is given
 * back: one of them is a position in the database, whose pages can't be used again before.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TableEntry } from '../../../src/persistence/lmdb/lmdb-table.ts';
import { mergedRows } from '../../../src/persistence/runs/row-merge.ts';

/** Rows of these keys, then, or at first, an error. */
class Source implements Iterable<TableEntry> {
  isOpen = false;
  readonly #keys: string;
  readonly #name: string;

  /** A `!` in the place of a key: the row there can't be read. */
  constructor(keys: string, name = '') {
    this.#keys = keys;
    this.#name = name;
  }

  *[Symbol.iterator](): IterableIterator<TableEntry> {
    this.isOpen = true;
    try {
      for (const key of this.#keys) {
        if (key === '!') throw new Error('damaged');
        yield { key: Buffer.from(key), value: Buffer.from(this.#name) };
      }
    } finally {
      this.isOpen = false;
    }
  }
}

describe('merged rows', () => {
  for (const [keys, reverse, expected] of [
    [['bd', 'abc', 'cde'], false, ['a1', 'b0', 'c1', 'd0', 'e2']],
    [['db', 'cba', 'edc'], true, ['e2', 'd0', 'c1', 'b0', 'a1']],
    [['', 'a', ''], false, ['a1']],
    [[], false, []],
  ] as const) {
    test(`of ${JSON.stringify(keys)} are ${expected.join(' ') || 'none'}`, () => {
      const sources = keys.map((each, index) => new Source(each, String(index)));
      const rows = Array.from(mergedRows(sources, reverse), ({ key, value }) => `${key}${value}`);
      assert.deepEqual(rows, expected);
    });
  }

  for (const { title, keys, read, isDamaged } of [
    { title: 'all rows are read', keys: ['ac', 'b', ''], read: 9, isDamaged: false },
    { title: 'the reader has enough', keys: ['ac', 'abc', 'd'], read: 2, isDamaged: false },
    {
      title: 'the first row of a later source can’t be read',
      keys: ['ac', 'b', '!'],
      read: 9,
      isDamaged: true,
    },
    { title: 'a later row can’t be read', keys: ['ac', 'b!', 'd'], read: 9, isDamaged: true },
    { title: 'the first source’s first row can’t be read', keys: ['!', 'b'], read: 9, isDamaged: true },
  ]) {
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
      assert.deepEqual(
        sources.map(({ isOpen }) => isOpen),
        sources.map(() => false),
      );
    });
  }
});
