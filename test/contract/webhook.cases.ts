/** SPEC.md §2, §3, §4: the webhook configuration, with name servers that say what the test wants. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { BuyerReply, Webhook } from '../support/buyer-client.ts';
import { eventually } from '../support/eventually.ts';
import { type DnsReply, DnsServer } from '../support/servers/dns-server.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { casesOf, known, type Scene } from './scene.ts';

/** Servers that these cases run on ask it. */
export const nameServer = await DnsServer.start();
after(() => nameServer.stop());

/** Most hosts are on loopback, which `--webhook-allow` permits here: nothing must ever leave this machine. */
const a = (data: string) => ({ type: 'A', data }) as const;
const aaaa = (data: string) => ({ type: 'AAAA', data }) as const;
const OURS: DnsReply = [a('127.0.0.1')];
const HOSTS: Readonly<Record<string, DnsReply>> = {
  'shop.test': OURS,
  'public.test': [a('93.184.216.34'), aaaa('2606:2800:220:1:248:1893:25c8:1946')],
  'private.test': [a('10.0.0.1')],
  'mixed.test': [a('93.184.216.34'), aaaa('fd00::1')],
  'metadata.test': [a('169.254.169.254')],
  'alias.test': [{ type: 'CNAME', data: 'inner.test' }, a('192.168.1.1')],
  'empty.test': [],
};
for (const [name, reply] of Object.entries(HOSTS)) nameServer.set(name, reply);

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = ['order.failed'];
const VALID = { url: 'https://shop.test/events', events: EVENTS };

const GOOD_URLS = [
  'https://shop.test',
  'https://shop.test:443/a/b?c=d',
  'https://shop.test:8443/events',
  'HTTPS://SHOP.TEST/events',
  'https://public.test/events',
  'https://127.0.0.1:8443/',
  'https://93.184.216.34/',
];

const BAD_URLS: readonly (readonly [why: string, url: string, message: RegExp])[] = [
  ['no https', 'http://shop.test/', /HTTPS/],
  ['no URL', 'shop.test', /HTTPS/],
  ['too long', `https://shop.test/${'x'.repeat(2_048)}`, /Invalid URL/],
  ['a password', 'https://user:secret@shop.test/', /user or password/],
  ['port 80', 'https://shop.test:80/', /port 443 or 8443/],
  ['an unknown name', 'https://nobody.test/', /does not resolve/],
  ['a name without addresses', 'https://empty.test/', /does not resolve/],
  ['a private address', 'https://private.test/', /must be public/],
  ['one private address among public ones', 'https://mixed.test/', /must be public/],
  ['an alias of a private name', 'https://alias.test/', /must be public/],
  ['cloud metadata', 'https://metadata.test/', /must be public/],
  ['a private literal', 'https://10.0.0.1/', /must be public/],
  ['a trailing dot', 'https://shop.test./events', /end with a dot/],
  ['an address as a number', 'https://0x8080808/', /four decimal numbers/],
  ['an IPv6 literal', 'https://[2606:4700:4700::1111]/', /four decimal numbers/],
];

const BAD_BODIES: readonly (readonly [why: string, body: string, message: RegExp])[] = [
  ['no url', '{"events":["order.failed"]}', /url/],
  ['a url that is no text', '{"url":1,"events":["order.failed"]}', /url must be string/],
  ['no events', '{"url":"https://shop.test/"}', /events/],
  ['an empty list', '{"url":"https://shop.test/","events":[]}', /events must NOT have fewer than 1/],
  [
    'an unknown event',
    '{"url":"https://shop.test/","events":["order.failed","order.made"]}',
    /events\.1 must be one of order\.completed, order\.failed, catalog\.updated, stock\.changed, balance\.low/,
  ],
  ...['-0.0001', '"5"', 'null', '1e999', 'NaN'].map(
    (value) =>
      [
        `a threshold of ${value}`,
        `{"url":"https://shop.test/","events":["balance.low"],"balanceThresholdUsdt":${value}}`,
        value === 'NaN' ? /must be valid JSON/ : /balanceThresholdUsdt must be/,
      ] as const,
  ),
  ['a list', '[]', /object/],
  ['nothing', '', /must be valid JSON/],
  ['too much', JSON.stringify({ ...VALID, more: 'x'.repeat(65_536) }), /65536 bytes/],
];

