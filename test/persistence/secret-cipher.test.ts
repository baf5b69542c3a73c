/** Webhooks' and suppliers' secrets at rest: who opens them, and that nobody else does. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { masterKeyOf } from '../../src/persistence/disk/master-key.ts';
import { SecretCipher } from '../../src/persistence/disk/secret-cipher.ts';
import { newWebhookSecret } from '../../src/webhooks/webhook-secret.ts';

const masterKey = masterKeyOf(randomBytes(32));
const cipher = new SecretCipher(masterKey, 'webhook secret');
const secret = newWebhookSecret();

test('a sealed secret opens for its account, and doesn’t show', () => {
  const sealed = cipher.seal(secret, 7);
  assert.equal(cipher.open(sealed, 7), secret);
  assert.equal(Buffer.from(sealed, 'base64').includes(secret), false);
  assert.notEqual(cipher.seal(secret, 7), sealed, 'each time under another nonce');
});

test('it doesn’t open for another account or purpose, under another master key, or damaged', () => {
  const sealed = cipher.seal(secret, 7);
  assert.equal(cipher.open(sealed, 8), undefined);
  assert.equal(cipher.open(sealed, 71), undefined);
  assert.equal(cipher.open(sealed), undefined);
  const suppliers = new SecretCipher(masterKey, 'supplier secret');
  assert.equal(suppliers.open(sealed, 7), undefined);
  assert.equal(suppliers.open(suppliers.seal(secret)), secret);
  assert.equal(cipher.open(suppliers.seal(secret)), undefined);
  assert.equal(new SecretCipher(masterKeyOf(randomBytes(32)), 'webhook secret').open(sealed, 7), undefined);
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
