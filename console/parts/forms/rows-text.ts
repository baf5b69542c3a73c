/** Rows of two texts, such as volume prices, as the one text of a field: so they are compared as other fields are. */

export type Row = readonly [first: string, second: string];

/** As they are typed. */
export function rowsOf(text: string): readonly Row[] {
  return text === '' ? [] : (JSON.parse(text) as readonly Row[]);
}

/** Empty without rows. */
export function textOfRows(rows: readonly Row[]): string {
  return rows.length === 0 ? '' : JSON.stringify(rows);
}

/** Rows that say something. */
export function filledRows(text: string): readonly Row[] {
  return rowsOf(text).filter(([first, second]) => first !== '' || second !== '');
}
