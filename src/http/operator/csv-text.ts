/**
 * Lines of CSV (RFC 4180), in the two forms in which files are asked for: `plain` for programs, and `excel` for
 * spreadsheets, with a byte order mark before the first line and texts that stay as they are: `00123` has its zeros.
 *
 * Invariant: no text is run as a formula. Texts come from people whom the reader of the file need not trust. A
 * spreadsheet may split lines at semicolons or tabs, and then takes no notice of quotes: so a formula behind one of
 * these counts as well. In `plain` it gets an apostrophe in front; in `excel` every text is a formula that gives the
 * text.
 */

export type CsvForm = 'plain' | 'excel';

const MARK = '\ufeff';
const LINE_END = '\r\n';
/** A text in a formula has at most 255 units of UTF-16, of which a character has up to two. A longer one is put together. */
const PART = /[\s\S]{1,127}/gu;
/** So a cell begins that is a formula in some spreadsheet: they skip spaces, of which a byte order mark is one. */
const FORMULA = /^(?=[\t\r\n])|(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠])/g;
/** Behind these a cell may begin. */
const BEHIND_SEPARATOR = /(?<=[;\t\r\n])/;

/** The first line, which names the columns: plain words. */
export function csvHead(columns: readonly string[], form: CsvForm): string {
  return (form === 'excel' ? MARK : '') + columns.join(',') + LINE_END;
}

/** Cells that are numbers, or texts made of `textCell`. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.join(',') + LINE_END;
}

/** A cell for text that people wrote; text of the program needs none of it. */
export function textCell(text: string, form: CsvForm): string {
  if (text === '') return '';
  const cell = form === 'excel' ? `=${partsOf(text).map(quoted).join('&')}` : formulaGuarded(text);
  return /[",\r\n]/.test(cell) ? quoted(cell) : cell;
}

/** The text, so that no spreadsheet runs it. */
export function formulaGuarded(text: string): string {
  return text.replace(FORMULA, "$1'");
}

/** The text without the apostrophe in front that keeps a spreadsheet from running it. */
export function unguarded(text: string): string {
  return text.startsWith("'") && formulaGuarded(text.slice(1)) === text ? text.slice(1) : text;
}

/**
 * The pieces of a text that a formula can have. A piece ends with each separator: behind it the file has a quote then.
 */
function partsOf(text: string): string[] {
  return text.split(BEHIND_SEPARATOR).flatMap((part) => part.match(PART) ?? []);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
