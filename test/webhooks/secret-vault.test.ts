/** Webhook secrets at rest: who opens them, and that nobody else does. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { masterKeyOf } from '../../src/persistence/disk/master-key.ts';
import { SecretVault } from '../../src/webhooks/secret-vault.ts';
import { newWebhookSecret } from '../../src/webhooks/webhook-secret.ts';

const vault = new SecretVault(masterKeyOf(randomBytes(32)));
const secret = newWebhookSecret();

test('a sealed secret opens for its account, and doesn’t show', () => {
  const sealed = vault.seal(7, secret);
  assert.equal(vault.open(7, sealed), secret);
  assert.equal(Buffer.from(sealed, 'base64').includes(secret), false);
  assert.notEqual(vault.seal(7, secret), sealed, 'each time under another nonce');
});

test('it doesn’t open for another account, under another master key, or damaged', () => {
  const sealed = vault.seal(7, secret);
  assert.equal(vault.open(8, sealed), undefined);
  assert.equal(vault.open(71, sealed), undefined);
  assert.equal(new SecretVault(masterKeyOf(randomBytes(32))).open(7, sealed), undefined);
  const bytes = Buffer.from(sealed, 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.equal(vault.open(7, changed.toString('base64')), undefined, `byte ${index}`);
  }
  for (const text of ['', 'AAAA', 'not base64', sealed.slice(0, -8)]) {
    assert.equal(vault.open(7, text), undefined, text);
  }
});
