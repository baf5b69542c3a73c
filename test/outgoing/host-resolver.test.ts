/** Look-ups by a real name server under the test's control. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { LookupResult } from '../../src/outgoing/host-resolver.ts';
import type { DnsScript } from '../support/dns-server.ts';
import { eventually, WebhookScene } from '../webhooks/webhook-scene.ts';

let scene: WebhookScene;
before(async () => {
  scene = await WebhookScene.open();
});
after(() => scene.close());

const v4 = { type: 'A', data: '93.184.216.34', ttlSeconds: 20 } as const;
const v6 = { type: 'AAAA', data: '2606:4700::1111', ttlSeconds: 10 } as const;
const alias = { type: 'CNAME', data: 'elsewhere.test', ttlSeconds: 5 } as const;
const both = { addresses: [v4.data, v6.data], ttlMs: 10_000 };
const notFound = { failure: 'not-found' } as const;

const answers: [what: string, script: DnsScript, result: LookupResult][] = [
  ['both families, and the shorter TTL', [v4, v6], both],
  ['one family', [v6], { addresses: [v6.data], ttlMs: 10_000 }],
  ['what an alias leads to', [alias, v4], { addresses: [v4.data], ttlMs: 5_000 }],
  ['an alias of nothing', [alias], notFound],
  ['no addresses', [], notFound],
  ['no such name', 'no-such-name', notFound],
  ['a failing server', 'server-failure', { failure: 'failed' }],
  [
    'the addresses of one family when the server fails for the other',
    ({ type }) => (type === 'A' ? [v4] : 'server-failure'),
    { addresses: [v4.data], ttlMs: 20_000 },
  ],
  [
    'the addresses of one family when the server is silent about the other',
    ({ type }) => (type === 'A' ? 'silence' : [v6]),
    { addresses: [v6.data], ttlMs: 10_000 },
  ],
  [
    'them for 5 s at least, for the other is still asked for',
    ({ type }) => (type === 'A' ? [{ ...v4, ttlSeconds: 1 }] : 'silence'),
    { addresses: [v4.data], ttlMs: 5_000 },
  ],
  [
    'nothing when the server fails for one family and the other has no addresses',
    ({ type }) => (type === 'A' ? 'server-failure' : []),
    { failure: 'failed' },
  ],
  [
    'nothing when the server is silent about one family and the other has no addresses',
    ({ type }) => (type === 'A' ? [] : 'silence'),
    { failure: 'timeout' },
  ],
  ['an answer that was lost once', ({ count }) => (count === 1 ? 'silence' : [v4, v6]), both],
];

for (const [index, [what, script, result]] of answers.entries()) {
  test(`a look-up finds ${what}`, async () => {
    const name = `answer-${index}.test`;
    scene.dns.set(name, script);
    assert.deepEqual(await scene.resolver().lookup(name), result);
  });
}

test('an answer that comes a little later than the other is waited for', async () => {
  scene.dns.set('later.test', async ({ type }) => {
    if (type === 'AAAA') await delay(50);
    return [v4, v6];
  });
  assert.deepEqual(await scene.resolver().lookup('later.test'), both);
});

test('silence about one family takes a fraction of the time that a look-up has', async () => {
  scene.dns.set('half.test', ({ type }) => (type === 'A' ? [v4] : 'silence'));
  const resolver = scene.resolver({ deadlineMs: 60_000 });
  const startedAtMs = performance.now();
  await resolver.lookup('half.test');
  assert.ok(performance.now() - startedAtMs < 3_000);
  assert.equal(resolver.underWay, 1, 'its place is taken until the silence is given up');
});

test('300 addresses come by TCP', async () => {
  const records = Array.from({ length: 300 }, (_, index) => ({
    ...v4,
    data: `93.184.${index >> 8}.${index & 255}`,
  }));
  scene.dns.set('large.test', records);
  const found = await scene.resolver().lookup('large.test');
  assert.equal('addresses' in found && found.addresses.length, 300);
});

describe('a silent name server', { concurrency: true }, () => {
  test('is waited for until the deadline, and a place is taken until it is given up', async () => {
    scene.dns.set('silent.test', 'silence');
    scene.dns.set('quick.test', [v4]);
    const resolver = scene.resolver({ deadlineMs: 100, maxLookups: 2 });
    const silent = await Promise.all([resolver.lookup('silent.test'), resolver.lookup('silent.test')]);
    assert.deepEqual(silent, [{ failure: 'timeout' }, { failure: 'timeout' }]);
    assert.equal(resolver.underWay, 2);
    assert.deepEqual(await resolver.lookup('quick.test'), { failure: 'busy' });
    await eventually('the places are free', () => resolver.underWay === 0);
    assert.deepEqual(await resolver.lookup('quick.test'), { addresses: [v4.data], ttlMs: 20_000 });
  });

  test('is waited for less than the 5 s of a registration by default', async () => {
    scene.dns.set('mute.test', 'silence');
    const startedAtMs = performance.now();
    assert.deepEqual(await scene.resolver().lookup('mute.test'), { failure: 'timeout' });
    assert.ok(performance.now() - startedAtMs < 5_000);
  });
});

test('a resolver that is closed ends its look-ups', async () => {
  scene.dns.set('silent.test', 'silence');
  const resolver = scene.resolver();
  const lookup = resolver.lookup('silent.test');
  resolver.close();
  assert.deepEqual(await lookup, notFound);
});
