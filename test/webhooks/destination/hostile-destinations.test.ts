/**
 * URLs and DNS answers that lead to places where no webhook may go: none of them gets a connection.
 *
 * Many lead to a listener of this test, in every spelling of its address. That they would reach it is proved by
 * the same client with the range allowed: only the check stands between them. Beyond that, every socket that
 * this process tries to connect is counted, so that addresses where nobody listens count, too.
 */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, before, mock, test } from 'node:test';
import ipaddr from 'ipaddr.js';
import { AddressPolicy } from '../../../src/webhooks/destination/address-policy.ts';
import { resolveDestination } from '../../../src/webhooks/destination/destination.ts';
import { parseWebhookUrl } from '../../../src/webhooks/destination/webhook-url.ts';
import { eventually } from '../../support/eventually.ts';
import { ConnectionCounter } from '../../support/servers/connection-counter.ts';
import type { DnsReply } from '../../support/servers/dns-server.ts';
import { WebhookScene } from '../delivery/webhook-scene.ts';

interface HostileCase {
  readonly name: string;
  readonly url: string;
  readonly refusal: string;
  /** The name server's reply for `*.hostile.test`. */
  readonly reply?: DnsReply;
  /** Whether it leads to the listener when its address is allowed. */
  readonly leadsToListener?: boolean;
}

const scene = await WebhookScene.open();
const listener = await ConnectionCounter.start();
scene.onClose(() => listener.stop());
const connects = mock.method(Socket.prototype, 'connect');

const hostile: readonly HostileCase[] = [
  ...spellings(listener.address).map(
    ([name, host]): HostileCase => ({
      name,
      url: `https://${host}:8443/hook`,
      refusal: host === listener.address ? 'not-public' : 'address-form',
      leadsToListener: host === listener.address,
    }),
  ),
  ...localNames(),
  ...notWebhookUrls(),
  ...privateAddresses().flatMap(([name, address], index): HostileCase[] => [
    {
      name: `a literal: ${name}`,
      url: `https://${address.includes(':') ? `[${address}]` : address}/`,
      refusal: address.includes(':') ? 'address-form' : 'not-public',
    },
    {
      name: `by name: ${name}`,
      url: `https://private-${index}.hostile.test/`,
      refusal: 'not-public',
      reply: [record(address)],
    },
  ]),
  ...dnsAnswers(listener.address),
];

before(() => {
  for (const { url, reply } of hostile) {
    if (reply !== undefined) scene.dns.set(new URL(url).hostname, reply);
  }
});

after(() => {
  connects.mock.restore();
  scene.close();
});

test('none can be registered, each for its reason, and there are at least 60', async () => {
  assert.ok(new Set(hostile.map(({ url }) => url)).size >= 60, `${hostile.length}`);
  const resolver = scene.resolver();
  for (const { name, url, refusal } of hostile) {
    const parsed = parseWebhookUrl(url);
    const found =
      'url' in parsed
        ? await resolveDestination(parsed.url.hostname, resolver, new AddressPolicy([]))
        : parsed;
    assert.deepEqual(found, { refusal }, name);
  }
});

test('none gets a connection', async () => {
  const client = scene.client({ allow: [] });
  for (const { name, url } of hostile) {
    const result = await client.deliver({ url, headers: {}, body: Buffer.from('{}') });
    assert.equal(result.error?.code, 'destination', name);
  }
  assert.equal(connects.mock.callCount(), 0);
  assert.equal(listener.count, 0);
});

test('a literal address, for which nothing is looked up, is checked where it is dialled', async () => {
  const unasked = { lookup: () => assert.fail('a name server was asked') };
  const client = scene.client({ allow: [], resolver: unasked });
  const hosts = [
    ...[listener.address, '127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.0'],
    ...[`[::ffff:${listener.address}]`, '[::ffff:7f00:1]', '[::1]', '[fd00::1]'],
  ];
  for (const host of hosts) {
    const delivery = { url: `https://${host}:8443/`, headers: {}, body: Buffer.from('{}') };
    assert.equal((await client.deliver(delivery)).error?.code, 'destination', host);
  }
  // Whoever gets past the form of a URL is stopped by the address.
  for (const host of hosts.map((each) => each.replace(/^\[|\]$/g, ''))) {
    assert.equal(new AddressPolicy([]).vet(host), undefined, host);
  }
  assert.equal(connects.mock.callCount(), 0);
  assert.equal(listener.count, 0);
});

