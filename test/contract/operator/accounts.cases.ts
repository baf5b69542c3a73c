/** DESIGN.md §7: accounts, their keys and their money. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused, listAll } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

const badAccounts: readonly (readonly [why: string, body: unknown])[] = [
  ['no name', {}],
  ['a rate limit of 0', { name: 'a', rateLimitPerMinute: 0 }],
  ['a rate limit that isn’t whole', { name: 'a', rateLimitPerMinute: 1.5 }],
  ['no webhook at a time', { name: 'a', webhookConcurrency: 0 }],
];

/** Sent as text, for what JSON.stringify can't write. */
const badCredits: readonly (readonly [why: string, body: string])[] = [
  ['no amount', '{"reference":"r"}'],
  ['no reference', '{"amountUsdt":1}'],
  ['an amount as a string', '{"amountUsdt":"1","reference":"r"}'],
  ['an amount of zero', '{"amountUsdt":0,"reference":"r"}'],
  ['an amount finer than a millionth', '{"amountUsdt":0.0000001,"reference":"r"}'],
  ['an amount too large for the ledger', '{"amountUsdt":10000000000,"reference":"r"}'],
  ['an amount that no JSON number says exactly', '{"amountUsdt":8600000000.13,"reference":"r"}'],
  ['an amount too large for an exact number', '{"amountUsdt":9007199254740993,"reference":"r"}'],
  ['an absurd adjustment', '{"amountUsdt":-1e308,"reference":"r"}'],
];

