/**
 * The items of an upload that is a table: the cells of one column, each with the line of the file where its record begins.
 *
 * A table is read in the same place and by the same rules as lines. A record that has more or fewer cells than the first
 * one may have its item anywhere, so it is a bad line; and so is a header that comes again, as where files were joined.
 * Records of empty cells, which spreadsheets leave at the end, are blank lines. Line breaks of a quoted cell are the item's.
 */
import type { Cells } from '../../../tables/record-parser.ts';
import { TableError, TableReader, type TableRecord } from '../../../tables/table-reader.ts';
import type { Charset } from '../../../tables/text-encoding.ts';
import { badItem, StockError } from '../stock-errors.ts';
import { itemBytes, type TakeLine } from './stock-lines.ts';

/** So many bytes are read at a time. */
const SLICE_BYTES = 64 * 1024;
const NAMED_COLUMNS = 20;
const NAME_LENGTH = 64;
/** A place, which is no name: a table without a header may have any text in its first record. */
const PLACE = /^[1-9]\d{0,3}$/;

export interface StockTable {
  /**
   * The name of the column in the header, or its place from 1 in a table without one. Undefined is refused, with the
   * names.
   */
  readonly column: string | undefined;
  /** The charset of a text without a mark that isn't UTF-8. */
  readonly charset?: Charset | undefined;
}

export class TableItems {
  readonly #take: TakeLine;
  readonly #onBad: ((error: StockError) => void) | undefined;
  readonly #table: StockTable;
  readonly #reader: TableReader;
  /** How many cells the first record has. */
  #columns = 0;
  #place = 0;
  /** The column's name in the header; undefined for a place. */
  #header: string | undefined;

  /** `take` and `onBad` as of `LineSplitter`. */
  constructor(take: TakeLine, table: StockTable, onBad?: (error: StockError) => void) {
    this.#take = take;
    this.#onBad = onBad;
    this.#table = table;
    this.#reader = new TableReader(table.charset);
  }

  /** Throws `unfit` and, with `onBad` only where the rest can't be read, `bad-item`. */
  push(chunk: Buffer): void {
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      const slice = chunk.subarray(start, start + SLICE_BYTES);
      this.#takeIn(() => this.#reader.push(slice));
    }
  }

  /** Throws the same. */
  end(): void {
    this.#takeIn(() => this.#reader.end());
    if (this.#columns === 0)
      throw new StockError('unfit', 'The table is empty: it has neither a header nor a record.');
  }

  #takeIn(read: () => TableRecord[]): void {
    for (const { line, cells } of recordsOf(read)) {
      if (this.#columns === 0) {
        this.#columns = cells.length;
        const header = this.#findColumn(cells);
        if (header) continue;
      }
      if (!cells.every(isBlank)) this.#record(line, cells);
    }
  }

  /** Whether the first record is the header. */
  #findColumn(cells: Cells): boolean {
    const { column } = this.#table;
    if (column !== undefined && PLACE.test(column)) {
      this.#place = Number(column) - 1;
      if (this.#place < cells.length) return false;
      throw new StockError('unfit', `There is no column ${column}: the table has ${cells.length}.`);
    }
    const names = cells.map(nameOf);
    this.#place = column === undefined ? -1 : names.indexOf(column.trim());
    const isNamedOnce = this.#place !== -1 && names.lastIndexOf(names[this.#place] ?? '') === this.#place;
    if (isNamedOnce) {
      this.#header = names[this.#place];
      return true;
    }
    const wrong =
      column === undefined
        ? 'Say which column has the items'
        : `The header has column ${quoted(column)} ${this.#place === -1 ? 'nowhere' : 'twice'}`;
    throw new StockError('unfit', `${wrong}. The columns are ${listed(names)}.`);
  }

  #record(line: number, cells: Cells): void {
    try {
      this.#take(this.#itemOf(line, cells), line);
    } catch (error) {
      if (this.#onBad === undefined || !StockError.is(error, 'bad-item')) throw error;
      this.#onBad(error);
    }
  }

  #itemOf(line: number, cells: Cells): Buffer {
    const cell = cells[this.#place];
    if (cell === undefined || cells.length !== this.#columns) {
      const what = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, and the first record ${this.#columns}`;
      throw badItem(line, what);
    }
    if (isBlank(cell)) throw badItem(line, 'has nothing in the column');
    if (nameOf(cell) === this.#header) throw badItem(line, 'has the header again');
    return itemBytes(cell, line);
  }
}

function recordsOf(read: () => TableRecord[]): TableRecord[] {
  try {
    return read();
  } catch (error) {
    throw error instanceof TableError ? badItem(error.line, error.what) : error;
  }
}

function isBlank(cell: Buffer): boolean {
  return nameOf(cell) === '';
}

function nameOf(cell: Buffer): string {
  return cell.toString().trim();
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMED_COLUMNS ? ` and ${names.length - NAMED_COLUMNS} more` : '';
  return names.slice(0, NAMED_COLUMNS).map(quoted).join(', ') + more;
}

function quoted(name: string): string {
  return JSON.stringify(name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}…` : name);
}
