/** Look-ups by a real name server under the test's control. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { LookupResult } from '../../src/outgoing/host-inquiry.ts';
import { HostInquiry } from '../../src/outgoing/host-inquiry.ts';
import { type DnsScript, DnsServer } from '../support/servers/dns-server.ts';
import { WebhookScene } from '../webhooks/delivery/webhook-scene.ts';

/**
 * The resolver's time, which goes by only while this process runs and looks at its sockets. By the clock on the wall a
 * machine that stands still for a moment would make answers late that had been sent at once.
 */
class SteadyClock {
  static readonly #realTimeout = globalThis.setTimeout;
  static readonly #stepMs = 50;
  nowMs = 0;
  readonly #tick: (durationMs: number) => void;

  constructor(t: TestContext) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    t.mock.method(performance, 'now', () => this.nowMs);
    this.#tick = (durationMs) => t.mock.timers.tick(durationMs);
  }

  /** Lets what was sent arrive, and no time go by. */
  static look(): Promise<void> {
    return new Promise((resolve) => SteadyClock.#realTimeout(resolve, 5));
  }

  async pass(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= SteadyClock.#stepMs) {
      await SteadyClock.look();
      await SteadyClock.look();
      this.nowMs += SteadyClock.#stepMs;
      this.#tick(SteadyClock.#stepMs);
    }
  }

  /** As much time as it takes. */
  async until<T>(result: Promise<T>): Promise<T> {
    let isThere = false;
    void result.finally(() => {
      isThere = true;
    });
    while (!isThere) await this.pass(SteadyClock.#stepMs);
    return result;
  }
}

/** An answer of a name server that takes its time, by whatever clock the test has. */
function inTime<T>(durationMs: number, reply: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(reply), durationMs));
}

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
  ['what an alias leads to', [alias, v4], { addresses: [v4.data], ttlMs: 5_000 }],
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
    'them for 5 s at least, for asking anew takes a moment',
    ({ type }) => (type === 'A' ? [{ ...v4, ttlSeconds: 1 }] : 'silence'),
    { addresses: [v4.data], ttlMs: 5_000 },
  ],
  [
    'nothing when the server is silent about one family and the other has no addresses',
    ({ type }) => (type === 'A' ? [] : 'silence'),
    { failure: 'timeout' },
  ],
  [
    'both, when one answer comes a little later',
    ({ type }) => (type === 'AAAA' ? inTime(200, [v6]) : [v4]),
    both,
  ],
  ['an answer that was lost once', ({ count }) => (count === 1 ? 'silence' : [v4, v6]), both],
];

for (const [index, [what, script, result]] of answers.entries()) {
  test(`a look-up finds ${what}`, async (t) => {
    const clock = new SteadyClock(t);
    const name = `answer-${index}.test`;
    scene.dns.set(name, script);
    assert.deepEqual(await clock.until(scene.resolver().lookup(name)), result);
  });
}

describe('a name server', () => {
  test('that is silent is waited for until the deadline, and no longer', async (t) => {
    const clock = new SteadyClock(t);
    scene.dns.set('mute.test', 'silence');
    const resolver = scene.resolver();
    assert.deepEqual(await clock.until(resolver.lookup('mute.test')), { failure: 'timeout' });
    assert.ok(clock.nowMs < 5_000, `a registration answers within 5 s, not ${clock.nowMs} ms`);
    assert.equal(resolver.underWay, 0);
  });

  test('that fails is no answer while another server may give one', async (t) => {
    const clock = new SteadyClock(t);
    const other = await DnsServer.start();
    scene.onClose(() => other.stop());
    other.set('two.test', () => inTime(800, [v4, v6]));
    scene.dns.set('two.test', () => inTime(1_000, 'server-failure' as const));
    const found = new Promise<LookupResult>((resolve) => {
      const servers = [scene.dns.address, other.address];
      HostInquiry.begin('two.test', { servers, descriptorCeiling: Number.POSITIVE_INFINITY }, resolve);
    });
    assert.deepEqual(await clock.until(found), both);
  });

  test('are not asked when the socket would take a descriptor that is kept for the node', async () => {
    const nameServers = { servers: [scene.dns.address], descriptorCeiling: 0 };
    const found = new Promise((resolve) => HostInquiry.begin('any.test', nameServers, resolve));
    assert.deepEqual(await found, { failure: 'busy' });
    assert.equal(scene.dns.count('any.test', 'A'), 0);
  });
});

describe('hosts whose name servers are silent', () => {
  const quick = { addresses: [v4.data], ttlMs: 20_000 };

  test('are one of an asker’s, whatever their names', async (t) => {
    const clock = new SteadyClock(t);
    for (const name of ['x.mute.test', 'y.mute.test', 'z.mute.test']) scene.dns.set(name, 'silence');
    scene.dns.set('good.test', [v4]);
    const resolver = scene.resolver({ places: 1, deadlineMs: 1_200 });
    await clock.until(resolver.lookup('x.mute.test', 'account 1'));
    const others = [resolver.lookup('y.mute.test', 'account 1'), resolver.lookup('z.mute.test', 'account 1')];
    assert.equal(resolver.underWay, 1);
    const found = resolver.lookup('good.test', 'account 2');
    assert.equal(resolver.underWay, 2);
    assert.deepEqual(await clock.until(found), quick);
    await clock.until(Promise.all(others));
    clock.nowMs += 9 * 60_000;
    const slow = [resolver.lookup('x.mute.test', 'account 1'), resolver.lookup('good.test', 'account 2')];
    assert.equal(resolver.underWay, 2, 'nine minutes later it still counts as slow');
    await clock.until(Promise.all(slow));
    clock.nowMs += 10 * 60_000;
    const quickAgain = [
      resolver.lookup('x.mute.test', 'account 1'),
      resolver.lookup('y.mute.test', 'account 3'),
    ];
    assert.equal(resolver.underWay, 1, 'ten minutes after its last slow look-up it waits among all');
    await clock.until(Promise.all(quickAgain));
  });
});

test('a resolver that is closed ends its look-ups', async () => {
  scene.dns.set('silent.test', 'silence');
  const resolver = scene.resolver();
  const lookup = resolver.lookup('silent.test');
  resolver.close();
  assert.deepEqual(await lookup, { failure: 'busy' });
  assert.equal(resolver.underWay, 0);
});
