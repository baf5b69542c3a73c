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

test('each line is a receipt; blanks, empty lines and the ends of lines of Windows are none', async () => {
  for (const chunks of [['a.b.c\n\nd.e.f'], [...'a.b.c\r\n\r\nd.e.f\r\n'], [' a.b.c \n\n\td.e.f\n\n']])
    assert.deepEqual(await linesOf(chunks), TWO, chunks.join(''));
  assert.deepEqual(await linesOf(['\n', ' \r\n\n']), []);
});

test('a line of the greatest length is taken, and of a longer one nothing is kept', async () => {
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