export const accounts = casesOf('operator API: accounts', (scene) => {
  async function account(): Promise<number> {
    return known((await ok(scene.operator.createAccount({ name: 'Someone' }))).accountId);
  }

  async function balanceUsdt(accountId: number): Promise<number> {
    return known((await ok(scene.operator.getAccount(accountId))).balanceUsdt);
  }

  test('POST /accounts opens an account without money', async () => {
    const reply = await scene.operator.createAccount({ name: 'Reseller “Ünï”' });
    assertDone(reply, 201);
    const { name, balanceUsdt, heldUsdt } = await ok(scene.operator.getAccount(known(reply.body.accountId)));
    assert.deepEqual([name, balanceUsdt, heldUsdt], ['Reseller “Ünï”', 0, 0]);
  });

  test('what can be no account, and what is asked of one that isn’t there, is refused', async () => {
    for (const [why, body] of badAccounts) {
      assert.equal((await scene.operator.json('POST', '/accounts', body)).status, 400, why);
    }
    for (const reply of [
      scene.operator.issueKey(999_999_999),
      scene.operator.revokeKey(999_999_999),
      scene.operator.credit(999_999_999, 1, 'r'),
      scene.operator.json('PATCH', '/accounts/999999999', { name: 'b' }),
    ]) {
      assertRefused(await reply, 404, 'NOT_FOUND');
    }
  });

  test('the rate limit is 120 unless given, null lifts it, PATCH changes it', async () => {
    const limitOf = async (reply: Promise<{ text: string }>) =>
      (JSON.parse((await reply).text) as { rateLimitPerMinute?: unknown }).rateLimitPerMinute;
    const accountId = await account();
    assert.equal(await limitOf(scene.operator.getAccount(accountId)), 120);
    for (const rateLimitPerMinute of [6000, null]) {
      const path = `/accounts/${accountId}`;
      assertDone(await scene.operator.json('PATCH', path, { rateLimitPerMinute }), 200);
      assert.equal(await limitOf(scene.operator.getAccount(accountId)), rateLimitPerMinute);
    }
    const refused = await scene.operator.json('PATCH', `/accounts/${accountId}`, { rateLimitPerMinute: -5 });
    assertRefused(refused, 400, 'BAD_REQUEST');
    assert.equal(await limitOf(scene.operator.getAccount(accountId)), null);
    const listed = await listAll(scene.operator, 'accounts', 'accountId');
    assert.equal(listed.filter((other) => other === accountId).length, 1);
  });

  test('an externalId is of one account: it finds it, makes no second one, and can’t be given to another', async () => {
    const [externalId, other] = [`telegram:${randomUUID()}`, `shop “Ü”:${randomUUID()}`];
    const call = async (method: string, path: string, body?: unknown) => {
      const { status, text } = await scene.operator.json(method, path, body);
      return { status, ...JSON.parse(text) } as Record<string, unknown>;
    };
    const find = async (text: string) =>
      (await call('GET', `/accounts?externalId=${encodeURIComponent(text)}`)).accounts as {
        accountId: number;
        externalId: string;
      }[];
    const made = await call('POST', '/accounts', { name: 'First', externalId });
    assert.deepEqual([made.status, made.externalId, 'repeated' in made], [201, externalId, false]);
    const again = await call('POST', '/accounts', { name: 'Second', externalId });
    const { status, accountId, name, repeated } = again;
    assert.deepEqual([status, accountId, name, repeated], [200, made.accountId, 'First', true]);
    assert.deepEqual(
      (await find(externalId)).map(({ accountId: id }) => id),
      [made.accountId],
    );
    assert.deepEqual(await find(externalId.toUpperCase()), []);
    assert.deepEqual((await call('GET', `/accounts?externalId=${externalId}&search=Sec`)).accounts, []);
    const second = await account();
    assert.equal((await call('GET', `/accounts/${second}`)).externalId, null);
    const taken = await scene.operator.json('PATCH', `/accounts/${second}`, { externalId, name: 'x' });
    assertRefused(taken, 409, 'ALREADY_TAKEN');
    assert.equal((await call('GET', `/accounts/${second}`)).name, 'Someone');
    // Its own again, another one, and none: the one that it leaves is free.
    const path = `/accounts/${made.accountId}`;
    assert.equal((await call('PATCH', path, { externalId })).status, 200);
    assert.equal((await call('PATCH', path, { externalId: other })).externalId, other);
    assert.equal((await call('PATCH', `/accounts/${second}`, { externalId })).externalId, externalId);
    assert.equal((await call('PATCH', path, { externalId: null })).externalId, null);
    assert.deepEqual(await find(other), []);
    for (const bad of ['', 'x'.repeat(129), 7]) {
      const refused = await scene.operator.json('PATCH', path, { externalId: bad });
      assertRefused(refused, 400, 'BAD_REQUEST');
      assert.match(refused.text, /externalId/);
    }
    for (const query of ['externalId=', `externalId=${'x'.repeat(129)}`]) {
      assertRefused(await scene.operator.json('GET', `/accounts?${query}`), 400, 'BAD_REQUEST');
    }
  });

  test('twenty accounts at once with one externalId are one account', async () => {
    const body = { name: 'Once', externalId: randomUUID() };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => scene.operator.json('POST', '/accounts', body)),
    );
    const ids = replies.map(({ text }) => (JSON.parse(text) as { accountId: number }).accountId);
    assert.equal(new Set(ids).size, 1);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(19).fill(200), 201]);
  });

  test('the accounts of a price list are listed by it, with the other filters, in pages', async () => {
    const call = async (method: string, path: string, body?: unknown) => {
      const { status, text } = await scene.operator.json(method, path, body);
      assert.ok(status < 300, text);
      return JSON.parse(text);
    };
    const list = async () => (await call('POST', '/price-lists', { name: 'Gold' })).priceListId as number;
    const [priceListId, other] = [await list(), await list()];
    const name = randomUUID();
    const [first, stranger, last] = [await account(), await account(), await account()];
    for (const one of [last, first]) await call('PATCH', `/accounts/${one}`, { priceListId });
    await call('PATCH', `/accounts/${last}`, { name });
    await call('PATCH', `/accounts/${stranger}`, { priceListId: other });
    const have = async (query: string) => {
      const { accounts: rows, nextCursor } = await call('GET', `/accounts?priceListId=${query}`);
      return [rows.map(({ accountId }: { accountId: number }) => accountId), nextCursor];
    };
    assert.deepEqual(await have(`${priceListId}`), [[first, last], undefined]);
    assert.deepEqual(await have(`${priceListId}&limit=1`), [[first], String(first)]);
    assert.deepEqual(await have(`${priceListId}&limit=1&cursor=${first}`), [[last], undefined]);
    assert.deepEqual(await have(`${priceListId}&search=${name}`), [[last], undefined]);
    assert.deepEqual(await have(`${other}&search=${name}`), [[], undefined]);
    await call('PATCH', `/accounts/${stranger}`, { priceListId: null });
    assert.deepEqual(await have(`${other}`), [[], undefined]);
    for (const bad of ['', '0', 'x', '-1', '1.5']) {
      const refused = await scene.operator.json('GET', `/accounts?priceListId=${bad}`);
      assertRefused(refused, 400, 'BAD_REQUEST');
      assert.match(refused.text, /priceListId/);
    }
  });

  test('allowedNetworks are shown as they were sent; null is anywhere, and what is no network is refused', async () => {
    const networks = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32', '::1', '::ffff:203.0.113.0/120'];
    const made = await scene.operator.json('POST', '/accounts', { name: 'N', allowedNetworks: networks });
    assert.equal(made.status, 201);
    const { accountId, allowedNetworks } = JSON.parse(made.text);
    assert.deepEqual(allowedNetworks, networks);
    const path = `/accounts/${accountId}`;
    const bad: readonly (readonly [unknown, RegExp])[] = [
      ...['', '192.0.2', '192.0.2.0/33', '192.0.2.0/', '192.0.2.0/024', '::1/129', 'fe80::1%eth0'].map(
        (text) => [['10.0.0.1', text], /allowedNetworks\.1/] as const,
      ),
      ...['a.example', '10.0.0.0/8/8', ' 10.0.0.1', '0x7f.1'].map(
        (text) => [[text], /allowedNetworks\.0/] as const,
      ),
      [[], /allowedNetworks/],
      ['10.0.0.1', /allowedNetworks/],
      [Array(65).fill('10.0.0.1'), /allowedNetworks/],
    ];
    for (const [value, named] of bad) {
      for (const [method, to] of [
        ['PATCH', path],
        ['POST', '/accounts'],
      ] as const) {
        const refused = await scene.operator.json(method, to, { name: 'N', allowedNetworks: value });
        assertRefused(refused, 400, 'BAD_REQUEST');
        assert.match(refused.text, named, JSON.stringify(value));
      }
    }
    assert.deepEqual(JSON.parse((await scene.operator.getAccount(accountId)).text).allowedNetworks, networks);
    const lifted = await scene.operator.json('PATCH', path, { allowedNetworks: null });
    assert.equal(JSON.parse(lifted.text).allowedNetworks, null);
  });

  test('?search= of accounts and products finds a part of a name, in capitals or not, page by page', async () => {
    const word = randomUUID();
    const make = (name: string) =>
      Promise.all([scene.operator.createAccount({ name }), scene.product({ name })]);
    for (const name of [`Gift ${word} 1`, 'another', `${word.toUpperCase()} É`]) await make(name);
    for (const rows of ['accounts', 'products']) {
      const page = async (query: string) =>
        JSON.parse((await scene.operator.json('GET', `/${rows}?limit=1&search=${query}`)).text);
      const first = await page(word.toUpperCase());
      const second = await page(`${word}&cursor=${first.nextCursor}`);
      const found = [...first[rows], ...second[rows]].map(({ name }) => name);
      assert.deepEqual(
        [found, second.nextCursor],
        [[`Gift ${word} 1`, `${word.toUpperCase()} É`], undefined],
      );
      assert.equal((await page('')).error, 'BAD_REQUEST');
    }
  });

  test('a key is shown once; afterwards only its beginning and its scopes are', async () => {
    const accountId = await account();
    const issued = await scene.operator.issueKey(accountId, ['catalog:read', 'orders:read']);
    assertDone(issued, 201);
    const apiKey = known(issued.body.apiKey);
    const shown = await scene.operator.getAccount(accountId);
    const { keyPrefix } = JSON.parse(shown.text) as { keyPrefix?: unknown };
    assert.ok(
      typeof keyPrefix === 'string' && keyPrefix.length >= 8 && apiKey.startsWith(keyPrefix),
      shown.text,
    );
    assert.ok(apiKey.length - keyPrefix.length >= 24, 'what is shown must not help to guess the rest');
    assert.deepEqual(shown.body.scopes, ['catalog:read', 'orders:read']);
    for (const path of ['/accounts', `/accounts/${accountId}`, '/status']) {
      assert.equal((await scene.operator.json('GET', path)).text.includes(apiKey), false, path);
    }
    assert.equal(scene.log().includes(apiKey), false, 'the key is in the log');
  });

  test('a key with scopes that aren’t is 400, and the one before lives', async () => {
    const buyer = await scene.buyer();
    for (const scopes of [['catalog:write'], ['catalog:read', 'everything'], [7], 'catalog:read']) {
      const reply = await scene.operator.json('POST', `/accounts/${buyer.accountId}/key`, { scopes });
      assertRefused(reply, 400, 'BAD_REQUEST');
    }
    assert.equal(await scene.balanceUsdt(buyer), 100);
  });

  test('a reference credits once, on its account: again it is 200 with the same result, or 409 with another amount', async () => {
    const [accountId, other] = [await account(), await account()];
    const first = await scene.operator.credit(accountId, 10.05, 'invoice 1');
    assertDone(first, 201);
    assert.equal(first.body.balanceUsdt, 10.05);
    assert.equal((await scene.operator.credit(accountId, 0.1, 'invoice 2')).body.balanceUsdt, 10.15);
    const again = await scene.operator.credit(accountId, 10.05, 'invoice 1');
    assertDone(again, 200);
    assert.equal(again.body.balanceUsdt, 10.05);
    for (const amount of [10.06, -10.05]) {
      const refused = await scene.operator.credit(accountId, amount, 'invoice 1');
      assertRefused(refused, 409, 'IDEMPOTENCY_CONFLICT');
    }
    assertDone(await scene.operator.credit(other, 7, 'invoice 1'), 201);
    assert.deepEqual([await balanceUsdt(accountId), await balanceUsdt(other)], [10.15, 7]);
  });

  test('twenty credits at once with one reference credit once', async () => {
    const accountId = await account();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => scene.operator.credit(accountId, 2.5, 'invoice')),
    );
    assert.equal(replies.filter((reply) => reply.status === 201).length, 1);
    assert.equal(replies.filter((reply) => reply.status === 200).length, 19);
    for (const reply of replies) assert.equal(reply.body.balanceUsdt, 2.5);
    assert.equal(await balanceUsdt(accountId), 2.5);
  });

  test('a negative amount adjusts down to zero, never below', async () => {
    const accountId = await account();
    assertDone(await scene.operator.credit(accountId, 10, 'deposit'), 201);
    assertRefused(await scene.operator.credit(accountId, -10.01, 'too much'), 402, 'INSUFFICIENT_BALANCE');
    assert.equal(await balanceUsdt(accountId), 10);
    const down = await scene.operator.credit(accountId, -10, 'all of it');
    assertDone(down, 201);
    assert.equal(down.body.balanceUsdt, 0);
    assertRefused(await scene.operator.credit(accountId, -0.01, 'more'), 402, 'INSUFFICIENT_BALANCE');
  });

  test('a bad credit is 400 and changes nothing', async () => {
    const accountId = await account();
    assertDone(await scene.operator.credit(accountId, 5, 'deposit'), 201);
    for (const [why, body] of badCredits) {
      const headers = { 'content-type': 'application/json' };
      const reply = await scene.operator.request('POST', `/accounts/${accountId}/credits`, headers, body);
      assert.equal(reply.status, 400, why);
    }
    assert.equal(await balanceUsdt(accountId), 5);
  });
});
