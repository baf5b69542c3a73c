/** Walks several sorted sources of rows at once; of rows with the same key, the one of the earliest source counts. */
import type { TableEntry } from '../lmdb/lmdb-table.ts';

interface Head {
  readonly rows: Iterator<TableEntry>;
  row: TableEntry;
}

/** `sources`: the one that counts first. With `reverse`, all of them descend. Tombstones are among what comes. */
export function* mergedRows(
  sources: readonly Iterable<TableEntry>[],
  reverse = false,
): IterableIterator<TableEntry> {
  const heads: Head[] = [];
  const sign = reverse ? -1 : 1;
  try {
    for (const source of sources) {
      const rows = source[Symbol.iterator]();
      const first = rows.next();
      if (!first.done) heads.push({ rows, row: first.value });
    }
    while (heads.length > 0) {
      let [best] = heads as [Head];
      let hasTwins = false;
      for (let at = 1; at < heads.length; at += 1) {
        const head = heads[at] as Head;
        const order = sign * head.row.key.compare(best.row.key);
        if (order < 0) best = head;
        hasTwins ||= order === 0;
      }
      const { row } = best;
      const left = hasTwins ? heads.filter((head) => head.row.key.equals(row.key)) : [best];
      yield row;
      for (const head of left) {
        const next = head.rows.next();
        if (next.done) heads.splice(heads.indexOf(head), 1);
        else head.row = next.value;
      }
    }
  } finally {
    for (const { rows } of heads) rows.return?.();
  }
}
