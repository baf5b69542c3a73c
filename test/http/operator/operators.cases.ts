/** The life of an operator: created, given other tokens, revoked; over restarts. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { eventually } from '../../support/eventually.ts';
import { openUpload } from '../../support/open-upload.ts';
import { type OperatorReply, ok } from '../../support/operator-client.ts';
import type { OperatorCases, OperatorScene } from './operator-scene.ts';

const REFUSED: [why: string, body: object, says?: RegExp][] = [
  ['a name that is taken, in capitals', { name: 'Anna', role: 'viewer' }],
  ['a name with a space', { name: 'anna b', role: 'viewer' }],
  ['a name of 65 characters', { name: 'a'.repeat(65), role: 'viewer' }],
  ['an unknown role', { name: 'otto', role: 'admin' }],
  ['an end that is no time', { name: 'otto', role: 'viewer', expiresAt: 'tomorrow' }, /"tomorrow": write a/],
  ['an end that has passed', { name: 'otto', role: 'viewer', expiresAt: '2020-01-01' }, /in the future/],
];

const ITEMS = '/products/{id}/stock';
const UPLOADS: [type: string, call: [string, string], contentType: string, first: string, last: string][] = [
  ['standard', ['POST', ITEMS], 'text/plain', 'a\n', 'b\n'],
  ['standard', ['POST', ITEMS], 'application/json', '{"items":', '["a"]}'],
  ['file', ['PUT', '/products/{id}/file'], 'application/pdf', 'first', 'last'],
  ['standard', ['PATCH', '/products/{id}'], 'application/json', '{"name":', '"other"}'],
];

export const operators: OperatorCases = {
  title: 'operators',
  define(scene: OperatorScene) {
    const root = () => scene.node.operator;
    const listed = () => scene.rows('/operators', 'operators');

    async function rotated(operatorId: number, query = '', body: object = {}): Promise<OperatorReply> {
      const reply = await root().json('POST', `/operators/${operatorId}/token${query}`, body);
      if (reply.body.token !== undefined) scene.secrets.push(reply.body.token);
      return reply;
    }

    /** Which of the tokens open anything. */
    function work(...tokens: (string | undefined)[]): Promise<boolean[]> {
      return Promise.all(
        tokens.map(async (token = '') => {
          const { status } = await scene.clientOf(token).json('GET', '/accounts');
          assert.ok(status === 200 || status === 401, `${status}`);
          return status === 200;
        }),
      );
    }

    test('a token is shown by the answer that makes it, and never again', async () => {
      const { operatorId, token } = await scene.operator('anna', 'support');
      assert.match(token, /^pot_[0-9a-f]{48}$/);
      assert.deepEqual(await work(token), [true]);
      const { createdAt, ...rest } = await scene.json('GET', `/operators/${operatorId}`);
      assert.deepEqual(rest, { operatorId, name: 'anna', role: 'support' });
      assert.ok(Math.abs(Number(createdAt) - Date.now()) < 60_000);
      assert.equal((await root().json('GET', '/operators')).text.includes(token), false);
    });

    test('what can’t be one is refused, and nothing is created', async () => {
      const before = await listed();
      for (const [why, body, says = /./] of REFUSED) {
        const reply = await root().json('POST', '/operators', body);
        assert.equal(reply.status, 400, why);
        assert.match(String(reply.body.message), says, why);
      }
      assert.deepEqual(await listed(), before);
    });

    test('a token that expires opens nothing afterwards, until there is another', async () => {
      const expiresAt = Date.now() + 500;
      const { operatorId, token } = await scene.operator('temp', 'viewer', { expiresAt });
      await eventually('it has expired', async () => !(await work(token))[0]);
      assert.ok(Date.now() >= expiresAt);
      const endless = await rotated(operatorId);
      assertRefused(endless, 400, 'BAD_REQUEST');
      assert.match(endless.text, /send expiresAt/);
      const { body } = await rotated(operatorId, '?overlap=10m', { expiresAt: '2999-01-01' });
      assert.deepEqual(await work(body.token, token), [true, false]);
      assert.equal(body.expiresAt, Date.parse('2999-01-01'));
    });

    test('a new token ends the old one at once, or after the overlap', async () => {
      const { operatorId, token: first } = await scene.operator('bot', 'finance');
      const second = (await rotated(operatorId)).body.token;
      assert.deepEqual(await work(first, second), [false, true]);
      const reply = await rotated(operatorId, '?overlap=10m');
      const third = reply.body.token;
      assert.deepEqual(await work(second, third), [true, true]);
      assert.ok(Number(reply.body.previousTokenExpiresAt) > Date.now() + 500_000);
      const fourth = (await rotated(operatorId, '?overlap=1s')).body.token;
      await eventually('the overlap is over', async () => !(await work(third))[0]);
      assert.deepEqual(await work(second, fourth), [true, true], 'each to its promised end');
      for (const query of ['?overlap=31d', '?overlap=soon', '?overlap=-1s', '?overlap=']) {
        assertRefused(await rotated(operatorId, query), 400, 'BAD_REQUEST');
      }
      const expiresAt = Date.now() + 300_000;
      const short = await scene.operator('short', 'viewer');
      const { body } = await rotated(short.operatorId, '?overlap=10m', { expiresAt });
      assert.deepEqual([body.expiresAt, body.previousTokenExpiresAt], [expiresAt, expiresAt]);
    });

    test('there are at most four tokens, and one more is refused', async () => {
      const { operatorId, token: first } = await scene.operator('many', 'viewer');
      for (let more = 0; more < 3; more += 1) assertDone(await rotated(operatorId, '?overlap=10m'), 201);
      const reply = await rotated(operatorId, '?overlap=10m');
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(reply.text, /has 4 tokens that still open/);
      assertDone(await rotated(operatorId), 201);
      assert.deepEqual(await work(first), [true]);
    });

    test('the audit says what an update changed, from what to what', async () => {
      const productId = await scene.product({ priceUsdt: 2.5, description: 'all' });
      const { accountId } = await ok(root().createAccount({ name: 'Audited' }));
      const updates: [path: string, body: object, changes: readonly object[]][] = [
        [
          `/products/${productId}`,
          { priceUsdt: 2.75, description: '', lowStock: 5 },
          [
            { field: 'description', from: 'all', to: '' },
            { field: 'priceUsdt', from: 2.5, to: 2.75 },
            { field: 'lowStock', from: null, to: 5 },
          ],
        ],
        [
          `/accounts/${accountId}`,
          { rateLimitPerMinute: null },
          [{ field: 'rateLimitPerMinute', from: 120, to: null }],
        ],
      ];
      for (const [path, body, changes] of updates) {
        for (const said of [changes, undefined]) {
          await scene.json('PATCH', path, body);
          const [entry] = await scene.rows('/audit?limit=1', 'entries');
          assert.deepEqual(entry?.changes, said, 'the same again changes nothing');
        }
      }
    });

    test('who is revoked is out at once and for good, and the name stays taken', async () => {
      const { operatorId, token } = await scene.operator('gone', 'owner');
      const second = (await rotated(operatorId, '?overlap=10m')).body.token;
      const { revokedAt } = await scene.json('DELETE', `/operators/${operatorId}?reason=left`);
      assert.ok(Number(revokedAt) > 0);
      assert.deepEqual(await work(token, second), [false, false]);
      assertRefused(await root().json('DELETE', `/operators/${operatorId}`), 400, 'BAD_REQUEST');
      assertRefused(await rotated(operatorId), 400, 'BAD_REQUEST');
      const again = await root().json('POST', '/operators', { name: 'gone', role: 'viewer' });
      assertRefused(again, 400, 'BAD_REQUEST');
      assertRefused(await root().json('DELETE', '/operators/999'), 404, 'NOT_FOUND');
    });

    test('what was being sent when its token ended changes nothing', async () => {
      for (const [at, [type, [method, path], contentType, first, last]] of UPLOADS.entries()) {
        const productId = await scene.product({ type });
        const shown = () => scene.json('GET', `/products/${productId}`);
        const before = await shown();
        const { operatorId, client } = await scene.operator(`sender-${at}`, 'stock');
        const upload = openUpload(client, method, path.replace('{id}', `${productId}`), first, contentType);
        await delay(20);
        await scene.json('DELETE', `/operators/${operatorId}`);
        assertRefused(await upload.end(last), 401, 'UNAUTHORIZED');
        assert.deepEqual(await shown(), before, path);
      }
      const files = join(scene.node.folder.path, 'files');
      const kept = readdirSync(files, { recursive: true, withFileTypes: true });
      assert.deepEqual(
        kept.filter((entry) => entry.isFile()),
        [],
      );
    });

    test('an open feed ends with its token: revoked, replaced or expired; others go on', async () => {
      const ends: [how: string, end: (operatorId: number) => Promise<unknown>][] = [
        ['revoked', (operatorId) => ok(root().json('DELETE', `/operators/${operatorId}`))],
        ['replaced', (operatorId) => rotated(operatorId)],
        ['expired', (operatorId) => rotated(operatorId, '?overlap=100ms')],
      ];
      const { operatorUrl } = scene.node;
      const { token: stays } = await scene.operator('reader', 'viewer');
      const other = await FeedConnection.after({ operatorUrl, operatorToken: stays }, 0);
      for (const [how, end] of ends) {
        const { operatorId, token } = await scene.operator(`reader-${how}`, 'viewer');
        const feed = await FeedConnection.after({ operatorUrl, operatorToken: token }, 0);
        assert.equal((await feed.next())?.seq, 1);
        await end(operatorId);
        while ((await feed.next()) !== undefined);
      }
      const { journalPosition } = await scene.json('GET', '/status');
      await other.through(Number(journalPosition));
      other.close();
    });

    test('after a restart names, roles and tokens are as they were; the owner’s is what its file says then', async () => {
      const [file, fresh] = [join(scene.node.folder.path, 'operator-token'), 'a'.repeat(48)];
      const old = readFileSync(file, 'utf8').trim();
      const { token } = await scene.operator('late', 'viewer');
      const before = await listed();
      assert.deepEqual(await work(old), [true]);
      await scene.node.stop();
      writeFileSync(file, `${fresh}\n`, { mode: 0o600 });
      await scene.node.start();
      assert.deepEqual(await listed(), before);
      assert.deepEqual(await work(token, old, fresh), [true, false, true]);
    });
  },
};
