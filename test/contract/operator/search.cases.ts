/** `?search=` of accounts and products: a part of a name without regard to capitals, or an id; in pages like any listing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

/** Of the names of one test; in small letters it has none of the digits that ids are. */
function freshWord(): string {
  return randomUUID().replace(/[-\d]/g, 'x');
}

export const search = casesOf('operator API: search', (scene) => {
  const tables = [
    {
      rows: 'accounts',
      id: 'accountId',
      make: async (name: string) => known((await ok(scene.operator.createAccount({ name }))).accountId),
    },
    { rows: 'products', id: 'productId', make: (name: string) => scene.product({ name }) },
  ] as const;

  for (const { rows, id, make } of tables) {
    async function found(text: string, query = '') {
      const path = `/${rows}?search=${encodeURIComponent(text)}${query}`;
      const body = await ok(scene.operator.json('GET', path));
      const listed = (body as unknown as Record<string, readonly Record<string, number>[]>)[rows];
      return { ids: known(listed).map((row) => row[id]), nextCursor: body.nextCursor };
    }

    test(`GET /${rows}?search= finds a part of a name, in capitals or not, and an id`, async () => {
      const word = freshWord();
      const ids = [
        await make(`Gift ${word} 1`),
        await make('another'),
        await make(`${word.toUpperCase()} É`),
      ];
      const [first, another, last] = ids.map(known);
      const cases: [text: string, ids: unknown[]][] = [
        [word, [first, last]],
        [word.toUpperCase(), [first, last]],
        [`${word} é`, [last]],
        [`gift ${word}`, [first]],
        [`${word}!`, []],
      ];
      for (const [text, expected] of cases) assert.deepEqual((await found(text)).ids, expected, text);
      assert.ok((await found(String(another))).ids.includes(another));
    });

    test(`what GET /${rows}?search= finds comes in pages, and of a period`, async () => {
      const word = freshWord();
      const ids: number[] = [];
      for (let count = 0; count < 5; count += 1) ids.push(await make(`${word}${count}`));
      const first = await found(word, '&limit=3');
      assert.deepEqual(first.ids, ids.slice(0, 3));
      const second = await found(word, `&limit=3&cursor=${known(first.nextCursor)}`);
      assert.deepEqual([second.ids, second.nextCursor], [ids.slice(3), undefined]);
      assert.equal((await found(word, '&limit=5')).nextCursor, undefined);
      assert.deepEqual((await found(word, '&to=2020-01-01')).ids, []);
      assert.deepEqual((await found(word, '&from=2020-01-01')).ids, ids);
    });

    test(`GET /${rows}?search= refuses no text and one that is too long`, async () => {
      for (const text of ['', 'x'.repeat(201)]) {
        assertRefused(await scene.operator.json('GET', `/${rows}?search=${text}`), 400, 'BAD_REQUEST');
      }
    });
  }

  test('suppliers and operators have no search', async () => {
    for (const rows of ['suppliers', 'operators']) {
      assertRefused(await scene.operator.json('GET', `/${rows}?search=a`), 400, 'BAD_REQUEST');
    }
  });
});
