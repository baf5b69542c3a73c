/** The life of an operator: created, given other tokens, revoked; over restarts, and with no token on disk. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { loadConfig } from '../../../src/config/config.ts';
import { PurserNode } from '../../../src/node.ts';
import { purser } from '../../cli/fake-operator.ts';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { eventually } from '../../support/eventually.ts';
import { openUpload } from '../../support/open-upload.ts';
import { type OperatorClient, type OperatorReply, ok } from '../../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('operators', () => {
  let folder: TemporaryFolder;
  let node: PurserNode;
  let root: OperatorClient;
  const tokens: string[] = [];

  before(async () => {
    folder = await createTemporaryFolder('operators');
    await start();
  });
  after(async () => {
    await node.stop();
    await folder.remove();
  });

  async function start(): Promise<void> {
    const flags = { data: folder.path, port: '0', operatorPort: '0', transport: 'node' };
    node = await PurserNode.start({
      config: loadConfig(flags, {}, () => ''),
      log: pino({ level: 'silent' }),
      onFatal: (error) => assert.fail(error as Error),
    });
    root = new CheckedOperatorClient(node.operatorUrl, node.operatorToken);
  }

  async function created(name: string, role: string, more: object = {}) {
    const { operatorId = 0, token = '' } = await ok(
      root.json('POST', '/operators', { name, role, reason: 'a test', ...more }),
    );
    tokens.push(token);
    return { operatorId, token };
  }

  async function rotated(operatorId: number, query = '', body: object = {}): Promise<OperatorReply> {
    const reply = await root.json('POST', `/operators/${operatorId}/token${query}`, body);
    if (reply.body.token !== undefined) tokens.push(reply.body.token);
    return reply;
  }

  /** Whether the token opens anything. */
  async function works(token: string | undefined): Promise<boolean> {
    const { status } = await new CheckedOperatorClient(node.operatorUrl, token ?? '').json(
      'GET',
      '/accounts',
    );
    assert.ok(status === 200 || status === 401, `${status}`);
    return status === 200;
  }

  async function newestSeq(): Promise<number> {
    const { journalPosition } = (await root.json('GET', '/status')).body as { journalPosition?: number };
    return journalPosition ?? assert.fail('no position');
  }

  async function listed(): Promise<readonly Record<string, unknown>[]> {
    const { operators = [] } = await ok(root.json('GET', '/operators'));
    return operators;
  }

  test('a token is shown by the answer that makes it, and never again', async () => {
    const { operatorId, token } = await created('anna', 'support');
    assert.match(token, /^pot_[0-9a-f]{48}$/);
    assert.equal(await works(token), true);
    const shown = await root.json('GET', `/operators/${operatorId}`);
    assertDone(shown, 200);
    const { createdAt, requestId: _, ...rest } = shown.body;
    assert.deepEqual(rest, { success: true, operatorId, name: 'anna', role: 'support' });
    assert.ok(Math.abs(Number(createdAt) - Date.now()) < 60_000);
    assert.equal((await root.json('GET', '/operators')).text.includes(token), false);
  });

  const refused: [why: string, body: object, says?: RegExp][] = [
    ['a name that is taken', { name: 'anna', role: 'viewer' }],
    ['a name that is taken, in capitals', { name: 'Anna', role: 'viewer' }],
    ['the owner’s name', { name: 'root', role: 'viewer' }],
    ['the owner’s name, in capitals', { name: 'ROOT', role: 'viewer' }],
    ['no name', { role: 'viewer' }],
    ['an empty name', { name: '', role: 'viewer' }],
    ['a name with a space', { name: 'anna b', role: 'viewer' }],
    ['a name of 65 characters', { name: 'a'.repeat(65), role: 'viewer' }],
    ['no role', { name: 'otto' }],
    ['an unknown role', { name: 'otto', role: 'admin' }],
    [
      'an end that is no time',
      { name: 'otto', role: 'viewer', expiresAt: 'tomorrow' },
      /expiresAt is "tomorrow": write a/,
    ],
    [
      'an end of another kind',
      { name: 'otto', role: 'viewer', expiresAt: true },
      /expiresAt must be a date like/,
    ],
    ['an end in seconds', { name: 'otto', role: 'viewer', expiresAt: 4_000_000_000 }, /at least 11 digits/],
    [
      'an end that has passed',
      { name: 'otto', role: 'viewer', expiresAt: '2020-01-01' },
      /must be in the future/,
    ],
    ['an empty reason', { name: 'otto', role: 'viewer', reason: '' }],
    ['a reason of 501 characters', { name: 'otto', role: 'viewer', reason: 'x'.repeat(501) }],
  ];
  test('POST /operators refuses what can’t be one, and creates nothing', async () => {
    for (const [why, body, says = /./] of refused) {
      const reply = await root.json('POST', '/operators', body);
      assert.equal(reply.status, 400, why);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(String(reply.body.message), says, why);
    }
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ['anna'],
    );
  });

  test('a token that expires opens nothing afterwards, until there is another', async () => {
    const expiresAt = Date.now() + 500;
    const { operatorId, token } = await created('temp', 'viewer', { expiresAt });
    assert.equal(await works(token), true);
    await eventually('it has expired', async () => !(await works(token)));
    assert.ok(Date.now() >= expiresAt);
    const endless = await rotated(operatorId);
    assertRefused(endless, 400, 'BAD_REQUEST');
    assert.match(endless.text, /send expiresAt/);
    const { body } = await rotated(operatorId, '?overlap=10m', { expiresAt: '2999-01-01' });
    assert.deepEqual([await works(body.token), await works(token)], [true, false]);
    assert.equal(body.expiresAt, Date.parse('2999-01-01'));
  });

  test('a new token ends the old one at once, or after the overlap', async () => {
    const { operatorId, token: first } = await created('bot', 'finance');
    const second = (await rotated(operatorId)).body.token;
    assert.deepEqual([await works(first), await works(second)], [false, true]);
    const reply = await rotated(operatorId, '?overlap=10m');
    const third = reply.body.token;
    assert.deepEqual([await works(second), await works(third)], [true, true]);
    assert.ok(Number(reply.body.previousTokenExpiresAt) > Date.now() + 500_000);
    const fourth = (await rotated(operatorId, '?overlap=1s')).body.token;
    assert.deepEqual([await works(second), await works(third), await works(fourth)], [true, true, true]);
    await eventually('the overlap is over', async () => !(await works(third)));
    assert.deepEqual([await works(second), await works(fourth)], [true, true], 'each to its promised end');
    for (const query of ['?overlap=31d', '?overlap=soon', '?overlap=-1s', '?overlap=']) {
      assertRefused(await rotated(operatorId, query), 400, 'BAD_REQUEST');
    }
  });

  test('an overlap is no longer than the new token', async () => {
    const { operatorId, token } = await created('short', 'viewer');
    const expiresAt = Date.now() + 300_000;
    const { body } = await rotated(operatorId, '?overlap=10m', { expiresAt });
    assert.deepEqual([body.expiresAt, body.previousTokenExpiresAt], [expiresAt, expiresAt]);
    assert.equal(await works(token), true);
  });

  test('there are at most four tokens, and one more is refused', async () => {
    const { operatorId, token: first } = await created('many', 'viewer');
    for (let more = 0; more < 3; more += 1) assertDone(await rotated(operatorId, '?overlap=10m'), 201);
    const reply = await rotated(operatorId, '?overlap=10m');
    assertRefused(reply, 400, 'BAD_REQUEST');
    assert.match(reply.text, /has 4 tokens that still open/);
    assertDone(await rotated(operatorId), 201);
    assert.equal(await works(first), true);
  });

  test('who is revoked is out at once and for good, and the name stays taken', async () => {
    const { operatorId, token } = await created('gone', 'owner');
    const second = (await rotated(operatorId, '?overlap=10m')).body.token;
    const reply = await root.json('DELETE', `/operators/${operatorId}?reason=left`);
    assertDone(reply, 200);
    assert.ok(Number(reply.body.revokedAt) > 0);
    assert.deepEqual([await works(token), await works(second)], [false, false]);
    assertRefused(await root.json('DELETE', `/operators/${operatorId}`), 400, 'BAD_REQUEST');
    assertRefused(await rotated(operatorId), 400, 'BAD_REQUEST');
    assertRefused(
      await root.json('POST', '/operators', { name: 'gone', role: 'viewer' }),
      400,
      'BAD_REQUEST',
    );
    assertRefused(await root.json('DELETE', '/operators/999'), 404, 'NOT_FOUND');
  });

  const STOCK_ITEMS = '/products/{id}/stock';
  const uploads: [
    what: string,
    type: string,
    call: [string, string],
    contentType: string,
    parts: string[],
  ][] = [
    ['items as text', 'standard', ['POST', STOCK_ITEMS], 'text/plain', ['a\n', 'b\n']],
    ['a list of items', 'standard', ['POST', STOCK_ITEMS], 'application/json', ['{"items":', '["a"]}']],
    ['a file', 'file', ['PUT', '/products/{id}/file'], 'application/pdf', ['first', 'last']],
    ['a change', 'standard', ['PATCH', '/products/{id}'], 'application/json', ['{"name":', '"other"}']],
  ];
  test('what was being sent when its token ended changes nothing', async () => {
    for (const [what, type, [method, path], contentType, [first = '', last = '']] of uploads) {
      const product = { name: what, priceUsdt: 1, type };
      const { productId } = await ok(root.json('POST', '/products', product));
      const shown = async () => ({
        ...(await ok(root.json('GET', `/products/${productId}`))),
        requestId: '',
      });
      const before = await shown();
      const { operatorId, token } = await created(what.replaceAll(' ', '-'), 'stock');
      const operator = new CheckedOperatorClient(node.operatorUrl, token);
      const upload = openUpload(operator, method, path.replace('{id}', `${productId}`), first, contentType);
      await delay(20);
      await ok(root.json('DELETE', `/operators/${operatorId}`));
      assertRefused(await upload.end(last), 401, 'UNAUTHORIZED');
      assert.deepEqual(await shown(), before, what);
    }
    const kept = filesIn(join(folder.path, 'files'));
    assert.deepEqual(kept, []);
  });

  test('an open feed ends with its token: revoked, replaced or expired', async () => {
    const ends: [how: string, end: (operatorId: number) => Promise<unknown>][] = [
      ['revoked', (operatorId) => ok(root.json('DELETE', `/operators/${operatorId}`))],
      ['replaced', (operatorId) => rotated(operatorId)],
      ['expired', (operatorId) => rotated(operatorId, '?overlap=100ms')],
    ];
    await Promise.all(
      ends.map(async ([how, end]) => {
        const { operatorId, token } = await created(`reader-${how}`, 'viewer');
        const { operatorUrl } = node;
        const [feed, roots] = await Promise.all([
          FeedConnection.after({ operatorUrl, operatorToken: token }, 0),
          FeedConnection.after(node, 0),
        ]);
        assert.equal((await feed.next())?.seq, 1);
        await end(operatorId);
        let line = await feed.next();
        while (line !== undefined) line = await feed.next();
        for (let last = 0; last < (await newestSeq()); ) last = (await roots.next())?.seq ?? assert.fail(how);
        roots.close();
      }),
    );
  });

  test('what an owner with a name does is in the facts with who, why and the request', async () => {
    const { operatorId, token } = await created('olga', 'owner');
    const olga = new CheckedOperatorClient(node.operatorUrl, token);
    const made = await ok(
      olga.json('POST', '/operators', { name: 'paul', role: 'stock', reason: 'new here' }),
    );
    const left = await ok(olga.json('DELETE', `/operators/${made.operatorId}?reason=left%20again`));
    const target = ['--operator', node.operatorUrl, '--token', node.operatorToken];
    const { stdout } = await purser(['feed', '--until', 'now', ...target]);
    const [creation, revocation] = stdout
      .trimEnd()
      .split('\n')
      .slice(-2)
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      [creation.type, creation.by],
      ['OperatorCreated', { operatorId, reason: 'new here', requestId: made.requestId }],
    );
    assert.deepEqual(
      [revocation.type, revocation.by],
      ['OperatorRevoked', { operatorId, reason: 'left again', requestId: left.requestId }],
    );
    assert.equal(stdout.includes(token), false);
  });

  test('after a restart names, roles and tokens are as they were, and no token is in the folder', async () => {
    const { token } = await created('late', 'viewer');
    const before = await listed();
    await node.stop();
    const needles = tokens.flatMap((secret) => [secret, secret.slice('pot_'.length)]);
    let hashes = 0;
    for (const file of filesIn(folder.path)) {
      const bytes = readFileSync(file);
      for (const needle of needles) assert.equal(bytes.includes(needle), false, file);
      if (bytes.includes(createHash('sha256').update(token).digest('hex'))) hashes += 1;
      const rawHash = createHash('sha256').update(token).digest();
      if (bytes.includes(rawHash)) hashes += 1;
    }
    assert.ok(hashes > 0, 'the search would have found what is there');
    await start();
    assert.deepEqual(await listed(), before);
    assert.equal(await works(token), true);
  });

  test('the owner’s token is another after its file was replaced and the node has started again', async () => {
    const [old, fresh] = [node.operatorToken, 'a'.repeat(48)];
    await node.stop();
    writeFileSync(join(folder.path, 'operator-token'), `${fresh}\n`, { mode: 0o600 });
    await start();
    assert.deepEqual([await works(old), await works(fresh)], [false, true]);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
