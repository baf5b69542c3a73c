/** `?types=` of the feed: only lines of these types, from wherever a reader begins, and none of them is missed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { ok } from '../../support/operator-client.ts';
import { assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

export const feedTypes = casesOf('operator API: types of the feed', (scene) => {
  async function position(): Promise<number> {
    const { text } = await scene.operator.json('GET', '/status');
    return (JSON.parse(text) as { readonly journalPosition: number }).journalPosition;
  }

  test('others are left out, before and after the reader came; what no line is of is 400, so that none is missed by a slip', async () => {
    const after = await position();
    const makeBoth = async (name: string) => {
      await scene.product({ name });
      await ok(scene.operator.createAccount({ name }));
    };
    await makeBoth('before');
    const reader = await FeedConnection.open(scene.server, `?after=${after}&types=AccountCreated`);
    await makeBoth('after');
    const lines = [known(await reader.next()), known(await reader.next())];
    reader.close();
    const told = lines.map(({ type, account }) => `${type} ${(account as { readonly name?: string }).name}`);
    assert.deepEqual(told, ['AccountCreated before', 'AccountCreated after']);
    const [first = 0, second = 0] = lines.map(({ seq }) => seq);
    assert.ok(first > after && second > first + 1);
    for (const types of [
      '',
      'orderPlaced',
      'OrderPlaced,',
      'OrderPlaced, OrderPaid',
      'OrderPlaced,Nothing',
    ]) {
      const reply = await scene.operator.json('GET', `/feed?types=${encodeURIComponent(types)}`);
      assertRefused(reply, 400, 'BAD_REQUEST');
    }
  });
});
