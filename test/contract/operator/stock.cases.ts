/** DESIGN.md §7: stock goes in as text or JSON, duplicates are counted and left out, withdrawals are FIFO. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorReply, StockSource } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { type Buyer, casesOf, known } from '../scene.ts';
import { assertCounts, withdraw } from './stock-counts.ts';

/** `test/persistence/stock/stock-lines.test.ts` has all that lines can be. */
const uploads: readonly (readonly [why: string, source: StockSource, items: string[], duplicates: number])[] =
  [
    ['blank lines', ' \nbl-a\n \t\n\t\r\nbl-b\n  ', ['bl-a', 'bl-b'], 0],
    ['text outside ASCII', 'ключ-1\n鍵-2\nclé-3 🎁\n', ['ключ-1', '鍵-2', 'clé-3 🎁'], 0],
    ['a line said twice', 'tw-a\ntw-b\ntw-a\n', ['tw-a', 'tw-b'], 1],
    ['lines that differ in case', 'ca-a\nca-A\n', ['ca-a', 'ca-A'], 0],
    ['a JSON list with an item twice', ['ji-x', 'ji-y', 'ji-x', 'ji-x'], ['ji-x', 'ji-y'], 2],
    ['a mark where files were joined', 'jo-a\n\ufeffjo-b\r\n', ['jo-a', 'jo-b'], 0],
    ['a mark before items of a list', ['\ufeffli-a', 'li-a'], ['li-a'], 1],
    ['lines that look the same', 'sa-é \nsa-e\u0301\u200b\n\u00a0sa-é', ['sa-é '], 2],
  ];

