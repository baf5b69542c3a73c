/**
 * A table that is uploaded as `text/csv`, with a header: its records by the names of their columns, each with the line of the
 * file where it begins, for products and prices alike.
 *
 * Invariant: the main thread works at it for a millisecond at a time, and rests between. A
 * fault of one record, or one cell of it, is an error of that line, and the others are read; a fault of the header, or one
 * that leaves unknown where the next record begins, refuses the whole with `TableRefusal`. Cells are texts as they are in the file; an empty one is absent.
 */
import { isUtf8 } from 'node:buffer';
import { PatientSlices } from '../../../shared/slices.ts';
import type { Cells } from '../../../tables/record-parser.ts';
import { TableError, TableReader, type TableRecord } from '../../../tables/table-reader.ts';
import type { Charset } from '../../../tables/text-encoding.ts';
import type { ImportErrors } from './import-errors.ts';
import { TableRefusal } from './table-refusal.ts';

/** Its rows are in memory together. */
export const MAX_TABLE_BYTES = 64 * 1024 * 1024;
export const TOO_LONG = `The table has more than ${MAX_TABLE_BYTES} bytes: send it in parts.`;
const SLICE_BYTES = 8 * 1024;
const SHOWN_NAME_LENGTH = 64;

export interface TableRow {
  readonly line: number;
  /** By column. */
  readonly cells: ReadonlyMap<string, string>;
}

export interface TableHeader {
  /** Columns of which there must be one; of a list inside, one of them. */
  readonly required: readonly (string | readonly string[])[];
  readonly isKnown: (column: string) => boolean;
}

/** Gives the rows to `take`, in order, and errors of lines to `errors`. Resolves to the columns. */
export async function readTable(
  chunks: AsyncIterable<Uint8Array>,
  charset: Charset | undefined,
  header: TableHeader,
  take: (row: TableRow) => void,
  errors: ImportErrors,
): Promise<readonly string[]> {
  const reader = new TableReader(charset);
  const slices = new PatientSlices();
  let columns: readonly string[] | undefined;
  let bytes = 0;
  const takeIn = async (read: () => TableRecord[]) => {
    for (const { line, cells } of recordsOf(read)) {
      if (slices.isFull) await slices.rest();
      if (columns === undefined) columns = columnsOf(cells, header);
      else if (!cells.every(isBlank)) takeRecord(line, cells, columns, take, errors);
    }
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_TABLE_BYTES) throw new TableRefusal(TOO_LONG);
    // The transport may use the bytes again.
    const copy = Buffer.from(chunk);
    for (let start = 0; start < copy.length; start += SLICE_BYTES)
      await takeIn(() => reader.push(copy.subarray(start, start + SLICE_BYTES)));
  }
  await takeIn(() => reader.end());
  if (columns === undefined) throw new TableRefusal('The table is empty: it has not even a header.');
  return columns;
}

function recordsOf(read: () => TableRecord[]): TableRecord[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof TableError) throw new TableRefusal(`The table can't be read: ${error.message}.`);
    throw error;
  }
}

function columnsOf(cells: Cells, { required, isKnown }: TableHeader): readonly string[] {
  const columns = cells.map((cell) => cell.toString('utf8').trim());
  if (!cells.every((cell) => isUtf8(cell)))
    throw new TableRefusal(`The header is not valid UTF-8: ${SAVE_AS}.`);
  for (const [place, column] of columns.entries()) {
    if (column === '') throw new TableRefusal(`Column ${place + 1} has no name in the header.`);
    if (columns.indexOf(column) !== place) throw new TableRefusal(`Column ${shown(column)} comes twice.`);
    if (!isKnown(column)) throw new TableRefusal(`Column ${shown(column)} is not known here.`);
  }
  for (const wanted of required) {
    const names = typeof wanted === 'string' ? [wanted] : wanted;
    if (!names.some((name) => columns.includes(name)))
      throw new TableRefusal(`Column ${names.map((name) => `"${name}"`).join(' or ')} is missing.`);
  }
  return columns;
}

const SAVE_AS = 'save the file as UTF-8, or say ?charset=windows-1252 if it is that';

function takeRecord(
  line: number,
  cells: Cells,
  columns: readonly string[],
  take: (row: TableRow) => void,
  errors: ImportErrors,
): void {
  const [first = ''] = columns;
  if (cells.length !== columns.length) {
    const column = columns[cells.length] ?? columns.at(-1) ?? first;
    return errors.add(line, column, `The line has ${cells.length} cells, and the header ${columns.length}.`);
  }
  const texts = new Map<string, string>();
  for (const [place, cell] of cells.entries()) {
    if (isBlank(cell)) continue;
    const column = columns[place] ?? first;
    if (!isUtf8(cell)) return errors.add(line, column, `The text is not valid UTF-8: ${SAVE_AS}.`);
    texts.set(column, cell.toString('utf8'));
  }
  take({ line, cells: texts });
}

/** Spreadsheets leave such cells behind the last column and the last line. */
function isBlank(cell: Buffer): boolean {
  return cell.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}

function shown(column: string): string {
  return JSON.stringify(column.slice(0, SHOWN_NAME_LENGTH));
}
