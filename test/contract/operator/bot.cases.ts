/** COMMERCE.md §7, role `bot`: each call about an account of its own and about another's, lists, and the feed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { eventually } from '../../support/eventually.ts';
import { type OperatorClient, ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

/** A call and its status about an account of the bot's own. */
type Call = readonly [call: string, status: number, body?: object];

const FREE: readonly Call[] = [
  ['GET /accounts/{account}', 200],
  ['PATCH /accounts/{account}', 200, { name: 'Renamed' }],
  ['GET /accounts/{account}/statement', 200],
  ['GET /accounts/{account}/price?productId={product}&quantity=2', 200],
  ['POST /accounts/{account}/key', 201, {}],
  ['PATCH /accounts/{account}/key', 200, { active: false }],
  ['DELETE /accounts/{account}/key', 200],
  ['GET /webhooks/{account}/deliveries', 200],
  // There is no webhook to test.
  ['POST /webhooks/{account}/test', 404],
  ['GET /orders?accountId={account}', 200],
  ['POST /orders', 201, { accountId: '{account}', productId: '{product}' }],
  ['GET /orders/{order}', 200],
  // It delivers no file.
  ['GET /orders/{order}/file', 404],
  ['POST /orders/{order}/pay', 200],
  ['POST /orders/{order}/fail', 200],
];

/** Calls that a bot may not make, about an account of its own neither. */
const FORBIDDEN: readonly Call[] = [
  ['PATCH /accounts/{account}', 403, { rateLimitPerMinute: null }],
  ['PATCH /accounts/{account}', 403, { priceListId: null, name: 'Renamed' }],
  ['PATCH /accounts/{account}', 403, { externalId: 'chat:1' }],
  ['POST /accounts/{account}/credits', 403, { amountUsdt: 1, reference: 'a gift' }],
  ['GET /accounts/{account}/prices', 403],
  ['PUT /accounts/{account}/prices/{product}', 403, { priceUsdt: 0 }],
  ['POST /webhooks/{account}/replay', 403, { since: '2020-01-01' }],
  ['POST /orders/{order}/complete', 403, {}],
  ['POST /orders/{order}/refund', 403, {}],
  ['GET /orders/{order}/timeline', 403],
  ['GET /orders', 403],
  ['GET /products/{product}/lots', 403],
];

