/** Lines of a receipts file, however it arrives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RECEIPT_BYTES } from '../../src/receipts/receipt-claims.ts';
import { type ReceiptLine, receiptLines } from '../../src/receipts/receipts-file.ts';

async function linesOf(chunks: readonly string[]): Promise<ReceiptLine[]> {
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: ReceiptLine[] = [];
  for await (const line of receiptLines(bytes())) lines.push(line);
  return lines;
}

const TWO = [
  { line: 1, receipt: 'a.b.c' },
  { line: 3, receipt: 'd.e.f' },
];
const cases: readonly (readonly [name: string, chunks: readonly string[], lines: readonly ReceiptLine[]])[] =
  [
    ['nothing', [], []],
    ['no receipts', ['\n', ' \r\n\n'], []],
    ['an empty line, counted', ['a.b.c\n\nd.e.f\n'], TWO],
    ['no line feed at the end', ['a.b.c\n\nd.e.f'], TWO],
    ['lines of Windows', ['a.b.c\r\n\r\nd.e.f\r\n'], TWO],
    ['bytes one by one', [...'a.b.c\n\nd.e.f\n'], TWO],
    ['blanks around', [' a.b.c \n\n\td.e.f\n'], TWO],
  ];
for (const [name, chunks, lines] of cases) {
  test(`receipts file: ${name}`, async () => assert.deepEqual(await linesOf(chunks), lines));
}

test('receipts file: a line of the greatest length is taken, and of a longer one nothing is kept', async () => {
  const longest = 'x'.repeat(MAX_RECEIPT_BYTES);
  const lines = await linesOf([`${longest}\n`, longest, longest, longest, '\na.b.c\n', longest, 'x']);
  assert.deepEqual(
    lines.map(({ line, receipt }) => [line, receipt?.length]),
    [
      [1, MAX_RECEIPT_BYTES],
      [2, undefined],
      [3, 5],
      [4, undefined],
    ],
  );
});
