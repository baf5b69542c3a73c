/** Webhook URLs and addresses that are accepted, and as what; `hostile-destinations.test.ts` has the rest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostLookup } from '../../../src/outgoing/host-resolver.ts';
import { AddressPolicy } from '../../../src/webhooks/destination/address-policy.ts';
import { resolveDestination } from '../../../src/webhooks/destination/destination.ts';
import { parseWebhookUrl } from '../../../src/webhooks/destination/webhook-url.ts';

const accepted: [written: string, url: string][] = [
  ['https://example.com', 'https://example.com/'],
  ['https://example.com:443/hook?a=1', 'https://example.com/hook?a=1'],
  ['HTTPS://EXAMPLE.com/Hook', 'https://example.com/Hook'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://93.184.216.34/', 'https://93.184.216.34/'],
  [`https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
];

test('what is a webhook URL', () => {
  for (const [written, href] of accepted) {
    const parsed = parseWebhookUrl(written);
    assert.equal('url' in parsed && parsed.url.href, href);
  }
});

const vetted: [allow: string[], address: string, dialled: string | undefined][] = [
  [[], '93.184.216.34', '93.184.216.34'],
  [[], '2606:4700:0000:0::1111', '2606:4700::1111'],
  [[], '::ffff:93.184.216.34', undefined],
  [['64:ff9b::/96'], '64:ff9b::5db8:d822', '64:ff9b::5db8:d822'],
  [['64:ff9b::/96'], '64:ff9b::a01:1', undefined],
  [[], '172.15.255.255', '172.15.255.255'],
  [[], '172.32.0.0', '172.32.0.0'],
  [[], '168.63.129.15', '168.63.129.15'],
  [[], 'example.com', undefined],
  [['10.1.0.0/16'], '10.1.255.255', '10.1.255.255'],
  [['10.1.0.0/16'], '10.2.0.0', undefined],
  [['10.1.0.0/16'], '::ffff:10.1.0.1', undefined],
  [['10.1.0.0/16', '64:ff9b::/96'], '64:ff9b::a01:1', '64:ff9b::a01:1'],
  [['fd00::/8'], 'fd12::1', 'fd12::1'],
  [['fd00::/8', '192.168.0.0/24'], '192.168.0.7', '192.168.0.7'],
];

test('which addresses are dialled, and as what', () => {
  for (const [allow, address, dialled] of vetted) {
    const vetted = new AddressPolicy(allow).vet(address);
    assert.equal(vetted?.address, dialled, `${address} with [${allow}] allowed`);
  }
});

test('localhost is 127.0.0.1 and nobody is asked', async () => {
  const asked: HostLookup = { lookup: () => assert.fail('a name server was asked') };
  for (const host of ['localhost', 'a.localhost', 'a.b.localhost']) {
    assert.deepEqual(await resolveDestination(host, asked, new AddressPolicy([])), { refusal: 'not-public' });
    const allowed = await resolveDestination(host, asked, new AddressPolicy(['127.0.0.1/32']));
    assert.deepEqual('addresses' in allowed && allowed.addresses, [{ address: '127.0.0.1', family: 4 }]);
  }
});
