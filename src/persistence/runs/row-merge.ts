/** Walks several sorted sources of rows at once; of rows with the same key, the one of the earliest source counts. */
import type { TableEntry } from '../lmdb/lmdb-table.ts';

/** `sources`: the one that counts first. With `reverse`, all of them descend. Tombstones are among what comes. */
export function* mergedRows(
  sources: readonly Iterable<TableEntry>[],
  reverse = false,
): IterableIterator<TableEntry> {
  const heads: { readonly rows: Iterator<TableEntry>; row: TableEntry }[] = [];
  const sign = reverse ? -1 : 1;
  try {
    for (const source of sources) {
      const rows = source[Symbol.iterator]();
      const first = rows.next();
      if (!first.done) heads.push({ rows, row: first.value });
    }
    while (heads.length > 0) {
      let best = heads[0] as (typeof heads)[number];
      for (const head of heads) if (sign * head.row.key.compare(best.row.key) < 0) best = head;
      const { row } = best;
      const equal = heads.filter((head) => head === best || head.row.key.equals(row.key));
      yield row;
      for (const head of equal) {
        const next = head.rows.next();
        if (next.done) heads.splice(heads.indexOf(head), 1);
        else head.row = next.value;
      }
    }
  } finally {
    for (const { rows } of heads) rows.return?.();
  }
}