export const stock = casesOf('operator API: stock', (scene) => {
  async function buyOne(buyer: Buyer, productId: number): Promise<string> {
    const reply = await scene.buy(buyer, productId);
    assert.equal(reply.status, 201, reply.text);
    return known(reply.body.delivery?.items?.[0]);
  }

  test('what an upload of text or JSON puts in', async () => {
    for (const [why, source, items, duplicates] of uploads) {
      const productId = await scene.product();
      const { body } = await scene.operator.addStock(productId, source);
      assert.deepEqual(
        [body.added, body.duplicates, body.availableStock],
        [items.length, duplicates, items.length],
        why,
      );
      assert.deepEqual(await withdraw(scene, productId, 100), items, why);
    }
  });

  test('an upload larger than any single body is taken', async () => {
    const productId = await scene.product();
    const lines = Array.from({ length: 3_000 }, (_, index) => `large-${index}-${'x'.repeat(40)}`);
    assertCounts(await scene.operator.addStock(productId, lines.join('\n')), 3_000, 0, 3_000);
    assertCounts(await scene.operator.addStock(productId, `${lines.join('\r\n')}\r\n`), 0, 3_000, 3_000);
  });

  test('what was withdrawn can be read again, the last first; what was recalled cannot', async () => {
    const productId = await scene.product();
    const json = async (method: string, path: string) => {
      const reply = await scene.operator.json(method, path);
      assertDone(reply, 200);
      return JSON.parse(reply.text);
    };
    const path = `/products/${productId}/stock/withdrawn`;
    assert.deepEqual((await json('GET', path)).items, []);
    const again = { allowDuplicates: true };
    await scene.operator.addStock(productId, ['a', 'b', 'c'], again);
    const { lotId } = JSON.parse((await scene.operator.addStock(productId, ['d', 'e', 'f'], again)).text);
    await withdraw(scene, productId, 1);
    await withdraw(scene, productId, 3);
    const all = [3, 2, 1, 0].map((item) => ({ item, text: 'abcd'[item] }));
    const { items, nextCursor } = await json('GET', path);
    assert.deepEqual([items, nextCursor], [all, undefined]);
    const page = await json('GET', `${path}?limit=3`);
    assert.deepEqual([page.items, page.nextCursor], [all.slice(0, 3), '1']);
    assert.deepEqual((await json('GET', `${path}?cursor=1`)).items, all.slice(3));
    const { entries } = await json('GET', '/audit?limit=1');
    assert.deepEqual([entries[0].action, entries[0].productId], ['WithdrawnTextsShown', productId]);
    await json('POST', `/lots/${lotId}/recall`);
    assert.deepEqual((await json('GET', path)).items, all.slice(1));
    assertRefused(await scene.operator.json('GET', '/products/999999/stock/withdrawn'), 404, 'NOT_FOUND');
    assertRefused(await scene.operator.json('GET', `${path}?limit=10001`), 400, 'BAD_REQUEST');
  });

  test('what was uploaded or sold before is a duplicate, in any product; what was withdrawn may come back', async () => {
    const buyer = await scene.buyer();
    const [productId, other] = [await scene.product(), await scene.product()];
    const alike = await scene.product({ allowDuplicates: true });
    assertCounts(await scene.operator.addStock(productId, 'up-a\nup-b\n'), 2, 0, 2);
    assert.equal(await buyOne(buyer, productId), 'up-a');
    assertCounts(await scene.operator.addStock(productId, 'up-b\nup-c\nup-a\nup-d\n'), 2, 2, 3);
    assertCounts(await scene.operator.addStock(productId, ['up-d', 'up-e']), 1, 1, 4);
    assert.deepEqual(await withdraw(scene, productId, 2), ['up-b', 'up-c']);
    assertCounts(await scene.operator.addStock(productId, 'up-b\nup-d\nup-a\n'), 1, 2, 3);
    assert.equal(await buyOne(buyer, productId), 'up-d', 'what is withdrawn is never sold');
    assert.deepEqual(await withdraw(scene, productId, 10), ['up-e', 'up-b']);
    const told = (reply: OperatorReply) => JSON.parse(reply.text).duplicatesOf;
    const lines = ['up-new', 'up-a', ' up-a', 'up-b'];
    const dryRun = `/products/${other}/stock?dryRun=true`;
    const dry = await scene.operator.json('POST', dryRun, { items: lines });
    assert.deepEqual(told(dry), [{ productId, count: 2, lines: [{ first: 2, last: 3 }] }]);
    const had = { productId, count: 2, lines: [{ first: 2, last: 3 }] };
    const added = { productId: other, count: 2, lines: [1, 4].map((line) => ({ first: line, last: line })) };
    for (const [id, duplicates, of] of [
      [other, 2, [had]],
      [alike, 4, [added, had]],
    ] as const) {
      const reply = await scene.operator.addStock(id, lines);
      assert.deepEqual([reply.body.duplicates, told(reply)], [duplicates, of]);
    }
    assertCounts(await scene.operator.addStock(alike, ['up-alike', 'up-alike']), 2, 0, 2);
    assertCounts(await scene.operator.addStock(other, ['up-alike']), 0, 1, 2);
    assertCounts(await scene.operator.addStock(other, ['up-a'], { allowDuplicates: true }), 1, 0, 3);
  });

  test('a line that nobody can see is a bad one; a mark before it goes', async () => {
    const productId = await scene.product();
    for (const items of [['\u200b'], ['\ufeff\u200b'], ['\u2060 \u00ad']]) {
      for (const source of [items, items.join('\n')]) {
        const reply = await scene.operator.addStock(productId, source);
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.match(String(reply.body.message), /^line 1 has no visible character/);
      }
    }
  });

  test('a dry run says what looks like what, and why lines are bad; a search finds by the likeness', async () => {
    const productId = await scene.product();
    await scene.operator.addStock(productId, 'LA-1\nLA-2\n');
    const lines = [
      ...['LA-1 ', 'LA-2\u00a0', '\ufeffLA-3', 'la-1', '\u200b', 'LA-4\u202e', 'LA-1\u200b', ' LA-1'],
      ...['ＬＡ-2', 'caf\u00e9-1', 'cafe\u0301-1', '\u200b'],
    ];
    const type = { 'content-type': 'text/plain' };
    const path = `/products/${productId}/stock?dryRun=true`;
    const dry = await scene.operator.request('POST', path, type, lines.join('\n'));
    const said = JSON.parse(dry.text);
    const like = (line: number, item: number, differsIn: string, added = false) => {
      return { line, added, differsIn: [differsIn], productId, item };
    };
    assert.deepEqual(said.lookAlikes, [
      like(1, 0, 'blanks'),
      like(2, 1, 'blanks'),
      like(4, 0, 'case', true),
      like(7, 0, 'invisible characters'),
      like(8, 0, 'blanks'),
      like(9, 1, 'Unicode forms', true),
      { line: 11, added: false, differsIn: ['Unicode forms'], likeLine: 10 },
    ]);
    assert.deepEqual([said.wouldAdd, said.lookAlikeCount, said.duplicateLineCount], [5, 7, 5]);
    assert.deepEqual(said.sample, ['LA-3', 'la-1', 'LA-4\u202e']);
    const reason = 'has no visible character';
    const ranges = [5, 12].map((line) => ({ first: line, last: line }));
    assert.deepEqual(said.badLineReasons, [{ reason, count: 2, lines: ranges }]);
    await scene.operator.addStock(productId, ['la-1']);
    for (const [text, exact] of [
      ['LA-1', [true, false]],
      ['la-1', [true, false]],
      ['l a-1\u200b', [false, false]],
    ] as const) {
      const found = await scene.operator.json('POST', '/items/search', { text, productId });
      const { items } = JSON.parse(found.text);
      assert.deepEqual(
        items.map((item: { readonly exact: boolean }) => item.exact),
        exact,
      );
    }
  });

  test('a file that two products get at once is sold by one of them, line by line', async () => {
    const products = [await scene.product(), await scene.product()];
    const lines = Array.from({ length: 6_000 }, (_, index) => `both-${index}`);
    const replies = await Promise.all(products.map((id) => scene.operator.addStock(id, lines.join('\n'))));
    for (const reply of replies) assertDone(reply, 201);
    const all = (await Promise.all(products.map((id) => withdraw(scene, id, 10_000)))).flat();
    assert.deepEqual([...all].sort(), [...lines].sort());
  });

  test('two uploads of the same lines at once put each in once', async () => {
    const productId = await scene.product();
    const lines = Array.from({ length: 500 }, (_, index) => `once-${index}`);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => scene.operator.addStock(productId, lines.join('\n'))),
    );
    for (const reply of replies) assertDone(reply, 201);
    const sum = (field: 'added' | 'duplicates') =>
      replies.reduce((total, reply) => total + known(reply.body[field]), 0);
    assert.deepEqual([sum('added'), sum('duplicates')], [500, 1500]);
    assert.deepEqual([...(await withdraw(scene, productId, 1000))].sort(), [...lines].sort());
  });

  test('purchases and withdrawals at once never get the same item', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 20 });
    const taken = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        index % 2 === 0 ? [await buyOne(buyer, productId)] : withdraw(scene, productId, 1),
      ),
    );
    assert.equal(new Set(taken.flat()).size, 20);
    assert.equal(await scene.available(productId), 0);
  });

  test('a withdrawal of no whole number, and JSON that is no stock, is 400 and changes nothing', async () => {
    const productId = await scene.product({ stock: 2 });
    const path = `/products/${productId}/stock`;
    for (const query of ['', ...['0', '-1', '1.5', 'abc', '', '1e3'].map((count) => `?count=${count}`)]) {
      assertRefused(await scene.operator.json('DELETE', path + query), 400, 'BAD_REQUEST');
    }
    for (const items of [undefined, 'a', ['a', 7], ['a', null], ['a', ''], ['a', ' \n'], ['a', 'b\0']]) {
      assertRefused(await scene.operator.json('POST', path, { items }), 400, 'BAD_REQUEST');
    }
    const yes = `${path}?leaveOutBadLines=yes`;
    assertRefused(await scene.operator.json('POST', yes, { items: ['a'] }), 400, 'BAD_REQUEST');
    assert.equal(await scene.available(productId), 2);
    assertRefused(await scene.operator.withdrawStock(999_999_999, 1), 404, 'NOT_FOUND');
    assertRefused(await scene.operator.addStock(999_999_999, ['a']), 404, 'NOT_FOUND');
  });

  test('an upload with a bad line is 400, names the line, and puts nothing in', async () => {
    const productId = await scene.product();
    for (const upload of ['a\nb\n\0\nc\n', 'a\nb\n\xff\n', 'a\nb\nc\rd\n']) {
      const headers = { 'content-type': 'text/plain' };
      const bytes = new Uint8Array(Buffer.from(upload, 'latin1'));
      const reply = await scene.operator.request('POST', `/products/${productId}/stock`, headers, bytes);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(String(reply.body.message), /^line 3 /);
    }
    assert.equal(await scene.available(productId), 0);
  });

  const bad: [type: string, body: string, expected: string[], badLines: number[]][] = [
    ['text/plain', 'lo-a\n\0\nlo-b\nlo-a\nc\rd\nlo-e', ['lo-a', 'lo-b', 'lo-e'], [2, 5]],
    ['text/plain', 'lo-c\nlo-d\n', ['lo-c', 'lo-d'], []],
    ['text/plain', '\0\n\0\n', [], [1, 2]],
    ['application/json', JSON.stringify({ items: ['lo-x', '', 'b\0', 'lo-y'] }), ['lo-x', 'lo-y'], [2, 3]],
  ];
  test('leaveOutBadLines adds the rest and tells of the others', async () => {
    for (const [type, body, expected, badLines] of bad) {
      const productId = await scene.product();
      const path = `/products/${productId}/stock?leaveOutBadLines=true`;
      const reply = await scene.operator.request('POST', path, { 'content-type': type }, body);
      assertDone(reply, 201);
      const told = JSON.parse(reply.text) as { readonly badLineCount: number; readonly badLines: number[] };
      assert.deepEqual([told.badLineCount, told.badLines], [badLines.length, badLines]);
      assert.deepEqual(await withdraw(scene, productId, 9), expected);
    }
  });

  /** Lines without end; says how much of them was wanted. */
  function endless(firstLine: string): { stream: ReadableStream<Uint8Array>; sentBytes: () => number } {
    const lines = Buffer.from('an item, and another one\n'.repeat(4_000));
    let sentBytes = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = sentBytes === 0 ? Buffer.from(`${firstLine}\n`) : lines;
        sentBytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return { stream, sentBytes: () => sentBytes };
  }

  test('an endless upload that can’t be taken is refused while its client still sends', async () => {
    const file = await scene.product({ type: 'file' });
    const productId = await scene.product();
    for (const [id, status, code, firstLine, contentType] of [
      [999_999_999, 404, 'NOT_FOUND', 'a', 'text/plain'],
      [file, 400, 'BAD_REQUEST', 'a', 'text/plain'],
      [productId, 400, 'BAD_REQUEST', 'a', 'application/pdf'],
      [productId, 400, 'BAD_REQUEST', 'a\0', 'text/plain'],
    ] as const) {
      const { stream, sentBytes } = endless(firstLine);
      const path = `/products/${id}/stock`;
      const reply = await scene.operator.request('POST', path, { 'content-type': contentType }, stream);
      assertRefused(reply, status, code);
      assert.equal(reply.headers.get('connection'), 'close', 'the rest is not read');
      assert.ok(sentBytes() < 64 * 1024 * 1024, `${sentBytes()} bytes were sent`);
    }
  });
});
