/** Look-ups by a real name server under the test's control, and what is remembered of them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AddressPolicy } from '../../src/webhooks/address-policy.ts';
import { DestinationCache, type DestinationCacheOptions } from '../../src/webhooks/destination-cache.ts';
import type { HostLookup, LookupResult } from '../../src/webhooks/host-resolver.ts';
import type { DnsScript } from '../support/dns-server.ts';
import { eventually, WebhookScene } from './webhook-scene.ts';

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
    'nothing when the server fails for IPv6',
    ({ type }) => (type === 'A' ? [v4] : 'server-failure'),
    { failure: 'failed' },
  ],
  [
    'nothing when the server is silent about IPv4',
    ({ type }) => (type === 'A' ? 'silence' : [v6]),
    { failure: 'timeout' },
  ],
  ['an answer that was lost once', ({ count }) => (count === 1 ? 'silence' : [v4, v6]), both],
];

for (const [what, script, result] of answers) {
  test(`a look-up finds ${what}`, async () => {
    const name = `${what.replaceAll(/[^a-z]/gi, '-').toLowerCase()}.test`;
    scene.dns.set(name, script);
    assert.deepEqual(await scene.resolver().lookup(name), result);
  });
}

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

interface CacheScene {
  readonly cache: DestinationCache;
  /** Every host that was looked up, in order. */
  readonly asked: string[];
  nowMs: number;
}

function cacheScene(reply: LookupResult, options: Partial<DestinationCacheOptions> = {}): CacheScene {
  const asked: string[] = [];
  const resolver: HostLookup = {
    lookup: async (host) => {
      asked.push(host);
      return reply;
    },
  };
  const policy = new AddressPolicy([]);
  const cache: CacheScene = {
    asked,
    nowMs: 0,
    cache: new DestinationCache({ resolver, policy, nowMs: () => cache.nowMs, ...options }),
  };
  return cache;
}

const kept: [what: string, reply: LookupResult, keptMs: number][] = [
  ['a TTL of 0 counts as 1 s', { addresses: [v4.data], ttlMs: 0 }, 1_000],
  ['a TTL of 7 s is kept', { addresses: [v4.data], ttlMs: 7_000 }, 7_000],
  ['a TTL of a day counts as 30 s', { addresses: [v4.data], ttlMs: 86_400_000 }, 30_000],
  ['a private address is refused for 5 s', { addresses: ['10.0.0.1'], ttlMs: 60_000 }, 5_000],
  ['no such host is kept 5 s', notFound, 5_000],
  ['a silent name server is kept 5 s', { failure: 'timeout' }, 5_000],
];

for (const [what, reply, keptMs] of kept) {
  test(`in the cache ${what}`, async () => {
    const scene = cacheScene(reply);
    const first = await scene.cache.resolve('a.test');
    scene.nowMs = keptMs - 1;
    assert.equal(await scene.cache.resolve('a.test'), first);
    assert.equal(scene.asked.length, 1);
    scene.nowMs = keptMs;
    await scene.cache.resolve('a.test');
    assert.equal(scene.asked.length, 2);
  });
}

test('in the cache a look-up that found no place is not kept', async () => {
  const { cache, asked } = cacheScene({ failure: 'busy' });
  assert.deepEqual(await cache.resolve('a.test'), { refusal: 'lookup-busy' });
  await cache.resolve('a.test');
  assert.equal(asked.length, 2);
});

test('a thousand deliveries at once to one host are one look-up', async () => {
  const { cache, asked } = cacheScene({ addresses: [v4.data], ttlMs: 1_000 });
  const found = await Promise.all(Array.from({ length: 1_000 }, () => cache.resolve('a.test')));
  assert.equal(new Set(found).size, 1);
  assert.deepEqual(asked, ['a.test']);
});

test('the cache keeps a bounded number of hosts, and drops the oldest answer first', async () => {
  const { cache, asked } = cacheScene({ addresses: [v4.data], ttlMs: 1_000 }, { maxHosts: 2 });
  for (const host of ['a.test', 'b.test', 'c.test', 'b.test', 'c.test', 'a.test']) await cache.resolve(host);
  assert.deepEqual(asked, ['a.test', 'b.test', 'c.test', 'a.test']);
});
