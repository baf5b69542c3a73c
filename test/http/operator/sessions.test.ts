/** Signing in at the console of a node: who may, what a session may do, how it ends, and what is left of it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { eventually } from '../../support/eventually.ts';
import { openUpload } from '../../support/open-upload.ts';
import { type OperatorClient, type OperatorReply, ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';

interface SignedIn {
  readonly sessionId: number;
  readonly token: string;
  readonly operator: string;
  readonly role: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const HOUR_MS = 3_600_000;

describe('sessions', () => {
  let node: QuietNode;
  const secrets: string[] = [];
  before(async () => {
    node = await QuietNode.start('sessions');
  });
  after(() => node.close());

  function clientOf(token: string): OperatorClient {
    return new CheckedOperatorClient(node.operatorUrl, token);
  }

  /** As a page that has no token yet. */
  function signIn(body: unknown): Promise<OperatorReply> {
    const headers = { authorization: '', 'content-type': 'application/json' };
    return clientOf('').request('POST', '/sessions', headers, JSON.stringify(body));
  }

  async function signedIn(token: string): Promise<SignedIn & { readonly client: OperatorClient }> {
    const session = (await ok(signIn({ token }))) as unknown as SignedIn;
    secrets.push(session.token);
    return { ...session, client: clientOf(session.token) };
  }

  async function created(name: string, role: string): Promise<{ operatorId: number; token: string }> {
    const { operatorId = 0, token = '' } = await ok(node.operator.json('POST', '/operators', { name, role }));
    return { operatorId, token };
  }

  async function codeOf(client: OperatorClient, body: object = {}): Promise<string> {
    const reply = await client.json('POST', '/console-codes', body);
    assertDone(reply, 201);
    const { code, expiresAt } = reply.body as unknown as { code: string; expiresAt: number };
    assert.ok(Math.abs(expiresAt - Date.now() - 60_000) < 10_000);
    secrets.push(code);
    return code;
  }

  async function isIn(client: OperatorClient): Promise<boolean> {
    const { status } = await client.json('GET', '/session');
    assert.ok(status === 200 || status === 401, `${status}`);
    return status === 200;
  }

  async function listed(client: OperatorClient): Promise<readonly Record<string, unknown>[]> {
    return ((await ok(client.json('GET', '/sessions'))) as unknown as { sessions: Record<string, unknown>[] })
      .sessions;
  }

  test('a code becomes a session of its operator, once', async () => {
    const { operatorId, token } = await created('anna', 'support');
    const code = await codeOf(clientOf(token));
    const reply = await signIn({ code });
    assertDone(reply, 201);
    const { requestId, ...session } = reply.body as unknown as SignedIn & { requestId: string };
    const { sessionId, createdAt, expiresAt } = session;
    assert.match(session.token, /^pos_[0-9a-f]{48}$/);
    assert.equal(expiresAt, createdAt + 12 * HOUR_MS);
    assert.deepEqual(session, {
      success: true,
      ...{ sessionId, operator: 'anna', role: 'support', createdAt, expiresAt, token: session.token },
    });
    const who = await clientOf(session.token).json('GET', '/session');
    const { requestId: _, ...caller } = who.body as unknown as Record<string, unknown>;
    assert.deepEqual(caller, {
      success: true,
      ...{ operatorId, operator: 'anna', role: 'support', sessionId, expiresAt },
    });
    assertRefused(await signIn({ code }), 401, 'UNAUTHORIZED');
  });

  test('a token becomes one, too, also the owner’s', async () => {
    const roots = await signedIn(await rootToken());
    assert.deepEqual([roots.operator, roots.role], ['root', 'owner']);
    await ok(roots.client.json('POST', '/operators', { name: 'made-by-a-session', role: 'viewer' }));
  });

  async function rootToken(): Promise<string> {
    return readFileSync(join(node.folder.path, 'operator-token'), 'utf8').trim();
  }

  test('whoever sends something else is refused, and told why', async () => {
    const { token } = await created('berta', 'viewer');
    const { token: session } = await signedIn(token);
    const code = await codeOf(clientOf(token));
    const cases: [why: string, body: unknown, status: number, says: RegExp][] = [
      ['nothing', {}, 400, /either code or token/],
      ['both', { code, token }, 400, /either code or token/],
      ['a number', { code: 7 }, 400, /code must be string/],
      ['an empty code', { code: '' }, 400, /code must NOT have fewer/],
      ['a code that is too long', { code: 'x'.repeat(129) }, 400, /code must NOT have more/],
      ['another field', { code, cookie: 'yes' }, 400, /"cookie"/],
      ['half a surrogate', { code: '\ud800' }, 400, /not valid Unicode/],
      ['a body of 20,000 bytes', { code, reason: 'x'.repeat(20_000) }, 400, /at most 16384 bytes/],
      ['a code that was never given', { code: `poc_${'0'.repeat(48)}` }, 401, /used, is older than a minute/],
      ['a token as a code', { code: token }, 401, /purser console/],
      ['a code as a token', { token: code }, 401, /token is wrong/],
      ['a session’s token', { token: session }, 401, /token is wrong/],
      ['a wrong token', { token: `pot_${'0'.repeat(48)}` }, 401, /token is wrong/],
    ];
    for (const [why, body, status, says] of cases) {
      const reply = await signIn(body);
      assert.equal(reply.status, status, `${why}: ${reply.text}`);
      assert.match(String(reply.body.message), says, why);
    }
    assertDone(await signIn({ code }), 201);
  });

  test('scrapers have none', async () => {
    const { token } = await created('prometheus', 'metrics');
    assertRefused(await signIn({ token }), 403, 'FORBIDDEN');
    assertRefused(await clientOf(token).json('POST', '/console-codes'), 403, 'FORBIDDEN');
  });

  test('a session gets no codes, so that none outlives its end', async () => {
    const { client } = await signedIn((await created('carla', 'owner')).token);
    assertRefused(await client.json('POST', '/console-codes'), 403, 'FORBIDDEN');
  });

  test('a code dies with the token that it was asked for with', async () => {
    const { operatorId, token } = await created('dora', 'viewer');
    const code = await codeOf(clientOf(token));
    await ok(node.operator.json('POST', `/operators/${operatorId}/token`, {}));
    assertRefused(await signIn({ code }), 401, 'UNAUTHORIZED');
  });

  test('it may do what its operator may, in his name', async () => {
    const { operatorId, token } = await created('emil', 'finance');
    const code = await codeOf(clientOf(token), { reason: 'month’s end' });
    const { token: session = '', requestId } = await ok(signIn({ code }));
    const client = clientOf(session);
    const { accountId } = await ok(node.operator.createAccount({ name: 'a buyer' }));
    const credit = { amountUsdt: 5, reference: 'r1', reason: 'paid' };
    const done = await ok(client.json('POST', `/accounts/${accountId}/credits`, credit));
    assertRefused(await client.json('POST', '/accounts', { name: 'mine' }), 403, 'FORBIDDEN');

    const { entries } = (await ok(node.operator.json('GET', '/audit?operator=emil'))) as unknown as {
      entries: Record<string, unknown>[];
    };
    assert.deepEqual(
      entries.map((entry) => [entry.action, entry.reason, entry.requestId]),
      [
        ['WalletCredited', 'paid', done.requestId],
        ['SessionBegun', 'month’s end', requestId],
      ],
    );
    const { operatorUrl } = node;
    const feed = await FeedConnection.after({ operatorUrl, operatorToken: session }, 0);
    let line = await feed.next();
    while (line?.action !== 'SessionBegun' || (line.by as { operatorId: number }).operatorId !== operatorId)
      line = await feed.next();
    feed.close();
  });

  test('what a page asks by itself is no use of it', async () => {
    const { client, sessionId, createdAt } = await signedIn(await rootToken());
    const lastUse = async () => {
      const session = (await listed(node.operator)).find((one) => one.sessionId === sessionId);
      return Number(session?.lastUsedAt);
    };
    const isLater = async () => Date.now() > createdAt;
    await eventually('the clock goes on', isLater);
    for (const path of ['/status', '/orders', '/session']) {
      const { status } = await client.request('GET', path, { 'x-unattended': 'true' });
      assert.equal(status, 200, path);
    }
    assert.equal(await lastUse(), createdAt);
    await client.request('GET', '/status', { 'x-unattended': 'no' });
    assert.ok((await lastUse()) > createdAt);
  });

  test('an owner sees all, others their own, and who is not there sees nothing', async () => {
    const frida = await signedIn((await created('frida', 'viewer')).token);
    const gerd = await signedIn((await created('gerd', 'owner')).token);
    const { sessionId, createdAt, expiresAt } = frida;
    const [own, ...others] = await listed(frida.client);
    assert.deepEqual(others, []);
    const { lastUsedAt, ...rest } = own ?? assert.fail('her own is missing');
    assert.ok(Number(lastUsedAt) >= createdAt);
    const hers = { sessionId, operator: 'frida', role: 'viewer', createdAt, expiresAt };
    assert.deepEqual(rest, { ...hers, current: true });
    const seen = await listed(gerd.client);
    assert.deepEqual(
      seen.slice(0, 2).map(({ operator, current }) => [operator, current]),
      [
        ['gerd', true],
        ['frida', false],
      ],
    );
    assertRefused(await clientOf('').json('GET', '/sessions'), 401, 'UNAUTHORIZED');
  });

  test('it ends for its operator and for an owner, at once, and leaves a line', async () => {
    const { token } = await created('hanna', 'viewer');
    const [first, second, third] = [await signedIn(token), await signedIn(token), await signedIn(token)];
    const others = await signedIn((await created('ida', 'viewer')).token);
    const path = `/sessions/${first.sessionId}`;
    assertRefused(await others.client.json('DELETE', path), 404, 'NOT_FOUND');
    assert.equal(await isIn(first.client), true);
    assertDone(await second.client.json('DELETE', `${path}?reason=left%20open`), 200);
    assert.deepEqual([await isIn(first.client), await isIn(second.client)], [false, true]);
    assertDone(await second.client.json('DELETE', `/sessions/${second.sessionId}`), 200);
    assertDone(await node.operator.json('DELETE', `/sessions/${third.sessionId}`), 200);
    assert.deepEqual([await isIn(second.client), await isIn(third.client)], [false, false]);
    assertRefused(await node.operator.json('DELETE', path), 404, 'NOT_FOUND');

    const { entries } = (await ok(node.operator.json('GET', '/audit?limit=3'))) as unknown as {
      entries: Record<string, unknown>[];
    };
    assert.deepEqual(
      entries.map(({ operator, action, targetOperator, reason }) => [
        operator,
        action,
        targetOperator,
        reason,
      ]),
      [
        ['root', 'SessionEnded', 'hanna', undefined],
        ['hanna', 'SessionEnded', 'hanna', undefined],
        ['hanna', 'SessionEnded', 'hanna', 'left open'],
      ],
    );
  });

  test('it ends with its operator, and with the token that it was made from', async () => {
    const { operatorId, token } = await created('jan', 'viewer');
    const first = await signedIn(token);
    const fresh = await ok(node.operator.json('POST', `/operators/${operatorId}/token`, {}));
    assert.equal(await isIn(first.client), false);
    const second = await signedIn(fresh.token ?? '');
    await ok(node.operator.json('DELETE', `/operators/${operatorId}`));
    assert.equal(await isIn(second.client), false);
    assert.deepEqual(
      (await listed(node.operator)).filter(({ operator }) => operator === 'jan'),
      [],
    );
  });

  test('what is under way ends with it: a feed, and an upload before it has changed anything', async () => {
    const { token } = await created('karl', 'stock');
    const { sessionId, token: session, client } = await signedIn(token);
    const { productId = 0 } = await ok(client.createProduct({ name: 'p', priceUsdt: 1 }));
    const feed = await FeedConnection.after({ operatorUrl: node.operatorUrl, operatorToken: session }, 0);
    const upload = openUpload(client, 'POST', `/products/${productId}/stock`, 'one\n');
    await ok(node.operator.json('DELETE', `/sessions/${sessionId}`));
    assertRefused(await upload.end('two\n'), 401, 'UNAUTHORIZED');
    let line = await feed.next();
    while (line !== undefined) line = await feed.next();
    assert.equal((await ok(node.operator.getProduct(productId))).availableStock, 0);
  });

  test('it outlives a restart; codes do not', async () => {
    const { token } = await created('lena', 'viewer');
    const [stays, ends] = [await signedIn(token), await signedIn(token)];
    const roots = await signedIn(await rootToken());
    await ok(ends.client.json('DELETE', `/sessions/${ends.sessionId}`));
    const code = await codeOf(clientOf(token));
    const before = (await listed(stays.client)).map(({ lastUsedAt, ...rest }) => rest);
    await node.restart();
    const [again, endedAgain, rootsAgain] = [stays, ends, roots].map((one) => clientOf(one.token));
    assert.deepEqual(
      (await listed(again ?? node.operator)).map(({ lastUsedAt, ...rest }) => rest),
      before,
    );
    assert.equal(await isIn(endedAgain ?? node.operator), false);
    assert.equal(await isIn(rootsAgain ?? node.operator), true);
    assertRefused(await signIn({ code }), 401, 'UNAUTHORIZED');
  });

  test('the owner’s ends when the node has started with another token of his', async () => {
    const roots = await signedIn(await rootToken());
    const mias = await signedIn((await created('mia', 'viewer')).token);
    await node.stop();
    writeFileSync(join(node.folder.path, 'operator-token'), `${'b'.repeat(48)}\n`, { mode: 0o600 });
    await node.start();
    assert.equal(await isIn(clientOf(roots.token)), false);
    assert.equal(await isIn(clientOf(mias.token)), true);
  });

  test('they lie in a file that nobody else can read, and their tokens nowhere', async () => {
    const file = join(node.folder.path, 'console-sessions');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const root = await rootToken();
    for (const entry of readdirSync(node.folder.path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      for (const secret of secrets) {
        assert.equal(bytes.includes(secret.slice(4)), false, `${entry.name} has ${secret.slice(0, 4)}`);
      }
      if (entry.name === 'console-sessions') assert.equal(bytes.includes(root), false);
    }
    assert.ok(secrets.length > 10);
  });

  test('a damaged file keeps no node from starting: people sign in again', async () => {
    const { token } = await created('nina', 'viewer');
    const { token: session } = await signedIn(token);
    await node.stop();
    writeFileSync(join(node.folder.path, 'console-sessions'), '{"lastId":');
    await node.start();
    assert.equal(await isIn(clientOf(session)), false);
    assert.equal(await isIn((await signedIn(token)).client), true);
  });

  test('wrong ones are throttled together with wrong tokens, and right ones never', async () => {
    const { token } = await created('otto', 'viewer');
    const code = await codeOf(clientOf(token));
    await node.restart();
    for (let count = 0; count < 7; count += 1) {
      assertRefused(await signIn({ code: `poc_${count}` }), 401, 'UNAUTHORIZED');
      assertRefused(await signIn({ token: `pot_${count}` }), 401, 'UNAUTHORIZED');
      if (count < 6)
        assertRefused(await clientOf(`pos_${count}`).json('GET', '/session'), 401, 'UNAUTHORIZED');
    }
    for (const body of [{ code: 'poc_x' }, { token: 'pot_x' }, { code }]) {
      const reply = await signIn(body);
      assertRefused(reply, 429, 'RATE_LIMITED');
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
    }
    assertRefused(await clientOf('pos_x').json('GET', '/session'), 429, 'RATE_LIMITED');
    assert.equal(await isIn((await signedIn(token)).client), true);
    assertDone(await signIn({ code: await codeOf(clientOf(token)) }), 201);
  });
});
