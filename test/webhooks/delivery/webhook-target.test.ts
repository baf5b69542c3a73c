/** URLs are taken apart once, and each is its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebhookTargets } from '../../../src/webhooks/delivery/webhook-target.ts';

test('a URL is taken apart into what a request needs', () => {
  const targets = new WebhookTargets();
  assert.deepEqual(targets.parse('https://Shop.Example:8443/a/%C3%BC?b=1&b=2#c'), {
    target: {
      href: 'https://shop.example:8443/a/%C3%BC?b=1&b=2#c',
      origin: 'https://shop.example:8443',
      hostname: 'shop.example',
      port: 8443,
      path: '/a/%C3%BC?b=1&b=2',
    },
  });
  const plain = targets.parse('https://shop.example');
  assert.ok('target' in plain);
  assert.equal(plain.target.port, 443);
  assert.equal(plain.target.path, '/');
});

test('what is known is what is found out again, targets and refusals, however many there are', () => {
  const targets = new WebhookTargets();
  const urls = Array.from({ length: 5_000 }, (_, index) =>
    index % 10 === 0 ? `http://shop-${index}.example/` : `https://shop-${index}.example/${index}`,
  );
  for (const url of [...urls, ...urls]) assert.deepEqual(targets.parse(url), new WebhookTargets().parse(url));
});

test('a URL that comes again is not taken apart again, unless it is very long', () => {
  const targets = new WebhookTargets();
  const url = 'https://shop.example/hook';
  assert.equal(targets.parse(url), targets.parse(url));
  const long = `${url}?${'x'.repeat(1_000)}`;
  assert.notEqual(targets.parse(long), targets.parse(long));
  assert.deepEqual(targets.parse(long), targets.parse(long));
});
