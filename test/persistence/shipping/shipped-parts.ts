/** Parts of row sets as a test wants them, and all rows of a file, to compare two. */
import type { RowChange } from '../../../src/persistence/shipping/row-changes.ts';
import { encodeRowChanges } from '../../../src/persistence/shipping/row-changes.ts';

interface Readable {
  getRange(): Iterable<{ readonly key: Buffer; readonly value: Buffer }>;
}

/** Table ▸ key ▸ row, in hex. */
export type AllRows = Record<string, Record<string, string>>;

export function allRows(tables: Readonly<Record<string, Readable>>): AllRows {
  const rows = Object.entries(tables).map(([name, table]) => {
    const entries = Array.from(table.getRange(), ({ key, value }) => [
      key.toString('hex'),
      value.toString('hex'),
    ]);
    return [name, Object.fromEntries(entries)];
  });
  return Object.fromEntries(rows);
}

/** A set in parts of so many bytes: tests have no sets that are larger than a part. */
export function inSmallParts(parts: readonly Uint8Array[], bytes: number): Buffer[] {
  const content = Buffer.concat(parts.map((part) => part.subarray(1)));
  const [begins, ends] = [1, 2];
  const small: Buffer[] = [];
  for (let start = 0; start === 0 || start < content.length; start += bytes) {
    const isLast = start + bytes >= content.length;
    const flags = (start === 0 ? begins : 0) | (isLast ? ends : 0);
    small.push(Buffer.concat([Buffer.of(flags), content.subarray(start, start + bytes)]));
  }
  return small;
}

export function put(table: string, key: string, row: string | Buffer): RowChange {
  return { table, key: Buffer.from(key), row: Buffer.from(row) };
}

export function removed(table: string, key: string): RowChange {
  return { table, key: Buffer.from(key), row: null };
}

export function partsOf(...changes: readonly RowChange[]): Buffer[] {
  return encodeRowChanges(changes);
}
