/**
 * The files that whoever reads tables must read, or refuse with a reason: one row for each, for products, prices and stock,
 * by API and command alike.
 */

type Rows = readonly (readonly string[])[];

export interface TableFile {
  readonly name: string;
  readonly saysCharset?: boolean;
  /** What becomes of it; without it the table is taken. */
  readonly fault?: 'not UTF-8' | 'column missing' | 'column unknown' | 'key twice' | 'empty';
  /** The bytes of the table whose first row is the header; its first column is the key. */
  readonly bytes: (rows: Rows) => Buffer;
}

/** Every cell in quotes, so that delimiters, quotes and line breaks may be in each. */
function text(rows: Rows, delimiter = ',', end = '\n'): string {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  return rows.map((cells) => cells.map(quoted).join(delimiter) + end).join('');
}

/** Texts of a spreadsheet that have a character of two, of three and of one byte beyond ASCII. */
export const HARD_TEXT = 'Für 25 €, "neu"; ab';

function windows1252(written: string): Buffer {
  return Buffer.from(written.replaceAll('€', '\u0080'), 'latin1');
}

export const TABLE_FILES: readonly TableFile[] = [
  { name: 'UTF-8', bytes: (rows) => Buffer.from(text(rows)) },
  { name: 'UTF-8 with a mark', bytes: (rows) => Buffer.from(`\ufeff${text(rows)}`) },
  { name: 'UTF-16LE with a mark', bytes: (rows) => Buffer.from(`\ufeff${text(rows)}`, 'utf16le') },
  { name: 'Windows-1252, said', saysCharset: true, bytes: (rows) => windows1252(text(rows)) },
  { name: 'Windows-1252, unsaid', fault: 'not UTF-8', bytes: (rows) => windows1252(text(rows)) },
  { name: 'semicolons', bytes: (rows) => Buffer.from(text(rows, ';')) },
  { name: 'tabs', bytes: (rows) => Buffer.from(text(rows, '\t')) },
  { name: 'CRLF', bytes: (rows) => Buffer.from(text(rows, ',', '\r\n')) },
  {
    name: 'a column missing',
    fault: 'column missing',
    bytes: (rows) => Buffer.from(text(rows.map((cells) => cells.slice(1)))),
  },
  {
    name: 'a column unknown',
    fault: 'column unknown',
    bytes: (rows) => Buffer.from(text(rows.map((cells, at) => [...cells, at === 0 ? 'colour' : 'red']))),
  },
  {
    name: 'a key twice',
    fault: 'key twice',
    bytes: (rows) => Buffer.from(text([...rows, ...rows.slice(1)])),
  },
  { name: 'an empty file', fault: 'empty', bytes: () => Buffer.alloc(0) },
];