test('with the range allowed, those that lead to the listener reach it', async () => {
  const client = scene.client({ timeoutMs: 60_000 });
  const leading = hostile.filter(({ leadsToListener }) => leadsToListener === true);
  const attempts = leading.map(({ url }) => client.deliver({ url, headers: {}, body: Buffer.from('{}') }));
  await eventually('all have reached it', () => listener.count >= leading.length);
  client.close();
  for (const [index, result] of (await Promise.all(attempts)).entries()) {
    assert.equal(result.error?.code, 'closed', leading[index]?.name);
  }
  assert.equal(listener.count, leading.length);
  assert.equal(connects.mock.callCount(), leading.length, 'the count of sockets counts them');
});

test('a name that is rebound between check and connection leads nowhere else', async () => {
  // The first answer is allowed, every later one is the listener, which is not.
  const receiver = await scene.receiver('rebound.test');
  scene.dns.set('rebound.test', ({ count }) => [record(count === 1 ? receiver.address : listener.address)]);
  const listened = listener.count;
  let nowMs = 0;
  const client = scene.client({ allow: [`${receiver.address}/32`], nowMs: () => nowMs });
  const delivery = { url: 'https://rebound.test:8443/', headers: {}, body: Buffer.from('{}') };
  assert.equal((await client.deliver(delivery)).status, 200, 'what was checked is what was dialled');
  nowMs += 30_001;
  assert.equal((await client.deliver(delivery)).error?.code, 'destination', 'though the connection is open');
  assert.equal(receiver.requests.length, 1);
  assert.equal(listener.count, listened);
});

function record(address: string) {
  return { type: address.includes(':') ? 'AAAA' : 'A', data: address } as const;
}

/** Every way to write an IPv4 address that the URL standard, or somebody's parser, knows. */
function spellings(address: string): [name: string, host: string][] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const mapped = ipaddr.IPv4.parse(address).toIPv4MappedAddress();
  return [
    ['dotted decimals', address],
    ['a trailing dot', `${address}.`],
    ['one decimal number', `${whole}`],
    ['one hexadecimal number', hex(whole)],
    ['dotted hexadecimals', [a, b, c, d].map(hex).join('.')],
    ['a mixture', `${hex(a)}.${b}.${octal(c)}.${d}`],
    ['two parts', `${a}.${(b * 256 + c) * 256 + d}`],
    ['full-width digits', address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))],
    ['ideographic full stops', address.replaceAll('.', '。')],
    ['percent escapes', Array.from(address, (char) => `%${char.charCodeAt(0).toString(16)}`).join('')],
    ['IPv4-mapped, dotted', `[::ffff:${address}]`],
    ['IPv4-mapped, hexadecimal', `[${mapped.toString()}]`],
  ];
}

function localNames(): HostileCase[] {
  const names: [name: string, host: string][] = [
    ['localhost', 'localhost'],
    ['localhost with a trailing dot', 'localhost.'],
    ['below localhost', 'db.localhost'],
    ['localhost in full-width letters', 'ｌｏｃａｌｈｏｓｔ'],
  ];
  return names.map(([name, host]) => {
    const refusal = host.endsWith('.') ? 'trailing-dot' : 'not-public';
    return { name, url: `https://${host}:8443/`, refusal };
  });
}

