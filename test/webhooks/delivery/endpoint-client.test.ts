/** Attempts to deliver, to real receivers over TLS, from well-behaved to hostile. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDelivered } from '../../../src/webhooks/delivery/delivery-result.ts';
import type { EndpointClient } from '../../../src/webhooks/delivery/endpoint-client.ts';
import { eventually } from '../../support/eventually.ts';
import { ConnectionCounter } from '../../support/servers/connection-counter.ts';
import { TestAuthority } from '../../support/servers/test-authority.ts';
import {
  answer,
  type Behaviour,
  closeMidway,
  flood,
  hang,
  hold,
  interimForever,
  raw,
  redirectTo,
  reset,
  trickle,
} from '../../support/servers/tls-receiver.ts';
import { WebhookScene } from './webhook-scene.ts';

let scene: WebhookScene;
before(async () => {
  scene = await WebhookScene.open();
});
after(() => scene.close());

const body = Buffer.from('{"orderId":41,"note":"ü","eventId":"evt_17","type":"order.completed"}');

function deliver(client: EndpointClient, host: string, path = '/hook') {
  return client.deliver({ url: `https://${host}:8443${path}`, headers: { 'X-Service-Event': 'ping' }, body });
}

test('a delivery is a POST of exactly these bytes to exactly this URL', async () => {
  const receiver = await scene.receiver('plain.test', answer(200, 'thanks'));
  const result = await deliver(scene.client(), 'plain.test', '/hook/%C3%BC?a=1&a=2#part');
  const { durationMs, ...rest } = result;
  assert.deepEqual(rest, { status: 200, responseHead: 'thanks' });
  assert.ok(Number.isSafeInteger(durationMs) && durationMs >= 0);
  const [request] = receiver.requests;
  assert.equal(`${request?.method} ${request?.path}`, 'POST /hook/%C3%BC?a=1&a=2');
  assert.deepEqual(request?.body, body);
  assert.deepEqual(request?.headers, {
    host: 'plain.test:8443',
    connection: 'keep-alive',
    'content-length': String(body.length),
    'x-service-event': 'ping',
  });
});

const statuses: [status: number, isSuccess: boolean][] = [
  [200, true],
  [299, true],
  [300, false],
  [302, false],
  [404, false],
  [500, false],
];

test('the status decides: any 2xx is a success, and nobody goes where a redirect leads', async () => {
  const target = await scene.receiver('target.test');
  const receiver = await scene.receiver('status.test');
  const client = scene.client();
  for (const [status, isSuccess] of statuses) {
    receiver.behaviour = status === 302 ? redirectTo('https://target.test:8443/') : answer(status);
    const result = await deliver(client, 'status.test');
    assert.equal(result.status, status);
    assert.equal(isDelivered(result), isSuccess, `${status}`);
  }
  assert.equal(target.connections, 0);
  assert.equal(receiver.connections, 1, 'one connection for all');
});

interface HostileReceiver {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly status?: number;
  readonly error?: string;
}

const hostile: readonly HostileReceiver[] = [
  { name: 'never answers', behaviour: hang(), error: 'timeout' },
  { name: 'sends a byte of its header now and then', behaviour: trickledHeader(), error: 'timeout' },
  { name: 'sends 103 for ever', behaviour: interimForever(), error: 'answer' },
  { name: 'speaks no HTTP', behaviour: raw('220 mail.test ESMTP\r\n'), error: 'answer' },
  {
    name: 'switches protocols',
    behaviour: raw('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    error: 'answer',
  },
  { name: 'breaks the connection', behaviour: reset(), error: 'answer' },
  { name: 'says 200 and then trickles', behaviour: trickle(200, 20), status: 200 },
  { name: 'says 200 and then floods', behaviour: flood(200), status: 200 },
  { name: 'says 200 and closes midway', behaviour: closeMidway(200), status: 200 },
];

describe('a hostile receiver costs one bounded attempt', { concurrency: true }, () => {
  for (const [index, { name, behaviour, status, error }] of hostile.entries()) {
    test(`one that ${name}: ${status ?? error}`, async () => {
      const host = `hostile-${index}.test`;
      const receiver = await scene.receiver(host, behaviour);
      const timeoutMs = error === 'timeout' ? 1_500 : 20_000;
      const client = scene.client({ timeoutMs });
      const result = await deliver(client, host);
      assert.equal(result.status, status);
      assert.equal(result.error?.code, error);
      assert.ok(error === 'timeout' || result.durationMs < timeoutMs, 'it did not take all the time');
      assert.ok((result.responseHead ?? '').length <= 1_024);
      assert.ok((result.error?.message ?? '').length <= 200);
      await eventually('the connection is gone', async () => (await receiver.openConnections()) === 0);
      await eventually('it is forgotten', () => client.connections === 0);
      assert.ok(receiver.requests.length <= 1, 'it was not sent again');
    });
  }
});

test('TLS that hangs is broken off at the deadline', async (t) => {
  const counter = await ConnectionCounter.start();
  scene.onClose(() => counter.stop());
  scene.dns.set('mute.test', [{ type: 'A', data: counter.address }]);
  const client = scene.client({ timeoutMs: 1_000 });
  // The deadline comes when the connection is there, however long that took.
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const delivery = deliver(client, 'mute.test');
  while (counter.count === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  nowMs = 1_000;
  const result = await delivery;
  t.mock.restoreAll();
  assert.equal(result.error?.code, 'timeout');
  assert.equal(result.durationMs, 1_000);
  assert.equal(counter.count, 1);
  await eventually('the connection is gone', () => counter.open === 0);
  assert.equal(client.connections, 0);
});

test('a port where nobody listens, and a second address that works', async () => {
  const receiver = await scene.receiver('two.test');
  const nobody = '127.0.0.254';
  scene.dns.set('nobody.test', [{ type: 'A', data: nobody }]);
  const client = scene.client();
  const result = await deliver(client, 'nobody.test');
  assert.equal(result.error?.code, 'connect');
  assert.match(result.error?.message ?? '', /ECONNREFUSED/);
  scene.dns.set('two.test', [
    { type: 'A', data: nobody },
    { type: 'A', data: receiver.address },
  ]);
  assert.equal((await deliver(client, 'two.test')).status, 200);
});

test('a certificate must be by a trusted authority, in force, and for this host', async () => {
  const receiver = await scene.receiver('trusted.test');
  scene.dns.set('wrong-name.test', [{ type: 'A', data: receiver.address }]);
  const expired = await scene.receiver('expired.test', answer(200), 'expired');
  const client = scene.client();
  const strict = scene.client({ ca: new TestAuthority().certificate });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    assert.equal((await deliver(client, 'trusted.test')).status, 200);
    const untrusted: [EndpointClient, string, RegExp][] = [
      [client, 'wrong-name.test', /ERR_TLS_CERT_ALTNAME_INVALID/],
      [client, 'expired.test', /CERT_HAS_EXPIRED/],
      [strict, 'trusted.test', /UNABLE_TO_VERIFY_LEAF_SIGNATURE/],
    ];
    for (const [by, host, message] of untrusted) {
      const { error } = await deliver(by, host);
      assert.equal(error?.code, 'tls', host);
      assert.match(error?.message ?? '', message);
    }
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
  assert.equal(receiver.requests.length + expired.requests.length, 1);
});

test('connections in all are bounded: the one unused for longest gives way, one in use does not', async () => {
  const receiver = await scene.receiver('pool.test');
  const client = scene.client({ timeoutMs: 60_000, maxConnections: 2, idleMs: 60_000 });
  for (const path of ['/a', '/b', '/a', '/c', '/a']) await deliver(client, 'pool.test', path);
  assert.equal(client.connections, 2);
  assert.equal(receiver.connections, 3, '/b gave way to /c, and /a never did');
  const held = hold();
  receiver.behaviour = held.behaviour;
  const waiting = [deliver(client, 'pool.test', '/a'), deliver(client, 'pool.test', '/c')];
  await eventually('both have arrived', () => receiver.requests.length === 7);
  assert.equal((await deliver(client, 'pool.test', '/d')).error?.code, 'busy');
  held.release(202);
  for (const result of await Promise.all(waiting)) assert.equal(result.status, 202);
  assert.equal(receiver.connections, 3);
});

test('a client that is closed ends what is under way, and takes nothing more', async () => {
  const receiver = await scene.receiver('stopping.test', hang());
  const client = scene.client();
  const hanging = deliver(client, 'stopping.test');
  await eventually('it has arrived', () => receiver.requests.length === 1);
  client.close();
  assert.equal((await hanging).error?.code, 'closed');
  assert.equal((await deliver(client, 'stopping.test')).error?.code, 'closed');
  await eventually('the connection is gone', async () => (await receiver.openConnections()) === 0);
});

test('a delivery that may not be sent any more, when its connection is made, sends nothing', async () => {
  const receiver = await scene.receiver('outdated.test');
  const url = 'https://outdated.test:8443/';
  const result = await scene.client().deliver({ url, headers: {}, body, isCurrent: () => false });
  assert.equal(result.error?.code, 'outdated');
  assert.equal(receiver.requests.length, 0);
});

test('a delivery whose webhook is replaced ends while its host is looked up, and while it waits for an answer', async () => {
  const receiver = await scene.receiver('broken-off.test', hang());
  scene.dns.set('unknown-yet.test', 'silence');
  const client = scene.client();
  let current = true;
  const isCurrent = () => current;
  const results = ['broken-off.test', 'unknown-yet.test'].map((host) =>
    client.deliver({ url: `https://${host}:8443/`, headers: {}, body, isCurrent }),
  );
  await eventually('it has arrived', () => receiver.requests.length === 1);
  current = false;
  for (const { error } of await Promise.all(results)) assert.equal(error?.code, 'replaced');
  await eventually('the connection is gone', async () => (await receiver.openConnections()) === 0);
});

function trickledHeader(): Behaviour {
  return ({ socket }) => {
    const header = `HTTP/1.1 200 OK\r\nX-Slow: ${'x'.repeat(10_000)}`;
    let at = 0;
    const timer = setInterval(() => {
      socket?.write(header.charAt(at));
      at += 1;
    }, 10);
    socket?.on('close', () => clearInterval(timer));
  };
}
