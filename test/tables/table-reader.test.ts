/** Tables as spreadsheets write them, however their bytes are cut on the way: records, and the lines where they begin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RECORD_BYTES, TableError, TableReader } from '../../src/tables/table-reader.ts';
import type { Charset } from '../../src/tables/text-encoding.ts';

/** Every way of cutting must give the same, so each table is sent in pieces of each of these sizes. */
const CUTS = [1, 2, 3, 5, 7, 1_000_000];

type Row = readonly [line: number, ...cells: string[]];

function read(table: Buffer, cut: number, charset?: Charset): Row[] {
  const reader = new TableReader(charset);
  const rows: Row[] = [];
  const take = (records: ReturnType<TableReader['end']>) => {
    for (const { line, cells } of records) rows.push([line, ...cells.map((cell) => cell.toString())]);
  };
  for (let start = 0; start < table.length; start += cut)
    take(reader.push(table.subarray(start, start + cut)));
  take(reader.end());
  return rows;
}

const utf8 = (text: string) => Buffer.from(text);
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const latin = (...bytes: (string | number)[]) =>
  Buffer.concat(
    bytes.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))),
  );

/** Longer than what is looked at for its delimiter. */
const long = Array.from({ length: 9_000 }, (_, row) => `${row},"code ${row}"`).join('\r\n');

const TABLES: readonly [what: string, table: Buffer, rows: readonly Row[], charset?: Charset][] = [
  ['nothing', utf8(''), []],
  [
    'one column',
    utf8('Code\nA\nB'),
    [
      [1, 'Code'],
      [2, 'A'],
      [3, 'B'],
    ],
  ],
  [
    'lines of old Macs',
    utf8('Code,X\r"A\rB",1\rC,2\r'),
    [
      [1, 'Code', 'X'],
      [2, 'A\rB', '1'],
      [4, 'C', '2'],
    ],
  ],
  [
    'semicolons',
    utf8('a;b\r\n1,5;2,5\r\n'),
    [
      [1, 'a', 'b'],
      [2, '1,5', '2,5'],
    ],
  ],
  [
    'tabs',
    utf8('a\tb\n"1\t2"\t3;4,5'),
    [
      [1, 'a', 'b'],
      [2, '1\t2', '3;4,5'],
    ],
  ],
  [
    'a mark',
    utf8('\ufeff"a",b\n1,2'),
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'quotes, and breaks in them',
    utf8('a,b\r\n"x\r\ny\nz","q""r"\n\n""\nc,d'),
    [
      [1, 'a', 'b'],
      [2, 'x\r\ny\nz', 'q"r'],
      [7, 'c', 'd'],
    ],
  ],
  [
    'quotes that are none',
    utf8('a,b\n5" x,"4"5'),
    [
      [1, 'a', 'b'],
      [2, '5" x', '"4"5'],
    ],
  ],
  [
    'UTF-16',
    utf16('ä;b\r\n😀;2\r\n'),
    [
      [1, 'ä', 'b'],
      [2, '😀', '2'],
    ],
  ],
  [
    'UTF-16 of the other order',
    utf16('ä;b\n1;2').swap16(),
    [
      [1, 'ä', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'Windows-1252',
    latin('p;n\n', 0x80, ' 5;f\u00fcr ', 0x9f),
    [
      [1, 'p', 'n'],
      [2, '€ 5', 'für Ÿ'],
    ],
    'windows-1252',
  ],
  [
    'a mark beside what was said',
    utf8('\ufeffä,b\n1,2'),
    [
      [1, 'ä', 'b'],
      [2, '1', '2'],
    ],
    'windows-1252',
  ],
];

test('records have their cells and the line of the file where they begin', () => {
  for (const [what, table, rows, charset] of TABLES)
    for (const cut of CUTS) assert.deepEqual(read(table, cut, charset), rows, `${what} in pieces of ${cut}`);
  for (const cut of [4_099, 65_536, 1_000_000])
    assert.deepEqual(read(utf8(long), cut).at(-1), [9_000, '8999', 'code 8999']);
});

test('what can’t be read on names the line where the record begins', () => {
  const refused = (line: number, what: RegExp) => (error: unknown) =>
    error instanceof TableError && error.line === line && what.test(error.message);
  for (const cut of CUTS) {
    assert.throws(() => read(utf8('a,b\n\n"c,d\ne,f\n'), cut), refused(3, /a quote not closed\?$/));
    assert.throws(() => read(utf16('a').subarray(0, 3), cut), refused(1, /not valid UTF-16$/));
    assert.throws(() => read(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), cut), refused(1, /UTF-16$/));
  }
});

test('memory is bounded: a record may be long, and not endless', () => {
  const cell = 'x'.repeat(MAX_RECORD_BYTES - 10);
  assert.equal(read(utf8(`a,b\n1,"${cell}"\n`), 65_536)[1]?.[2], cell);
  const reader = new TableReader();
  const endless = utf8(`"${'x;\n'.repeat(20_000)}`);
  let taken = 0;
  assert.throws(() => {
    for (; taken < 4 * MAX_RECORD_BYTES; taken += endless.length)
      reader.push(taken === 0 ? endless : endless.subarray(1));
  }, TableError);
  const cells = utf8(';'.repeat(65_536));
  const wide = new TableReader();
  assert.throws(() => {
    for (let sent = 0; sent < 4 * MAX_RECORD_BYTES; sent += cells.length) wide.push(cells);
  }, TableError);
});
