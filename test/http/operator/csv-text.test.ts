/** Texts in CSV: what a program reads is what was written but for the guard, and what a spreadsheet makes of it is the text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvHead, csvLine, textCell } from '../../../src/http/operator/csv-text.ts';

const LONG = `${'0'.repeat(254)}"${'x'.repeat(300)}`;
/** In a spreadsheet each is what it is; the other is what programs read, where that differs. */
const TEXTS: readonly (readonly [text: string, guarded?: string])[] = [
  ['00123'],
  ['1E5'],
  ['1234567890123456789012345'],
  ['=1+1', "'=1+1"],
  ['充值'],
  ['plain'],
  ['says "no", twice\nand again'],
  [' \ufeff+1', "' \ufeff+1"],
  ['＝1', "'＝1"],
  ['\tx', "'\tx"],
  ['x;=1+1', "x;'=1+1"],
  ['x\t @SUM(A1);-2;y', "x\t' @SUM(A1);'-2;y"],
  ['a\r\n=1', "a\r'\n'=1"],
  [LONG],
];
/** So begins what some spreadsheet runs. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;

/** The second of two cells, as RFC 4180 has it. */
function read(line: string): string {
  const [, cell = ''] = /^1,("(?:[^"]|"")*"|[^",\r\n]*)\r\n$/.exec(line) ?? assert.fail(line);
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/** The result of a formula of quoted texts and `&`. */
function shownIn(cell: string): string {
  const parts = cell.matchAll(/[=&]"((?:[^"]|"")*)"/g);
  const all = Array.from(parts, ([whole, text = '']) => ({ whole, text: text.replaceAll('""', '"') }));
  assert.equal(all.map(({ whole }) => whole).join(''), cell, 'nothing stands between them');
  assert.ok(all.every(({ text }) => text.length <= 255));
  return all.map(({ text }) => text).join('');
}

test('texts are read as they were by programs, but for a guard, and by spreadsheets without one', () => {
  for (const [text, guarded = text] of TEXTS) {
    assert.equal(read(csvLine([1, textCell(text, 'plain')])), guarded);
    assert.equal(shownIn(read(csvLine([1, textCell(text, 'excel')]))), text);
  }
  assert.deepEqual([textCell('', 'plain'), textCell('', 'excel')], ['', '']);
  assert.equal(textCell('00123', 'excel'), '"=""00123"""');
});

test('whoever splits the file at semicolons or tabs, blind to quotes inside a cell, finds no formula', () => {
  for (const form of ['plain', 'excel'] as const) {
    for (const [text] of TEXTS) {
      const file = csvHead(['seq', 'text'], form) + csvLine([1, textCell(text, form)]);
      const [, ...behind] = file.split(/[;\t\r\n]+/);
      for (const cell of behind) assert.doesNotMatch(cell, FORMULA, `${form}: ${JSON.stringify(text)}`);
    }
  }
});
