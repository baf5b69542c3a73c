/** A secret is opened once, and never taken for another account's or for the one before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenedSecrets } from '../../../src/webhooks/delivery/opened-secrets.ts';

/** Opens what was sealed for the account, which says so itself; and counts. */
class CountingCipher {
  opened = 0;

  open(sealedSecret: string, accountId?: number): string | undefined {
    this.opened += 1;
    return sealedSecret.startsWith(`${accountId}:`) ? sealedSecret.slice(`${accountId}:`.length) : undefined;
  }
}

test('a secret is opened once', () => {
  const cipher = new CountingCipher();
  const secrets = new OpenedSecrets(cipher);
  for (let delivery = 0; delivery < 3; delivery += 1) assert.equal(secrets.open(1, '1:first'), 'first');
  assert.equal(cipher.opened, 1);
});

test('a secret that replaced another, or is of another account, is its own', () => {
  const secrets = new OpenedSecrets(new CountingCipher());
  assert.equal(secrets.open(1, '1:first'), 'first');
  assert.equal(secrets.open(1, '1:second'), 'second');
  assert.equal(secrets.open(2, '2:first'), 'first');
  assert.equal(secrets.open(2, '1:second'), undefined);
  assert.equal(secrets.open(1, '1:second'), 'second');
});

test('of more accounts than are remembered, each still has its own', () => {
  const cipher = new CountingCipher();
  const secrets = new OpenedSecrets(cipher);
  const accounts = Array.from({ length: 5_000 }, (_, index) => index + 1);
  for (const account of accounts)
    assert.equal(secrets.open(account, `${account}:s${account}`), `s${account}`);
  assert.equal(secrets.open(5_000, '5000:s5000'), 's5000');
  assert.equal(cipher.opened, 5_000);
  assert.equal(secrets.open(1, '1:s1'), 's1');
  assert.equal(cipher.opened, 5_001);
});
