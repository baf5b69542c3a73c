/** Signing in at the console of a node: who may, what a session may do, how it ends, and what is left of it. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { type OperatorClient, type OperatorReply, ok } from '../../support/operator-client.ts';
import type { Json, OperatorCases, OperatorScene } from './operator-scene.ts';

interface Session {
  readonly sessionId: number;
  readonly token: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const sessions: OperatorCases = {
  title: 'sessions',
  define(scene: OperatorScene) {
    /** As a page that has no token yet. */
    function signIn(body: unknown): Promise<OperatorReply> {
      const headers = { authorization: '', 'content-type': 'application/json' };
      return scene.clientOf('').request('POST', '/sessions', headers, JSON.stringify(body));
    }

    async function signedIn(token: string): Promise<Session & { readonly client: OperatorClient }> {
      const session = (await ok(signIn({ token }))) as unknown as Session;
      scene.secrets.push(session.token);
      return { ...session, client: scene.clientOf(session.token) };
    }

    async function codeOf(client: OperatorClient, body: object = {}): Promise<string> {
      const { code, expiresAt } = await scene.json('POST', '/console-codes', body, client);
      assert.ok(Math.abs(Number(expiresAt) - Date.now() - 60_000) < 10_000);
      scene.secrets.push(String(code));
      return String(code);
    }

    async function isIn(client: OperatorClient): Promise<boolean> {
      const { status } = await client.json('GET', '/session');
      assert.ok(status === 200 || status === 401, `${status}`);
      return status === 200;
    }

    const listed = async (client = scene.node.operator) =>
      (await scene.json('GET', '/sessions', undefined, client)).sessions as Json[];
    const fileOf = (name: string) => join(scene.node.folder.path, name);
    const rootToken = () => readFileSync(fileOf('operator-token'), 'utf8').trim();
    const audit = (query: string) => scene.rows(`/audit?${query}`, 'entries');

    test('a code becomes a session of its operator, once', async () => {
      const { operatorId, client } = await scene.operator('sina', 'support');
      const code = await codeOf(client);
      const reply = await signIn({ code });
      assertDone(reply, 201);
      const { requestId: _, ...session } = reply.body as unknown as Session & { requestId: string };
      const { sessionId, createdAt, expiresAt, token } = session;
      scene.secrets.push(token);
      assert.match(token, /^pos_[0-9a-f]{48}$/);
      assert.equal(expiresAt, createdAt + 12 * 3_600_000);
      const hers = { operator: 'sina', role: 'support', sessionId, expiresAt };
      assert.deepEqual(session, { success: true, ...hers, createdAt, token });
      const who = await scene.json('GET', '/session', undefined, scene.clientOf(token));
      assert.deepEqual(who, { ...hers, operatorId });
      assertRefused(await signIn({ code }), 401, 'UNAUTHORIZED');
    });

    test('whoever sends something else is refused, and told why', async () => {
      const { token, client } = await scene.operator('berta', 'viewer');
      const { token: session } = await signedIn(token);
      const code = await codeOf(client);
      const cases: [why: string, body: unknown, status: number, says: RegExp][] = [
        ['nothing', {}, 400, /either code or token/],
        [
          'a code that was never given',
          { code: `poc_${'0'.repeat(48)}` },
          401,
          /used, is older than a minute/,
        ],
        ['a token as a code', { code: token }, 401, /purser console/],
        ['a code as a token', { token: code }, 401, /token is wrong/],
        ['a session’s token', { token: session }, 401, /token is wrong/],
      ];
      for (const [why, body, status, says] of cases) {
        const reply = await signIn(body);
        assert.equal(reply.status, status, `${why}: ${reply.text}`);
        assert.match(String(reply.body.message), says, why);
      }
      assertDone(await signIn({ code }), 201);
    });

    test('scrapers have none, and a session gets no codes, so that none outlives its end', async () => {
      const scraper = await scene.operator('prometheus', 'metrics');
      assertRefused(await signIn({ token: scraper.token }), 403, 'FORBIDDEN');
      assertRefused(await scraper.client.json('POST', '/console-codes'), 403, 'FORBIDDEN');
      const { client } = await signedIn((await scene.operator('carla', 'owner')).token);
      assertRefused(await client.json('POST', '/console-codes'), 403, 'FORBIDDEN');
    });

    test('it may do what its operator may, in his name', async () => {
      const { operatorId, client: emil } = await scene.operator('emil', 'finance');
      const code = await codeOf(emil, { reason: 'month’s end' });
      const { token: session = '', requestId } = await ok(signIn({ code }));
      const client = scene.clientOf(session);
      const credit = { amountUsdt: 5, reference: 'of a session', reason: 'paid' };
      const done = await ok(client.json('POST', `/accounts/${scene.accountId}/credits`, credit));
      assertRefused(await client.json('POST', '/accounts', { name: 'mine' }), 403, 'FORBIDDEN');
      assert.deepEqual(
        (await audit('operator=emil')).map((entry) => [entry.action, entry.reason, entry.requestId]),
        [
          ['WalletCredited', 'paid', done.requestId],
          ['SessionBegun', 'month’s end', requestId],
        ],
      );
      const { operatorUrl } = scene.node;
      const feed = await FeedConnection.after({ operatorUrl, operatorToken: session }, 0);
      let line = await feed.next();
      while (line?.action !== 'SessionBegun' || (line.by as Json).operatorId !== operatorId)
        line = await feed.next();
      feed.close();
    });

    test('an owner sees all, others their own, and who is not there sees nothing', async () => {
      const frida = await signedIn((await scene.operator('frida', 'viewer')).token);
      const gerd = await signedIn((await scene.operator('gerd', 'owner')).token);
      const { sessionId, createdAt, expiresAt } = frida;
      const [own, ...others] = await listed(frida.client);
      const { lastUsedAt, ...rest } = own ?? assert.fail('her own is missing');
      assert.ok(Number(lastUsedAt) >= createdAt);
      await frida.client.request('GET', '/session', { 'x-unattended': 'true' });
      const [again] = (await listed(gerd.client)).filter((one) => one.sessionId === sessionId);
      assert.equal(again?.lastUsedAt, lastUsedAt, 'what a page asks by itself is no use');
      const hers = { sessionId, operator: 'frida', role: 'viewer', createdAt, expiresAt, current: true };
      assert.deepEqual([rest, others], [hers, []]);
      assert.deepEqual(
        (await listed(gerd.client)).slice(0, 2).map(({ operator, current }) => [operator, current]),
        [
          ['gerd', true],
          ['frida', false],
        ],
      );
      assertRefused(await scene.clientOf('').json('GET', '/sessions'), 401, 'UNAUTHORIZED');
    });

    test('it ends for its operator and for an owner, at once, and leaves a line', async () => {
      const { token } = await scene.operator('hanna', 'viewer');
      const [first, second, third] = [await signedIn(token), await signedIn(token), await signedIn(token)];
      const others = await signedIn((await scene.operator('ida', 'viewer')).token);
      const path = `/sessions/${first.sessionId}`;
      assertRefused(await others.client.json('DELETE', path), 404, 'NOT_FOUND');
      assertDone(await second.client.json('DELETE', `${path}?reason=left%20open`), 200);
      assert.deepEqual([await isIn(first.client), await isIn(second.client)], [false, true]);
      assertDone(await second.client.json('DELETE', `/sessions/${second.sessionId}`), 200);
      assertDone(await scene.node.operator.json('DELETE', `/sessions/${third.sessionId}`), 200);
      assert.deepEqual([await isIn(second.client), await isIn(third.client)], [false, false]);
      assertRefused(await scene.node.operator.json('DELETE', path), 404, 'NOT_FOUND');
      const columns = ['operator', 'action', 'targetOperator', 'reason'];
      assert.deepEqual(
        (await audit('limit=3')).map((entry) => columns.map((column) => entry[column])),
        [
          ['root', 'SessionEnded', 'hanna', undefined],
          ['hanna', 'SessionEnded', 'hanna', undefined],
          ['hanna', 'SessionEnded', 'hanna', 'left open'],
        ],
      );
    });

    test('it ends with its operator, and with the token that it was made from, and so do codes', async () => {
      const { operatorId, token, client } = await scene.operator('jan', 'viewer');
      const code = await codeOf(client);
      const first = await signedIn(token);
      const fresh = await ok(scene.node.operator.json('POST', `/operators/${operatorId}/token`, {}));
      scene.secrets.push(fresh.token ?? '');
      assert.equal(await isIn(first.client), false);
      assertRefused(await signIn({ code }), 401, 'UNAUTHORIZED');
      const second = await signedIn(fresh.token ?? '');
      await ok(scene.node.operator.json('DELETE', `/operators/${operatorId}`));
      assert.equal(await isIn(second.client), false);
      assert.ok((await listed()).every(({ operator }) => operator !== 'jan'));
    });

    test('it outlives a restart; codes do not, nor does the owner’s with another token of his', async () => {
      const { token, client } = await scene.operator('lena', 'viewer');
      const [stays, ends, roots] = [
        await signedIn(token),
        await signedIn(token),
        await signedIn(rootToken()),
      ];
      const isStillIn = (one: Session) => isIn(scene.clientOf(one.token));
      await ok(ends.client.json('DELETE', `/sessions/${ends.sessionId}`));
      const code = await codeOf(client);
      const shown = async () =>
        (await listed(scene.clientOf(stays.token))).map(({ lastUsedAt, ...rest }) => rest);
      const before = await shown();
      await scene.node.restart();
      assert.deepEqual(await shown(), before);
      assert.deepEqual([await isStillIn(ends), await isStillIn(roots)], [false, true]);
      assertRefused(await signIn({ code }), 401, 'UNAUTHORIZED');
      await scene.node.stop();
      writeFileSync(fileOf('operator-token'), `${'b'.repeat(48)}\n`, { mode: 0o600 });
      await scene.node.start();
      assert.deepEqual([await isStillIn(stays), await isStillIn(roots)], [true, false]);
    });

    test('they lie in a file that nobody else can read; damaged, it keeps no node from starting', async () => {
      const file = fileOf('console-sessions');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(readFileSync(file, 'utf8').includes(rootToken()), false);
      const { token } = await scene.operator('nina', 'viewer');
      const { token: session } = await signedIn(token);
      await scene.node.stop();
      writeFileSync(file, '{"lastId":');
      await scene.node.start();
      assert.equal(await isIn(scene.clientOf(session)), false);
      assert.equal(await isIn((await signedIn(token)).client), true);
    });

    test('wrong ones are throttled together with wrong tokens, and right ones never', async () => {
      const { token } = await scene.operator('otto', 'viewer');
      const code = await codeOf(scene.clientOf(token));
      await scene.node.restart();
      for (let count = 0; count < 7; count += 1) {
        assertRefused(await signIn({ code: `poc_${count}` }), 401, 'UNAUTHORIZED');
        assertRefused(await signIn({ token: `pot_${count}` }), 401, 'UNAUTHORIZED');
        const wrong = scene.clientOf(`pos_${count}`);
        if (count < 6) assertRefused(await wrong.json('GET', '/session'), 401, 'UNAUTHORIZED');
      }
      for (const body of [{ code: 'poc_x' }, { token: 'pot_x' }, { code }]) {
        const reply = await signIn(body);
        assertRefused(reply, 429, 'RATE_LIMITED');
        assert.ok(Number(reply.headers.get('retry-after')) > 0);
      }
      assertRefused(await scene.clientOf('pos_x').json('GET', '/session'), 429, 'RATE_LIMITED');
      assert.equal(await isIn((await signedIn(token)).client), true);
      assertDone(await signIn({ code: await codeOf(scene.clientOf(token)) }), 201);
    });
  },
};
