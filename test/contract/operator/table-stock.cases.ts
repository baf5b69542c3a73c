/** Uploads of tables: one column is the items, in whichever encoding a spreadsheet writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../operator-reply.ts';
import { casesOf } from '../scene.ts';
import { assertCounts, withdraw } from './stock-counts.ts';

export const tableStock = casesOf('operator API: stock of tables', (scene) => {
  test('a dry run says that a file is a table, and in which encoding', async () => {
    const productId = await scene.product();
    const path = `/products/${productId}/stock?dryRun=true`;
    const text = 'Name;Code;Valid until\r\n"Gutschein für Sie; neu";"WIN-0001-AA";31.12.2027\r\n';
    const table = { delimiter: ';', columns: ['Name', 'Code', 'Valid until'] };
    for (const [bytes, encoding, found, badLineCount] of [
      [Buffer.from(text), 'utf-8', table, 0],
      [Buffer.from(text, 'latin1'), 'windows-1252', table, 1],
      [Buffer.from('mail@one;pw1\nmail@two;pw2\n'), 'utf-8', undefined, 0],
    ] as const) {
      const type = { 'content-type': 'text/plain' };
      const reply = await scene.operator.request('POST', path, type, new Uint8Array(bytes));
      const said = JSON.parse(reply.text);
      assert.deepEqual([said.encoding, said.table, said.badLineCount], [encoding, found, badLineCount]);
    }
  });

  const addTable = (productId: number, query: string, table: string | Buffer) =>
    scene.operator.request(
      'POST',
      `/products/${productId}/stock?${query}`,
      { 'content-type': 'text/csv' },
      new Uint8Array(Buffer.from(table)),
    );

  test('of a table the cells of one column are the items', async () => {
    const euros = 'Name;Code;Valid until\r\n"Gift card 25 €";"UT-0001-AA";31.12.2027\r\n';
    const umlauts = 'Name;Code\r\n"Für Sie; neu";"WI-0001-\u00c4"\r\n;\r\n';
    const tabs = 'Code\tName\nTA-1\tone\n\nTA-2\t"two\n2"\nTA-1\tagain\n';
    for (const [query, table, items, duplicates] of [
      ['column=Code', euros, ['UT-0001-AA'], 0],
      ['column=Code&charset=windows-1252', Buffer.from(umlauts, 'latin1'), ['WI-0001-Ä'], 0],
      ['column=Code', Buffer.from(`\ufeff${tabs}`, 'utf16le'), ['TA-1', 'TA-2'], 1],
      ['column=2', '1,NO-1\n2,"NO-2\nPIN 7"', ['NO-1', 'NO-2\nPIN 7'], 0],
      ['column=1', '1;X\n2;Y', ['1', '2'], 0],
      ['column=Code', 'Code,X\rMAC-1,1\rMAC-2,2\r', ['MAC-1', 'MAC-2'], 0],
    ] as const) {
      const productId = await scene.product();
      assertCounts(await addTable(productId, query, table), items.length, duplicates, items.length);
      assert.deepEqual(await withdraw(scene, productId, 100), items, query);
    }
  });

  test('a dry run of a table names lines of the file, and its bad lines can be left out', async () => {
    const productId = await scene.product();
    const lines = ['Code,Name', '"TB-1",a', '"TB-2","x', 'y"', 'TB-3,b,c', ',b', 'TB-2,d', 'Code,Name'];
    const table = `${lines.join('\r\n')}\r\n`;
    const said = JSON.parse((await addTable(productId, 'column=Code&dryRun=true', table)).text);
    const { wouldAdd, sample, duplicateLines, badLines, badLineReasons } = said;
    assert.deepEqual([wouldAdd, sample], [2, ['TB-1', 'TB-2']]);
    assert.deepEqual([duplicateLines, badLines], [[7], [5, 6, 8]]);
    assert.deepEqual(
      badLineReasons.map(({ reason }: { readonly reason: string }) => reason),
      ['has 3 cells, and the first record 2', 'has nothing in the column', 'has the header again'],
    );
    const refused = await addTable(productId, 'column=Code', table);
    assertRefused(refused, 400, 'BAD_REQUEST');
    assert.match(String(refused.body.message), /^line 5 has 3 cells/);
    assertCounts(await addTable(productId, 'column=Code&leaveOutBadLines=true', table), 2, 1, 2);
  });

  test('a table without its column, or that can’t be read to its end, is refused', async () => {
    const productId = await scene.product();
    for (const [query, table, message] of [
      ['', 'Name;Code\na;b', /Say which column has the items\. The columns are "Name", "Code"\./],
      ['column=Codes', 'Name;Code\na;b', /has column "Codes" nowhere\. The columns are "Name", "Code"\./],
      ['column=Code', 'Code;Code\na;b', /has column "Code" twice/],
      ['column=3', 'a;b', /There is no column 3: the table has 2\./],
      ['column=Code', '', /The table is empty/],
      ['column=Code&leaveOutBadLines=true', 'Name,Code\na,b\n"c,d\ne,f', /^line 3 begins a record/],
      ['column=Code&charset=utf-8', 'Code', /charset must be windows-1252/],
    ] as const) {
      const reply = await addTable(productId, query, table);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(String(reply.body.message), message);
    }
    const path = `/products/${productId}/stock?column=Code`;
    for (const [type, body] of [
      ['text/plain', 'a'],
      ['application/json', '{"items":["a"]}'],
    ] as const)
      assertRefused(
        await scene.operator.request('POST', path, { 'content-type': type }, body),
        400,
        'BAD_REQUEST',
      );
    assert.equal(await scene.available(productId), 0);
  });
});
