/**
 * The delimiter of a table's cells, as its first records say: the first character in which they agree. Where numbers
 * are written with commas, semicolons divide, so these come before commas. Looked at is so little of it that it takes
 * no thread longer than a few milliseconds.
 */
import { type Cells, type LineEnd, RecordParser } from './record-parser.ts';

/** So much of a text is looked at. */
export const BEGINNING_BYTES = 16 * 1024;
/** At a time, for the first records may be short. */
const SLICE_BYTES = 2 * 1024;

const DELIMITERS = [';', '\t', ',', '|'] as const;
const RECORDS = 20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface TableBeginning {
  readonly lineEnd: LineEnd;
  readonly delimiter: string;
  /** The first ones, without empty lines. */
  readonly records: readonly Cells[];
  /** Whether all of them have as many cells, and more than one. */
  readonly isSquare: boolean;
}

/** `beginning` is in UTF-8; `isAll` when nothing follows. */
export function tableBeginning(beginning: Buffer, isAll: boolean): TableBeginning {
  const looked = beginning.subarray(0, BEGINNING_BYTES);
  const isWhole = isAll && looked.length === beginning.length;
  const lineEnd = lineEndOf(looked);
  const lines = isWhole ? looked : looked.subarray(0, looked.lastIndexOf(lineEnd) + 1);
  const tables = DELIMITERS.map((delimiter) => dividedBy(delimiter, lineEnd, lines));
  return tables.find(({ isSquare }) => isSquare) ?? tables.reduce(wider);
}

export function isEmpty(cells: Cells): boolean {
  return cells.length === 1 && cells[0]?.length === 0;
}

/** Old Macs end lines with a carriage return alone. */
function lineEndOf(looked: Buffer): LineEnd {
  const hasReturn = looked.subarray(0, -1).includes(CARRIAGE_RETURN);
  return hasReturn && !looked.includes(LINE_FEED) ? '\r' : '\n';
}

function dividedBy(delimiter: string, lineEnd: LineEnd, lines: Buffer): TableBeginning {
  const records = firstRecords(new RecordParser(delimiter, lineEnd), lines).slice(0, RECORDS);
  const width = records[0]?.length ?? 0;
  return {
    delimiter,
    lineEnd,
    records,
    isSquare: width > 1 && records.every(({ length }) => length === width),
  };
}

function firstRecords(parser: RecordParser, lines: Buffer): Cells[] {
  const records: Cells[] = [];
  const add = (more: readonly Cells[]) => records.push(...more.filter((cells) => !isEmpty(cells)));
  for (let start = 0; start < lines.length && records.length < RECORDS; start += SLICE_BYTES)
    add(parser.push(lines.subarray(start, start + SLICE_BYTES)));
  if (records.length < RECORDS) add(parser.end() ?? []);
  return records;
}

function wider(one: TableBeginning, other: TableBeginning): TableBeginning {
  return (other.records[0]?.length ?? 0) > (one.records[0]?.length ?? 0) ? other : one;
}
