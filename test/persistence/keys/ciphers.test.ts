/** Rows and secrets as they are sealed at rest: their key opens them, and no other does. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { DataKeys } from '../../../src/persistence/keys/data-keys.ts';
import { KeyError } from '../../../src/persistence/keys/key-error.ts';
import { RowCipher, SEAL_BYTES } from '../../../src/persistence/keys/row-cipher.ts';
import { SecretCipher } from '../../../src/persistence/keys/secret-cipher.ts';
import { newWebhookSecret } from '../../../src/webhooks/webhook-secret.ts';
import { randomDataKeys } from '../../support/data-keys.ts';

const keys = randomDataKeys();

describe('a sealed row', () => {
  const cipher = new RowCipher(keys);
  const row = Buffer.from('row');
  const plain = Buffer.from('user: a\npassword: b');

  test('opens to what was sealed, in its own row alone, and holds nothing that can be read', () => {
    for (const value of [plain, Buffer.alloc(0), randomBytes(1024 * 1024)]) {
      const sealed = cipher.seal(value, row);
      assert.equal(sealed.length, value.length + SEAL_BYTES);
      assert.deepEqual(cipher.open(sealed, row), value);
      assert.equal(sealed.toString('hex', 0, 4), keys.dataKey.id, 'begins with the id of its key');
      assert.throws(() => cipher.open(sealed, Buffer.from('other')), KeyError);
      assert.notDeepEqual(cipher.seal(value, row), sealed, 'another one each time');
    }
    const sealed = cipher.seal(plain, row);
    assert.ok(!sealed.includes('user') && !sealed.includes('password'));
  });

  test('does not open with one bit changed or one byte missing, wherever that is', () => {
    const sealed = cipher.seal(plain, row);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.throws(() => cipher.open(changed, row), {
        kind: 'seal',
        message: index < 4 ? /not in key-ring/ : /tag/,
      });
      assert.throws(() => cipher.open(sealed.subarray(0, index), row), KeyError);
    }
  });

  test('names the key it was sealed with when the folder doesn’t have it', () => {
    const others = randomDataKeys();
    const sealed = new RowCipher(others).seal(plain, row);
    assert.throws(
      () => cipher.open(sealed, row),
      (error) => error instanceof KeyError && error.message.includes(others.dataKey.id),
    );
  });

  test('opens in every thread', () => {
    const elsewhere = new RowCipher(DataKeys.of(keys.shared));
    assert.deepEqual(elsewhere.open(cipher.seal(plain, row), row), plain);
    assert.deepEqual(cipher.open(elsewhere.seal(plain, row), row), plain);
    assert.deepEqual(DataKeys.of(keys.shared).fingerprintKey, keys.fingerprintKey);
  });
});

describe('a sealed secret', () => {
  const cipher = new SecretCipher(keys, 'webhook secret');
  const secret = newWebhookSecret();

  test('opens for its account, and doesn’t show', () => {
    const sealed = cipher.seal(secret, 7);
    assert.equal(cipher.open(sealed, 7), secret);
    assert.equal(Buffer.from(sealed, 'base64').includes(secret), false);
    assert.notEqual(cipher.seal(secret, 7), sealed, 'each time under another nonce');
  });

  test('doesn’t open for another account or purpose, with another folder’s keys, or damaged', () => {
    const sealed = cipher.seal(secret, 7);
    for (const other of [8, 71, undefined]) assert.equal(cipher.open(sealed, other), undefined);
    const suppliers = new SecretCipher(keys, 'supplier secret');
    assert.equal(suppliers.open(sealed, 7), undefined);
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
});
