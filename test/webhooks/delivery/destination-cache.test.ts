/** Look-ups that deliveries remember, and for how long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LookupResult } from '../../../src/outgoing/host-inquiry.ts';
import type { HostLookup } from '../../../src/outgoing/host-resolver.ts';
import { DestinationCache } from '../../../src/webhooks/delivery/destination-cache.ts';
import { AddressPolicy } from '../../../src/webhooks/destination/address-policy.ts';

const address = '93.184.216.34';
const notFound = { failure: 'not-found' } as const;

interface CacheScene {
  readonly cache: DestinationCache;
  /** Every host that was looked up, in order. */
  readonly asked: string[];
  nowMs: number;
}

function cacheScene(reply: LookupResult): CacheScene {
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
    cache: new DestinationCache({ resolver, policy, nowMs: () => cache.nowMs }),
  };
  return cache;
}

const kept: [what: string, reply: LookupResult, keptMs: number][] = [
  ['a TTL of 0 counts as 1 s', { addresses: [address], ttlMs: 0 }, 1_000],
  ['a TTL of 7 s is kept', { addresses: [address], ttlMs: 7_000 }, 7_000],
  ['a TTL of a day counts as 30 s', { addresses: [address], ttlMs: 86_400_000 }, 30_000],
  ['a private address is refused for 1 s', { addresses: ['10.0.0.1'], ttlMs: 60_000 }, 1_000],
  ['no such host is kept 1 s', notFound, 1_000],
  ['a silent name server is kept 1 s', { failure: 'timeout' }, 1_000],
];

test('a look-up is kept for the time that its name server says, within bounds', async () => {
  for (const [what, reply, keptMs] of kept) {
    const scene = cacheScene(reply);
    const first = await scene.cache.resolve('a.test');
    scene.nowMs = keptMs - 1;
    assert.equal(await scene.cache.resolve('a.test'), first, what);
    assert.equal(scene.asked.length, 1, what);
    scene.nowMs = keptMs;
    await scene.cache.resolve('a.test');
    assert.equal(scene.asked.length, 2, what);
  }
});

test('a look-up that found no place is not kept', async () => {
  const { cache, asked } = cacheScene({ failure: 'busy' });
  assert.deepEqual(await cache.resolve('a.test'), { refusal: 'lookup-busy' });
  await cache.resolve('a.test');
  assert.equal(asked.length, 2);
});
