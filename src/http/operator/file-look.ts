/**
 * What the beginning of a file of items looks like, for who is about to sell its lines: in which encoding it is, and
 * whether it is a table, such as a spreadsheet writes. Told by a dry run; nothing is decided by it.
 */
import { isUtf8 } from 'node:buffer';

/** So much of it is looked at. */
export const LOOK_BYTES = 64 * 1024;
const LOOK_LINES = 20;
const DELIMITERS = [';', '\t', ',', '|'] as const;
const MAX_COLUMNS = 50;
const LINE_FEED = 0x0a;

export interface FileLook {
  /** By its first bytes; of a file that is no UTF-8, a guess. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** There when it looks like a table with a header. */
  readonly table?: { readonly delimiter: string; readonly columns: readonly string[] };
}

export function lookAt(beginning: Buffer): FileLook {
  const encoding = encodingOf(beginning);
  if (encoding === 'utf-16be') return { encoding };
  const lines = new TextDecoder(encoding)
    .decode(beginning)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, LOOK_LINES);
  const tables = DELIMITERS.map((delimiter) => tableOf(lines, delimiter));
  const table = tables.find((found) => found !== undefined);
  return { encoding, ...(table === undefined ? {} : { table }) };
}

function encodingOf(bytes: Buffer): FileLook['encoding'] {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // A character may be cut at the end of what is looked at.
  const end = bytes.length < LOOK_BYTES ? bytes.length : bytes.lastIndexOf(LINE_FEED);
  return isUtf8(bytes.subarray(0, Math.max(0, end))) ? 'utf-8' : 'windows-1252';
}

/** Lines of as many cells, of which the first has names: without digits, each once. */
function tableOf(lines: readonly string[], delimiter: string): FileLook['table'] {
  const [header, ...rows] = lines.map((line) => cellsOf(line, delimiter));
  if (header === undefined || rows.length === 0 || header.length < 2 || header.length > MAX_COLUMNS)
    return undefined;
  const areNames = header.every((cell) => cell !== '' && !/\d/.test(cell));
  const isSquare = rows.every((row) => row.length === header.length);
  const haveValues = rows.some((row) => row.some((cell) => /\d/.test(cell)));
  const isHeader = areNames && new Set(header).size === header.length;
  return isHeader && isSquare && haveValues ? { delimiter, columns: header } : undefined;
}

function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  return [...cells, cell.trim()];
}
