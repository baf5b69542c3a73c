/** The answer to an upload of items for a person to read: lines as ranges, with what is to be said of them. */
import { fieldLines, type JsonObject, rowsOf } from '../terminal/answer-text.ts';
import { visible } from '../terminal/terminal.ts';

/** The most ranges that are listed; more of them are counted. */
const LISTED_RANGES = 20;

/** `isOfTable`: a column of the file was chosen. */
export function uploadLines(body: JsonObject, isOfTable: boolean): string[] {
  const {
    duplicateLines: _duplicateLines,
    badLines: _badLines,
    duplicatesOf,
    badLineReasons,
    lookAlikes,
    sample,
    table,
    ...counts
  } = body;
  return [
    ...fieldLines(counts),
    ...under('duplicates', rowsOf({ duplicatesOf }, 'duplicatesOf').map(duplicateLine)),
    ...under('bad lines', rowsOf({ badLineReasons }, 'badLineReasons').map(badLine)),
    ...under('look like another text', rowsOf({ lookAlikes }, 'lookAlikes').map(lookAlikeLine)),
    ...under(
      'the first items, as buyers will see them',
      Array.isArray(sample) ? sample.map((text) => visible(String(text))) : [],
    ),
    ...(isOfTable ? [] : tableLines(table, body.encoding)),
  ];
}

function under(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${heading}:`, ...lines.map((line) => `  ${line}`)];
}

function duplicateLine({ productId, count, lines }: JsonObject): string {
  return `${count} of product ${productId}: ${rangesText(lines)}`;
}

function badLine({ reason, count, lines }: JsonObject): string {
  return `${count} ${count === 1 ? 'line' : 'lines'}, each ${visible(String(reason))}: ${rangesText(lines)}`;
}

function lookAlikeLine(row: JsonObject): string {
  const { line, likeLine, productId, item, orderId, differsIn, added } = row;
  const place = orderId === undefined ? `item ${item}` : `order ${orderId}`;
  const like = likeLine === undefined ? `${place} of product ${productId}` : `line ${likeLine}`;
  const differs = Array.isArray(differsIn) && differsIn.length > 0 ? ` but for ${differsIn.join(', ')}` : '';
  return `line ${line} looks like ${like}${differs}${added === true ? '' : ': left out as a duplicate'}`;
}

function rangesText(lines: unknown): string {
  const ranges = rowsOf({ lines }, 'lines').map(({ first, last }) =>
    first === last ? `${first}` : `${first}-${last}`,
  );
  const more = ranges.length > LISTED_RANGES ? ', …' : '';
  return `${ranges.length === 1 && !ranges[0]?.includes('-') ? 'line' : 'lines'} ${ranges.slice(0, LISTED_RANGES).join(', ')}${more}`;
}

function tableLines(table: unknown, encoding: unknown): string[] {
  const { columns } = (table ?? {}) as { readonly columns?: unknown };
  if (!Array.isArray(columns)) return [];
  const names = columns.map((column) => visible(String(column))).join(', ');
  const charset = encoding === 'windows-1252' ? ' --charset windows-1252' : '';
  return [
    '',
    `It looks like a table with the columns ${names}: say which has the items, by --column NAME${charset}.`,
  ];
}
