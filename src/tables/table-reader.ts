/**
 * Reads a table that a spreadsheet wrote, from bytes that are cut anywhere: its records, each with the line of the file
 * where it begins. For whoever imports one: items of stock, products, prices.
 *
 * Invariant: `push` takes a slice at a time, so a caller decides how long it holds its thread; memory is bounded by the
 * longest record; a record is given once and whole. Empty lines are no records. Cells are bytes, because only who knows
 * what a cell is for can say what is wrong with it. Nothing is guessed but the delimiter.
 */
import { type Cells, type LineEnd, RecordParser } from './record-parser.ts';
import { BEGINNING_BYTES, isEmpty, tableBeginning } from './table-delimiter.ts';
import { type Charset, encodingOf, Utf8Maker } from './text-encoding.ts';

/** With its quotes. Longer ones are refused, at the latest when they are twice as long. */
export const MAX_RECORD_BYTES = 512 * 1024;
const NOTHING = Buffer.alloc(0);

export interface TableRecord {
  /** From 1. */
  readonly line: number;
  readonly cells: Cells;
}

/** An error in a table. The rest behind it can't be read. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly line: number;
  readonly what: string;

  /** `what` completes the sentence "line 17 …". */
  constructor(line: number, what: string) {
    super(`line ${line} ${what}`);
    this.line = line;
    this.what = what;
  }
}

export class TableReader {
  readonly #charset: Charset | undefined;
  #beginning = NOTHING;
  #text: Utf8Maker | undefined;
  #parser: RecordParser | undefined;
  #lineEnd: LineEnd = '\n';
  /** The line of the next record. */
  #line = 1;
  /** Since a record has ended. */
  #openBytes = 0;

  /** `charset` is believed of a text without a mark. */
  constructor(charset?: Charset) {
    this.#charset = charset;
  }

  /** Throws `TableError`. */
  push(chunk: Buffer): TableRecord[] {
    if (this.#parser !== undefined) return this.#read(this.#parser, chunk);
    this.#beginning = Buffer.concat([this.#beginning, chunk]);
    return this.#beginning.length < BEGINNING_BYTES ? [] : this.#begin(false);
  }

  /** Throws `TableError`. */
  end(): TableRecord[] {
    const records = this.#parser === undefined ? this.#begin(true) : [];
    this.#decode(() => this.#text?.end());
    const last = this.#parser?.end();
    if (last === undefined) throw this.#unended();
    return [...records, ...this.#numbered(last)];
  }

  #begin(isAll: boolean): TableRecord[] {
    const bytes = this.#beginning;
    this.#beginning = NOTHING;
    const encoding = encodingOf(bytes, this.#charset);
    this.#text = new Utf8Maker(encoding);
    // UTF-16 takes twice as many bytes for as much text.
    const looked = this.#decode(() => new Utf8Maker(encoding).push(bytes.subarray(0, 2 * BEGINNING_BYTES)));
    const { delimiter, lineEnd } = tableBeginning(looked, isAll);
    this.#parser = new RecordParser(delimiter, lineEnd);
    this.#lineEnd = lineEnd;
    return this.#read(this.#parser, bytes);
  }

  #read(parser: RecordParser, chunk: Buffer): TableRecord[] {
    const records = parser.push(this.#decode(() => this.#text?.push(chunk) ?? chunk));
    this.#openBytes = records.length > 0 ? 0 : this.#openBytes + chunk.length;
    if (this.#openBytes > MAX_RECORD_BYTES) throw this.#unended();
    return this.#numbered(records);
  }

  #numbered(records: readonly Cells[]): TableRecord[] {
    const numbered: TableRecord[] = [];
    for (const cells of records) {
      if (!isEmpty(cells)) numbered.push({ line: this.#line, cells });
      this.#line += 1 + cells.reduce((sum, cell) => sum + countOf(this.#lineEnd, cell), 0);
    }
    return numbered;
  }

  #decode<Result>(work: () => Result): Result {
    try {
      return work();
    } catch {
      throw new TableError(this.#line, 'or one after it is not valid UTF-16');
    }
  }

  #unended(): TableError {
    return new TableError(this.#line, 'begins a record that does not end: is a quote not closed?');
  }
}

function countOf(lineEnd: LineEnd, cell: Buffer): number {
  let count = 0;
  for (let at = cell.indexOf(lineEnd); at !== -1; at = cell.indexOf(lineEnd, at + 1)) count += 1;
  return count;
}
