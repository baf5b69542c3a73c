/** Whose address it is when proxies stand in between, and what an attacker can make of their headers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientAddresses, networkOf } from '../../../src/http/limits/client-address.ts';
import type { Exchange } from '../../../src/http/transport/transport.ts';

interface Sent {
  readonly peer?: string;
  readonly listed?: string;
}

const TRUSTED = ['10.0.0.0/8', 'fd00::/8', '::ffff:192.168.0.0/112'];

const cases: [what: string, sent: Sent, client: string][] = [
  ['no proxy in between', { peer: '203.0.113.9' }, '203.0.113.9'],
  ['a peer that is not trusted', { peer: '203.0.113.9', listed: '198.51.100.1' }, '203.0.113.9'],
  ['one proxy', { listed: '198.51.100.1' }, '198.51.100.1'],
  ['two proxies', { listed: '198.51.100.1, 10.0.0.2' }, '198.51.100.1'],
  ['what the client wrote itself', { listed: '6.6.6.6, 198.51.100.1' }, '198.51.100.1'],
  ['only trusted ones: the first', { listed: '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
  ['IPv6', { listed: '2001:DB8:0:0::1' }, '2001:db8::1'],
  ['a trusted IPv6 proxy', { peer: 'fd00::1', listed: '198.51.100.1' }, '198.51.100.1'],
  ['a trusted range written as IPv6', { peer: '192.168.3.4', listed: '198.51.100.1' }, '198.51.100.1'],
  ['nonsense at the right end', { listed: '198.51.100.1, nonsense' }, '10.0.0.1'],
  ['nothing behind a comma', { listed: '198.51.100.1,' }, '10.0.0.1'],
  ['a zone', { listed: 'fe80::1%eth0' }, '10.0.0.1'],
  ['a zone that no name of an interface has', { listed: '198.51.100.1, fe80::1%eth-0.1' }, '10.0.0.1'],
  ['a proxy with a zone', { peer: 'fd00::1%eth-0.1', listed: '198.51.100.1' }, '198.51.100.1'],
  ['a peer with a zone', { peer: 'fe80::1%eth-0.1' }, 'fe80::1%eth-0.1'],
  ['mapped', { listed: '::ffff:198.51.100.1' }, '198.51.100.1'],
  ['more proxies than there are', { listed: `6.6.6.6${', 10.0.0.2'.repeat(99)}` }, '10.0.0.2'],
  // It would take minutes, if any part of it was read more than once.
  ['blanks without end', { listed: `6.6.6.6,${' '.repeat(4_000_000)}x` }, '10.0.0.1'],
];

test('an address is that of the first who is not trusted', () => {
  for (const [what, { peer = '10.0.0.1', listed }, client] of cases) {
    const headers: Readonly<Record<string, readonly string[]>> = {
      'x-forwarded-for': listed === undefined ? [] : [listed],
      forwarded: ['for=6.6.6.6'],
    };
    const exchange = { remoteAddress: () => peer, headerValues: (name: string) => headers[name] ?? [] };
    assert.equal(new ClientAddresses(TRUSTED).of(exchange as unknown as Exchange), client, what);
  }
});

test('an address of IPv6 counts as its network', () => {
  const networks: [address: string, network: string][] = [
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%eth-0.1', 'fe80:0:0:0::/64'],
    ['', ''],
  ];
  for (const [address, network] of networks) assert.equal(networkOf(address), network, address);
});