export const bots = casesOf('operator API: bots', (scene) => {
  async function bot(prefix?: string) {
    const input = { name: `bot-${randomUUID()}`, role: 'bot', externalIdPrefix: prefix };
    const made = JSON.parse((await scene.operator.json('POST', '/operators', input)).text);
    assert.equal(made.externalIdPrefix, prefix ?? 'telegram:');
    const token: string = made.token;
    const operatorId: number = made.operatorId;
    return { token, operatorId, client: new CheckedOperatorClient(scene.server.operatorUrl, token) };
  }

  async function accountOf(client: OperatorClient, input: object): Promise<number> {
    const reply = await client.json('POST', '/accounts', { name: 'Chat', ...input });
    assert.ok(reply.status === 201 || reply.status === 200, reply.text);
    return known(reply.body.accountId);
  }

  /** The reply to a call about this account, of which an order is open. */
  async function called(client: OperatorClient, accountId: number, productId: number, [call, , body]: Call) {
    const { orderId } = await ok(scene.operator.json('POST', '/orders', { accountId, productId }));
    await ok(scene.operator.credit(accountId, 10, randomUUID()));
    if (call.includes('key')) await scene.freshKey(accountId);
    const text = JSON.stringify([call, body])
      .replace('"{account}"', String(accountId))
      .replace('"{product}"', String(productId))
      .replace('{account}', String(accountId))
      .replace('{product}', String(productId))
      .replace('{order}', String(orderId));
    const [line, sent] = JSON.parse(text);
    const [method, path] = line.split(' ');
    return client.json(method, path, sent ?? undefined);
  }

  test('are made with a prefix, which no other role has', async () => {
    const input = { name: `nobot-${randomUUID()}`, role: 'viewer', externalIdPrefix: 'telegram:' };
    assertRefused(await scene.operator.json('POST', '/operators', input), 400, 'BAD_REQUEST');
  });

  test('make the free calls about accounts that they made or that have their prefix, and about no other', async () => {
    const { client, operatorId } = await bot('chat:');
    const named = await accountOf(scene.operator, { externalId: `chat:${randomUUID()}` });
    const made = await accountOf(client, {});
    const stranger = await accountOf(scene.operator, {});
    const capitals = await accountOf(scene.operator, { externalId: `Chat:${randomUUID()}` });
    const anothers = await accountOf((await bot('other:')).client, {});
    const productId = await scene.product({ stock: 10 });
    for (const call of FREE)
      assert.equal((await called(client, named, productId, call)).status, call[1], call[0]);
    for (const call of [...FREE, ...FORBIDDEN])
      assertRefused(
        await called(client, call[1] === 403 ? named : stranger, productId, call),
        403,
        'FORBIDDEN',
      );
    const paths = (accountId: number) => [`/accounts/${accountId}`, `/orders?accountId=${accountId}`];
    for (const path of paths(made)) assertDone(await client.json('GET', path), 200);
    const botOf = async (id: number) => JSON.parse((await client.json('GET', `/accounts/${id}`)).text).botId;
    assert.deepEqual([await botOf(made), await botOf(named)], [operatorId, undefined]);
    for (const path of [...paths(capitals), ...paths(anothers)]) {
      const reply = await client.json('GET', path);
      assertRefused(reply, 403, 'FORBIDDEN');
      assert.match(String(reply.body.message), /^Your role is bot: .*chat:/);
    }
    for (const path of ['/accounts/999999', '/orders/999999999'])
      assertRefused(await client.json('GET', path), 403, 'FORBIDDEN');
    assertDone(await client.json('GET', '/products'), 200);
    assertDone(await client.json('GET', `/products/${await scene.product()}`), 200);
  });

  test('make accounts with a name and an externalId of their prefix, nothing else, and find them again', async () => {
    const { client } = await bot();
    const externalId = `telegram:${randomUUID()}`;
    const accountId = await accountOf(client, { externalId });
    const again = await client.json('POST', '/accounts', { name: 'Chat', externalId });
    assert.deepEqual([again.status, again.body.accountId, again.body.repeated], [200, accountId, true]);
    for (const [input, names] of [
      [{ externalId: `other:${randomUUID()}` }, /telegram:/],
      [{ spendLimits: [] }, /spendLimits/],
      [{ priceListId: 1 }, /priceListId/],
      [{ rateLimitPerMinute: null }, /rateLimitPerMinute/],
    ] as const) {
      const reply = await client.json('POST', '/accounts', { name: 'Chat', ...input });
      assertRefused(reply, 403, 'FORBIDDEN');
      assert.match(String(reply.body.message), names);
    }
  });

  test('list their own accounts alone, however they ask', async () => {
    const { client } = await bot('listed:');
    const externalId = `listed:${randomUUID()}`;
    const stranger = `stranger:${randomUUID()}`;
    const own = [await accountOf(client, {}), await accountOf(scene.operator, { externalId })];
    const other = await accountOf(scene.operator, { externalId: stranger });
    const listed = async (query: string) => {
      const { text } = await client.json('GET', `/accounts${query}`);
      return JSON.parse(text).accounts.map((account: { readonly accountId: number }) => account.accountId);
    };
    assert.deepEqual(await listed(''), own);
    assert.deepEqual(await listed('?search=Chat'), own);
    assert.deepEqual(await listed(`?search=${other}`), []);
    assert.deepEqual(await listed(`?externalId=${externalId}`), [own[1]]);
    assert.deepEqual(await listed(`?externalId=${stranger}`), []);
    assert.deepEqual(await listed('?limit=1'), [own[0]]);
  });

  test('read the file of an order of theirs, while it is completed', async () => {
    const { client, token } = await bot();
    const accountId = await accountOf(client, { externalId: `telegram:${randomUUID()}` });
    await ok(scene.operator.credit(accountId, 10, randomUUID()));
    const productId = await scene.product({ type: 'file' });
    const bytes = Buffer.from('%PDF and so on');
    await ok(scene.operator.setFile(productId, bytes, 'application/pdf'));
    const { orderId } = await ok(client.json('POST', '/orders', { accountId, productId }));
    const path = `/orders/${orderId}/file`;
    assertRefused(await client.json('GET', path), 404, 'NOT_FOUND');
    await ok(client.json('POST', `/orders/${orderId}/pay`, {}));
    const headers = { authorization: `Bearer ${token}`, range: 'bytes=1-' };
    const part = await fetch(`${scene.server.operatorUrl}${path}`, { headers });
    assert.deepEqual([part.status, part.headers.get('content-type')], [206, 'application/pdf']);
    assert.equal(await part.text(), 'PDF and so on');
    await ok(scene.operator.adjustOrder(known(orderId), 'refund', {}, randomUUID()));
    assertRefused(await client.json('GET', path), 404, 'NOT_FOUND');
  });

  test('follow the feed of their own accounts, those of before and those that come', async () => {
    const { client, token: operatorToken } = await bot('fed:');
    const { journalPosition: after } = JSON.parse((await scene.operator.json('GET', '/status')).text);
    const named = await accountOf(scene.operator, { externalId: `fed:${randomUUID()}` });
    const stranger = await accountOf(scene.operator, {});
    const reader = await FeedConnection.open({ ...scene.server, operatorToken }, `?after=${after}`);
    const made = await accountOf(client, {});
    for (const accountId of [stranger, named, made]) {
      const deposit = { network: 'trc20', amountUsdt: 5 };
      assertDone(await scene.operator.json('POST', `/accounts/${accountId}/deposits`, deposit), 201);
      await ok(scene.operator.credit(accountId, 10, 'deposit'));
      const productId = await scene.product({ stock: 1 });
      const { orderId } = await ok(scene.operator.json('POST', '/orders', { accountId, productId }));
      await ok(scene.operator.json('POST', `/orders/${orderId}/pay`));
    }
    const prefix = { externalId: `fed:${randomUUID()}` };
    assertDone(await scene.operator.json('PATCH', `/accounts/${stranger}`, prefix), 200);
    assertDone(await scene.operator.json('PATCH', `/accounts/${stranger}`, { externalId: null }), 200);
    assertDone(await scene.operator.json('PATCH', `/accounts/${made}`, { name: 'Last' }), 200);
    const told: string[] = [];
    for (;;) {
      const line = known(await reader.next());
      const about = (line.account ?? line.order ?? line) as { readonly accountId: number };
      const name = [named, made, stranger].indexOf(about.accountId);
      told.push(`${line.type} ${['named', 'made', 'stranger'][name]}`);
      if (line.type === 'AccountUpdated' && name === 1) break;
    }
    reader.close();
    const bought = ['DepositOpened', 'WalletCredited', 'OrderOpened', 'OrderPaid', 'ItemTextsShown'];
    assert.deepEqual(told, [
      'AccountCreated named',
      'AccountCreated made',
      ...bought.map((type) => `${type} named`),
      ...bought.map((type) => `${type} made`),
      'AccountUpdated stranger',
      'AccountUpdated made',
    ]);
  });

  test('say how they are by asking for their feed: how far they have come, and who has blocked them', async () => {
    const { client, token: operatorToken, operatorId } = await bot('seen:');
    const read = async () => {
      const { bots: all } = JSON.parse((await scene.operator.json('GET', '/bots')).text);
      return known(all.find((each: { readonly operatorId: number }) => each.operatorId === operatorId));
    };
    const nothing = { behind: null, nextLineAt: null, blockedChats: null, unsentMessages: null };
    const { name, ...unseen } = await read();
    assert.match(name, /^bot-/);
    assert.deepEqual(unseen, { operatorId, externalIdPrefix: 'seen:', lastSeenAt: null, ...nothing });
    assertDone(await client.json('GET', '/products?limit=1'), 200);
    const { lastSeenAt, ...called } = await read();
    assert.equal(typeof lastSeenAt, 'number');
    assert.deepEqual(called, { operatorId, name, externalIdPrefix: 'seen:', ...nothing });

    const { journalPosition: after } = JSON.parse((await scene.operator.json('GET', '/status')).text);
    const stranger = await accountOf(scene.operator, {});
    const made = await accountOf(client, {});
    for (const accountId of [stranger, made]) await ok(scene.operator.credit(accountId, 1, 'deposit'));
    const follow = (query: string) => FeedConnection.open({ ...scene.server, operatorToken }, query);
    const first = await follow(`?after=${after}&blockedChats=3`);
    const [one, two] = [known(await first.next()), known(await first.next())];
    const late = await read();
    assert.deepEqual([late.behind, late.nextLineAt, late.blockedChats], [2, one.at, 3]);
    // The reply that is still open counts as being there.
    await eventually('it is seen again', async () => (await read()).lastSeenAt > late.lastSeenAt);
    first.close();
    const types = await follow(`?after=${after}&types=WalletCredited`);
    const { behind, nextLineAt, blockedChats } = await read();
    assert.deepEqual([behind, nextLineAt, blockedChats], [1, two.at, null]);
    types.close();
    const last = await follow(`?after=${two.seq}&blockedChats=0&unsentMessages=7`);
    await ok(scene.operator.credit(stranger, 1, 'another'));
    const done = await read();
    assert.deepEqual([done.behind, done.nextLineAt], [0, null]);
    assert.deepEqual([done.blockedChats, done.unsentMessages], [0, 7]);
    await ok(scene.operator.credit(made, 1, 'another'));
    assert.equal((await read()).behind, 1, 'counted on from there');
    last.close();

    for (const chats of ['-1', '1.5', 'many', '1000000001'])
      assertRefused(await client.json('GET', `/feed?blockedChats=${chats}`), 400, 'BAD_REQUEST');
    assertRefused(await scene.operator.json('GET', '/feed?blockedChats=1'), 400, 'BAD_REQUEST');
    assertRefused(await client.json('GET', '/bots'), 403, 'FORBIDDEN');
    assertDone(await scene.operator.json('DELETE', `/operators/${operatorId}`), 200);
    await assert.rejects(read(), 'it is not listed any more');
  });
});