function notWebhookUrls(): HostileCase[] {
  const cases: [name: string, url: string, refusal: string][] = [
    ['http', 'http://example.com/', 'not-https'],
    ['a file', 'file:///etc/passwd', 'not-https'],
    ['no host', 'https://', 'invalid-url'],
    ['one slash', 'https:/example.com/', 'invalid-url'],
    ['backslashes', 'https:\\\\example.com\\', 'invalid-url'],
    ['a backslash before an at sign', 'https://example.com\\@127.0.0.1/', 'invalid-url'],
    ['a tab within', 'https://exam\tple.com/', 'invalid-url'],
    ['a line break within', 'https://example.com/\r\nHost: x', 'invalid-url'],
    ['a zero byte', 'https://example.com/\0', 'invalid-url'],
    ['a wildcard', 'https://*.example.com/', 'invalid-url'],
    ['a label of 64 characters', `https://${'a'.repeat(64)}.com/`, 'invalid-url'],
    ['a host of 254 characters', `https://${'a.'.repeat(125)}test/`, 'invalid-url'],
    ['a number too large for an address', 'https://4294967296/', 'invalid-url'],
    ['a zone', 'https://[fe80::1%25eth0]/', 'invalid-url'],
    ['half a surrogate pair', 'https://example.com/\ud800', 'invalid-url'],
    ['a trailing dot', 'https://example.com./', 'trailing-dot'],
    ['a public address as one decimal number', 'https://134744072/', 'address-form'],
    ['a public address, IPv4-mapped', 'https://[::ffff:8.8.8.8]/', 'address-form'],
    ['a public address behind NAT64', 'https://[64:ff9b::808:808]/', 'address-form'],
    ['a public address in brackets', 'https://[2606:4700::1111]/', 'address-form'],
    ['2,049 characters', `https://example.com/${'a'.repeat(2_029)}`, 'invalid-url'],
    ['user and password', 'https://user:password@example.com/', 'credentials'],
    ['a user that looks like a host', 'https://example.com@127.0.0.1/', 'credentials'],
    ['port 80', 'https://example.com:80/', 'port'],
    ['port 65536', 'https://example.com:65536/', 'invalid-url'],
  ];
  return cases.map(([name, url, refusal]) => ({ name, url, refusal }));
}

function privateAddresses(): [name: string, address: string][] {
  return [
    ['this host', '0.0.0.0'],
    ['loopback', '127.0.0.1'],
    ['private 10', '10.0.0.1'],
    ['private 172.16', '172.16.0.1'],
    ['the end of private 172.16', '172.31.255.255'],
    ['private 192.168', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local', '169.254.0.1'],
    ['metadata of most clouds', '169.254.169.254'],
    ['the host agent of Azure', '168.63.129.16'],
    ['metadata of Oracle', '192.0.0.192'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 unspecified', '::'],
    ['IPv6 loopback', '::1'],
    ['IPv6 link-local', 'fe80::1'],
    ['IPv6 unique local', 'fc00::1'],
    ['IPv6 metadata of Amazon', 'fd00:ec2::254'],
    ['IPv6 multicast', 'ff02::1'],
    ['IPv6 that nobody was given', '4000::1'],
    // Somebody on the way may pass them into the IPv4 address inside.
    ['IPv4-mapped', '::ffff:7f00:1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['6to4', '2002:7f00:1::1'],
    ['Teredo', '2001:0:5db8:d822:0:ffff:80ff:fffe'],
  ];
}

function dnsAnswers(listenerAddress: string): HostileCase[] {
  const publicAddress = record('93.184.216.34');
  const many = Array.from({ length: 200 }, (_, index) => record(`93.184.216.${index}`));
  const cases: [name: string, reply: DnsReply, refusal: string, leadsToListener: boolean][] = [
    ['the listener', [record(listenerAddress)], 'not-public', true],
    ['an alias of the listener', [alias('cdn.test'), record(listenerAddress)], 'not-public', true],
    ['a mapped address of it', [record(`::ffff:${listenerAddress}`)], 'not-public', false],
    ['first public, then private', [publicAddress, record('10.0.0.1')], 'not-public', false],
    ['first private, then public', [record('10.0.0.1'), publicAddress], 'not-public', false],
    ['public IPv4, private IPv6', [publicAddress, record('fd00::1')], 'not-public', false],
    ['the last of 201, by TCP', [...many, record('10.0.0.1')], 'not-public', false],
    ['an alias of nothing', [alias('nothing.test')], 'unresolvable', false],
    ['no address', [], 'unresolvable', false],
    ['no such name', 'no-such-name', 'unresolvable', false],
    ['a server that fails', 'server-failure', 'lookup-failed', false],
  ];
  return cases.map(([name, reply, refusal, leadsToListener], index) => {
    const url = `https://answer-${index}.hostile.test:8443/`;
    return { name: `the answer is ${name}`, url, reply, refusal, leadsToListener };
  });
}

function alias(name: string) {
  return { type: 'CNAME', data: name } as const;
}
