/** Webhooks' and suppliers' secrets at rest: who opens them, and that nobody else does. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { KEY_BYTES } from '../../src/persistence/disk/data-keys.ts';
import { SecretCipher } from '../../src/persistence/disk/secret-cipher.ts';
import { newWebhookSecret } from '../../src/webhooks/webhook-secret.ts';
import { randomDataKeys } from '../support/data-keys.ts';

const keys = randomDataKeys();
const cipher = new SecretCipher(keys, 'webhook secret');
const secret = newWebhookSecret();

test('a sealed secret opens for its account, and doesn’t show', () => {
  const sealed = cipher.seal(secret, 7);
  assert.equal(cipher.open(sealed, 7), secret);
  assert.equal(Buffer.from(sealed, 'base64').includes(secret), false);
  assert.notEqual(cipher.seal(secret, 7), sealed, 'each time under another nonce');
});

test('it doesn’t open for another account or purpose, with another folder’s keys, or damaged', () => {
  const sealed = cipher.seal(secret, 7);
  assert.equal(cipher.open(sealed, 8), undefined);
  assert.equal(cipher.open(sealed, 71), undefined);
  assert.equal(cipher.open(sealed), undefined);
  const suppliers = new SecretCipher(keys, 'supplier secret');
  assert.equal(suppliers.open(sealed, 7), undefined);
  assert.equal(suppliers.open(suppliers.seal(secret)), secret);
  assert.equal(cipher.open(suppliers.seal(secret)), undefined);
  assert.equal(new SecretCipher(randomDataKeys(), 'webhook secret').open(sealed, 7), undefined);
  const bytes = Buffer.from(sealed, 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.equal(cipher.open(changed.toString('base64'), 7), undefined, `byte ${index}`);
  }
  for (const text of ['', 'AAAA', 'not base64', sealed.slice(0, -8)]) {
    assert.equal(cipher.open(text, 7), undefined, text);
  }
});

test('is sealed anew with a newer key, once, and is the same secret of the same account', () => {
  const own = randomDataKeys();
  const secrets = new SecretCipher(own, 'webhook secret');
  const before = secrets.seal(secret, 7);
  assert.equal(secrets.sealAnew(before, 7), undefined, 'there is no newer key');
  own.add(randomBytes(KEY_BYTES));
  const after = secrets.sealAnew(before, 7);
  assert.ok(after !== undefined && after !== before);
  assert.equal(secrets.open(after, 7), secret);
  assert.equal(secrets.sealAnew(after, 7), undefined);
  assert.equal(secrets.sealAnew(before, 8), undefined, 'it doesn’t open for another account');
  assert.equal(secrets.sealAnew(cipher.seal(secret, 7), 7), undefined, 'nor with another folder’s keys');
});
