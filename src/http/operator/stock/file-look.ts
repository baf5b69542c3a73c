/**
 * The likely encoding and form of a file of items, from its beginning: in which encoding it is, and whether it is a
 * table, such as a spreadsheet writes. A dry run tells it to whoever is about to sell the lines; nothing is decided by
 * it.
 */
import { tableBeginning } from '../../../tables/table-delimiter.ts';
import { likelyEncodingOf, type TextEncoding, Utf8Maker } from '../../../tables/text-encoding.ts';

/** The most bytes of a file that are looked at. */
export const LOOK_BYTES = 64 * 1024;
const MAX_COLUMNS = 50;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface FileLook {
  /** The encoding by the file's first bytes; of a file that is no UTF-8, a guess. */
  readonly encoding: TextEncoding;
  /** There when it looks like a table with a header. */
  readonly table?: { readonly delimiter: string; readonly columns: readonly string[] };
}

export function lookAt(beginning: Buffer): FileLook {
  const isAll = beginning.length < LOOK_BYTES;
  // A character may be cut at the end of what is looked at.
  const end = Math.max(beginning.lastIndexOf(LINE_FEED), beginning.lastIndexOf(CARRIAGE_RETURN));
  const whole = isAll ? beginning : beginning.subarray(0, end + 1);
  const encoding = likelyEncodingOf(whole);
  const table = tableIn(whole, encoding, isAll);
  return { encoding, ...(table === undefined ? {} : { table }) };
}

/** Records of as many cells, of which the first has names: without digits, each once. */
function tableIn(bytes: Buffer, encoding: TextEncoding, isAll: boolean): FileLook['table'] {
  const text = textIn(bytes, encoding);
  if (text === undefined) return undefined;
  const { delimiter, records, isSquare } = tableBeginning(text, isAll);
  const [columns = [], ...rows] = records.map((cells) => cells.map((cell) => cell.toString().trim()));
  if (!isSquare || rows.length === 0 || columns.length > MAX_COLUMNS) return undefined;
  const areNames = columns.every((name) => name !== '' && !/\d/.test(name));
  const haveValues = rows.some((row) => row.some((cell) => /\d/.test(cell)));
  const isHeader = areNames && new Set(columns).size === columns.length;
  return isHeader && haveValues ? { delimiter, columns } : undefined;
}

function textIn(bytes: Buffer, encoding: TextEncoding): Buffer | undefined {
  try {
    return new Utf8Maker(encoding).push(bytes);
  } catch {
    return undefined;
  }
}
