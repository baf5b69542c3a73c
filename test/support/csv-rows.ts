/** Rows of a CSV file whose cells may be quoted. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  for (const line of text.matchAll(/((?:"(?:[^"]|"")*"|[^"\r\n])*)\r\n/g)) {
    const cells = `${line[1]},`.matchAll(/("(?:[^"]|"")*"|[^",]*),/g);
    rows.push(
      Array.from(cells, ([, cell = '']) =>
        cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      ),
    );
  }
  return rows;
}