export const webhookConfiguration = casesOf('webhook configuration', cases);

function cases(scene: Scene): void {
  /** Registers a webhook, which must succeed. */
  async function register(apiKey: string, body: object): Promise<BuyerReply> {
    const reply = await scene.buyers.setWebhook(apiKey, body);
    assertSuccess(reply, 200);
    return reply;
  }

  async function shown(apiKey: string): Promise<Webhook> {
    const reply = await scene.buyers.webhook(apiKey);
    assertSuccess(reply, 200);
    assert.equal('secret' in known(reply.body.webhook), false);
    return known(reply.body.webhook);
  }

  test('§3 none, configured, replaced, none, for each account; every registration makes a new secret, shown once', async () => {
    const [{ apiKey, accountId }, other] = [await scene.buyer(), await scene.buyer()];
    assertRefusal(await scene.buyers.webhook(apiKey), 404, 'NOT_FOUND');
    await register(other.apiKey, VALID);
    const secrets = new Set<string>();
    for (const balanceThresholdUsdt of [12.5, 0, 1e308, undefined]) {
      const wanted = balanceThresholdUsdt === undefined ? VALID : { ...VALID, balanceThresholdUsdt };
      const { webhook } = (await register(apiKey, wanted)).body;
      const { secret = '', standardWebhooksSecret, ...configuration } = known(webhook);
      assert.match(secret, /^whsec_live_[0-9a-f]{64}$/);
      assert.equal(standardWebhooksSecret, `whsec_${Buffer.from(secret).toString('base64')}`);
      assert.deepEqual(configuration, wanted);
      assert.deepEqual(await shown(apiKey), { ...wanted, secretMasked: `***${secret.slice(-4)}` });
      assert.equal((await scene.operator.getAccount(accountId)).text.includes('ecret'), false);
      assert.equal(scene.log().includes(secret.slice(-16)), false);
      secrets.add(secret);
    }
    assert.equal(secrets.size, 4);
    const deleted = await scene.buyers.deleteWebhook(apiKey);
    assertSuccess(deleted, 200);
    assert.deepEqual(Object.keys(deleted.body).sort(), ['message', 'requestId', 'success']);
    assertRefusal(await scene.buyers.webhook(apiKey), 404, 'NOT_FOUND');
    assertRefusal(await scene.buyers.deleteWebhook(apiKey), 404, 'NOT_FOUND');
    assert.deepEqual((await shown(other.apiKey)).events, EVENTS);
  });

  test('§4 URLs come back as they were written, and events once each; unknown fields are ignored', async () => {
    const { apiKey } = await scene.buyer();
    for (const url of GOOD_URLS) {
      await register(apiKey, { url, events: EVENTS });
      assert.equal((await shown(apiKey)).url, url);
    }
    const all = ['balance.low', 'order.completed', 'order.failed', 'catalog.updated', 'stock.changed'];
    await register(apiKey, { ...VALID, events: [...all, ...all], secret: 'mine', active: false, id: 7 });
    const { secretMasked: _, ...configuration } = await shown(apiKey);
    assert.deepEqual(configuration, { url: VALID.url, events: all });
  });

  test('§4 a bad URL or body is 400 and changes nothing, and no message tells which addresses a host has', async () => {
    const { apiKey } = await scene.buyer();
    await register(apiKey, VALID);
    const before = await shown(apiKey);
    const ofUrls = BAD_URLS.map(
      ([why, url, message]) => [why, JSON.stringify({ url, events: EVENTS }), message] as const,
    );
    for (const [why, body, message] of [...ofUrls, ...BAD_BODIES]) {
      const headers = { 'x-api-key': apiKey, ...JSON_TYPE };
      const refused = await scene.buyers.raw('POST', '/webhook', headers, body);
      assert.equal(refused.status, 400, why);
      assert.match(known(refused.body.message), message, why);
      if (/public/.test(known(refused.body.message))) assert.doesNotMatch(refused.text, /\d+\.\d+\.\d|fd00/);
    }
    for (const headers of [
      {},
      { 'content-type': 'text/plain' },
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
    ]) {
      const sent = { 'x-api-key': apiKey, ...headers };
      const refused = await scene.buyers.raw(
        'POST',
        '/webhook',
        sent,
        JSON.stringify({ ...VALID, events: ['balance.low'] }),
      );
      assertRefusal(refused, 400, 'BAD_REQUEST');
    }
    assert.deepEqual(await shown(apiKey), before);
  });

  test('§5 a key that is regenerated or revoked during the look-up registers nothing', async () => {
    for (const kill of ['issueKey', 'revokeKey'] as const) {
      const { accountId, apiKey } = await scene.buyer();
      const { name, release } = heldName();
      const registration = scene.buyers.setWebhook(apiKey, { ...VALID, url: `https://${name}/` });
      await asked(name);
      await scene.operator[kill](accountId);
      release();
      assertRefusal(await registration, 401, 'UNAUTHORIZED');
      assertRefusal(await scene.buyers.webhook(await scene.freshKey(accountId)), 404, 'NOT_FOUND');
    }
  });

  test('§5 what needs a key, or a scope, looks nothing up, and deletes nothing', async () => {
    const { accountId, apiKey } = await scene.buyer();
    await register(apiKey, VALID);
    const readOnly = await scene.freshKey(accountId, ['webhooks:read']);
    const { name } = heldName();
    const body = { ...VALID, url: `https://${name}/` };
    assertRefusal(await scene.buyers.setWebhook('wrong', body), 401, 'UNAUTHORIZED');
    assertRefusal(await scene.buyers.setWebhook(readOnly, body), 403, 'FORBIDDEN');
    assert.equal(nameServer.count(name, 'A'), 0);
    assertRefusal(await scene.buyers.deleteWebhook('wrong'), 401, 'UNAUTHORIZED');
    const refused = await scene.buyers.deleteWebhook(readOnly);
    assertRefusal(refused, 403, 'FORBIDDEN');
    assert.match(known(refused.body.message), /webhooks:write/);
    const writeOnly = await scene.freshKey(accountId, ['webhooks:write']);
    assertSuccess(await scene.buyers.deleteWebhook(writeOnly), 200);
  });

  test('§4 DELETE without `confirm: true` is 400 and deletes nothing', async () => {
    const { apiKey } = await scene.buyer();
    assertRefusal(await scene.buyers.deleteWebhook(apiKey, {}), 400, 'BAD_REQUEST');
    await register(apiKey, VALID);
    for (const body of [{}, { confirm: false }, { confirm: 'true' }, { confirm: 1 }, [], null]) {
      const refused = await scene.buyers.deleteWebhook(apiKey, body);
      assertRefusal(refused, 400, 'BAD_REQUEST');
    }
    const bare = await scene.buyers.raw('DELETE', '/webhook', { 'x-api-key': apiKey });
    assertRefusal(bare, 400, 'BAD_REQUEST');
    assert.equal((await shown(apiKey)).url, VALID.url);
    const plain = await scene.buyers.raw('DELETE', '/webhook', { 'x-api-key': apiKey }, '{"confirm":true}');
    assertSuccess(plain, 200);
  });
}

/** The look-up of the name ends when it is released. */
function heldName() {
  const name = `host-${randomUUID()}.test`;
  let release = () => {};
  const released = new Promise<DnsReply>((resolve) => {
    release = () => resolve(OURS);
  });
  nameServer.set(name, () => released);
  return { name, release };
}

function asked(name: string): Promise<void> {
  return eventually(`${name} is asked for`, () => nameServer.count(name, 'A') > 0);
}
