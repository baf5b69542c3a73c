/** Lines of an upload, however they are cut on their way, and texts of a list: which are items, and which are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemBytes, LineSplitter } from '../../../src/persistence/stock/intake/stock-lines.ts';
import { StockError } from '../../../src/persistence/stock/stock-errors.ts';

const longest = 'x'.repeat(16 * 1024);
const umlaut = Buffer.from('ü');
const halfCharacter = umlaut.subarray(0, 1);
const bytes = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** Every way of cutting must give the same, so each input is sent in pieces of each of these sizes. */
const CUTS = [1, 2, 3, 5, 7, 1_000_000];

function linesOf(input: Buffer, cut: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((text) => lines.push(text.toString()));
  for (let start = 0; start < input.length; start += cut) splitter.push(input.subarray(start, start + cut));
  splitter.end();
  return lines;
}

const ACCEPTED: [what: string, input: Buffer, items: string[]][] = [
  ['nothing', bytes(''), []],
  ['no line feed at the end', bytes('a\nb'), ['a', 'b']],
  ['empty lines', bytes('\n\na\n\n\nb\n\n'), ['a', 'b']],
  ['carriage returns', bytes('a\r\n\r\nb\r\nc\r'), ['a', 'b', 'c']],
  ['blanks around a text belong to the item', bytes(' a \n\tb\n'), [' a ', '\tb']],
  ['blank lines', bytes(' \n\t\n \t \r\na\n\u00a0\u3000\n\ufeff\n  '), ['a']],
  ['characters of two, three and four bytes', bytes('ü€😀\n😀'), ['ü€😀', '😀']],
  ['byte order marks at the start of lines', bytes('\ufeffa\n\ufeff\ufeffb\r\n\ufeff\r\nc'), ['a', 'b', 'c']],
];

test('an upload is cut into lines that are its items, the longest one too', () => {
  for (const [what, input, items] of ACCEPTED)
    for (const cut of CUTS) assert.deepEqual(linesOf(input, cut), items, `${what} in pieces of ${cut}`);
  for (const ending of ['\n', '\r\n', ''])
    for (const cut of [4096, 16_384, 1_000_000])
      assert.deepEqual(linesOf(bytes('\ufeff', longest, ending), cut), [longest]);
});

const REFUSED: [what: string, input: Buffer, lineNumber: number, message: RegExp][] = [
  ['a byte that is no UTF-8', bytes('a\nb', Buffer.from([0xff]), '\n'), 2, /^line 2 is not valid UTF-8$/],
  ['half a character before a line feed', bytes(halfCharacter, '\na\n'), 1, /^line 1 is not valid UTF-8$/],
  ['a null character', bytes('a\n\nb\0\n'), 3, /^line 3 has a control character \(U\+0000\); send plain/],
  ['text in UTF-16', Buffer.from('code-1\n', 'utf16le'), 1, /^line 1 has a control character \(U\+0000\)/],
  ['old Macintosh line ends', bytes('a\rb\rc\r'), 1, /^line 1 has a control character \(U\+000D\)/],
  ['a delete character', bytes('a\u007f'), 1, /^line 1 has a control character \(U\+007F\)/],
  ['the last of them', bytes('aä\u009f'), 1, /\(U\+009F\)/],
  ['nothing to be seen', bytes('a\n \u200b\u2060'), 2, /^line 2 has no visible character$/],
  ['a line too long', bytes('a\n', longest, 'x\n'), 2, /^line 2 is longer than 16384 bytes$/],
];

test('a line that is no item is refused, with its number and the reason', () => {
  for (const [what, input, lineNumber, message] of REFUSED)
    for (const cut of input.length > 1000 ? [4096, 1_000_000] : CUTS)
      assert.throws(
        () => linesOf(input, cut),
        (error) =>
          StockError.is(error, 'bad-item') && error.lineNumber === lineNumber && message.test(error.message),
        `${what} in pieces of ${cut}`,
      );
});

test('a line that never ends is refused before it is gathered', () => {
  const splitter = new LineSplitter(() => assert.fail('it is no item'));
  const piece = Buffer.alloc(1024, 'x');
  assert.throws(
    () => {
      for (let count = 0; count < 18; count += 1) splitter.push(piece);
    },
    { name: 'StockError', reason: 'bad-item' },
  );
});

test('an item of a list may hold line feeds, and must be neither blank nor half a character', () => {
  assert.deepEqual(itemBytes('user: a\npassword: b\n', 1), Buffer.from('user: a\npassword: b\n'));
  assert.deepEqual(itemBytes('😀', 1), Buffer.from('😀'));
  assert.deepEqual(itemBytes('a\r\n\tb', 1), Buffer.from('a\r\n\tb'));
  const blank = ['', ' ', '\n\t', '\u00a0', '\ufeff', '\u200b \u00ad', '\u2800'];
  for (const bad of [...blank, 'a\0', 'a\u0085', '\ud83d', `${longest}x`, 'ü'.repeat(8193)]) {
    assert.throws(
      () => itemBytes(bad, 7),
      (error) => StockError.is(error, 'bad-item') && error.lineNumber === 7,
    );
  }
});
