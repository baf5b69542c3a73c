/** `?search=` of accounts and products: a part of a name without regard to capitals, or an id; in pages like any listing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

export const search = casesOf('operator API: search', (scene) => {
  const account = async (name: string) => known((await ok(scene.operator.createAccount({ name }))).accountId);
  for (const [rows, id, make] of [
    ['accounts', 'accountId', account],
    ['products', 'productId', (name: string) => scene.product({ name })],
  ] as const) {
    test(`GET /${rows}?search= finds a part of a name, in capitals or not, and an id, page by page`, async () => {
      async function found(text: string, query = '') {
        const path = `/${rows}?search=${encodeURIComponent(text)}${query}`;
        const body = await ok(scene.operator.json('GET', path));
        const listed = (body as unknown as Record<string, readonly Record<string, number>[]>)[rows];
        return { ids: known(listed).map((row) => row[id]), nextCursor: body.nextCursor };
      }
      // In small letters it has none of the digits that ids are.
      const word = randomUUID().replace(/[-\d]/g, 'x');
      const first = await make(`Gift ${word} 1`);
      const another = await make('another');
      const last = await make(`${word.toUpperCase()} É`);
      const cases: [text: string, query: string, ids: unknown[]][] = [
        [word, '', [first, last]],
        [word.toUpperCase(), '', [first, last]],
        [`${word} é`, '', [last]],
        [`gift ${word}`, '', [first]],
        [`${word}!`, '', []],
        [word, '&limit=1', [first]],
        [word, '&to=2020-01-01', []],
        [word, '&from=2020-01-01', [first, last]],
      ];
      for (const [text, query, ids] of cases) assert.deepEqual((await found(text, query)).ids, ids, text);
      assert.ok((await found(String(another))).ids.includes(another));
      const { nextCursor } = await found(word, '&limit=1');
      const second = await found(word, `&limit=1&cursor=${known(nextCursor)}`);
      assert.deepEqual([second.ids, second.nextCursor], [[last], undefined]);
      for (const text of ['', 'x'.repeat(201)]) {
        assertRefused(await scene.operator.json('GET', `/${rows}?search=${text}`), 400, 'BAD_REQUEST');
      }
    });
  }
});
