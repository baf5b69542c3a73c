/** A registration's look-up: what it says of a destination, and that no account takes the places of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LookupResult } from '../../src/outgoing/host-inquiry.ts';
import type { HostLookup } from '../../src/outgoing/host-resolver.ts';
import { SecretCipher } from '../../src/persistence/keys/secret-cipher.ts';
import { AddressPolicy } from '../../src/webhooks/destination/address-policy.ts';
import { WebhookRegistration } from '../../src/webhooks/webhook-registration.ts';
import { randomDataKeys } from '../support/data-keys.ts';

const URL_TEXT = 'https://shop.example/events';

function registrationWith(lookup: HostLookup['lookup']): WebhookRegistration {
  return new WebhookRegistration({
    resolver: { lookup },
    policy: new AddressPolicy([]),
    secrets: new SecretCipher(randomDataKeys(), 'webhook secret'),
  });
}

const CASES: [what: string, result: LookupResult, message: RegExp | undefined, isBusy?: boolean][] = [
  ['a public host', { addresses: ['93.184.216.34'], ttlMs: 1 }, undefined],
  ['a private host', { addresses: ['10.0.0.1'], ttlMs: 1 }, /public/],
  ['no such host', { failure: 'not-found' }, /does not resolve/],
  ['a silent name server', { failure: 'timeout' }, /does not resolve/],
  ['too many look-ups', { failure: 'busy' }, /try again/, true],
];
test('a registration says what is wrong with a destination, and whether to come again', async () => {
  for (const [what, result, message, isBusy = false] of CASES) {
    const refusal = await registrationWith(async () => result).refusalOf(1, URL_TEXT);
    if (message === undefined) assert.equal(refusal, undefined, what);
    else assert.match(refusal?.message ?? '', message, what);
    assert.equal(refusal?.isBusy ?? false, isBusy, what);
  }
  const registration = registrationWith(() => assert.fail('looked up'));
  assert.match((await registration.refusalOf(1, 'http://shop.example/'))?.message ?? '', /HTTPS/);
});

test('an account has four look-ups under way, whatever others have, and places come back', async () => {
  const ends: (() => void)[] = [];
  const silent = () =>
    new Promise<LookupResult>((resolve) => {
      ends.push(() => resolve({ failure: 'timeout' }));
    });
  const registration = registrationWith(silent);
  for (let pass = 0; pass < 3; pass += 1) {
    const waiting = Array.from({ length: 4 }, () => registration.refusalOf(1, URL_TEXT));
    const tooMany = await registration.refusalOf(1, URL_TEXT);
    assert.equal(tooMany?.isBusy, true);
    waiting.push(registration.refusalOf(2, URL_TEXT));
    assert.equal(ends.length, 5);
    for (const end of ends.splice(0)) end();
    for (const refusal of await Promise.all(waiting)) assert.equal(refusal?.isBusy, false);
  }
});

test('the account answers for what its look-ups take, whatever hosts it names', async () => {
  const askers: (string | undefined)[] = [];
  const registration = registrationWith(async (_, asker) => {
    askers.push(asker);
    return { failure: 'timeout' };
  });
  await registration.refusalOf(1, 'https://a.silent.example/');
  await registration.refusalOf(1, 'https://b.silent.example/');
  await registration.refusalOf(2, 'https://b.silent.example/');
  assert.deepEqual(askers, ['account 1', 'account 1', 'account 2']);
});
