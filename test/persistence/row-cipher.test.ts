import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { masterKeyOf } from '../../src/persistence/disk/master-key.ts';
import {
  BrokenSealError,
  ForeignKeyError,
  RowCipher,
  SEAL_BYTES,
} from '../../src/persistence/disk/row-cipher.ts';

const masterKey = masterKeyOf(randomBytes(32));
const cipher = new RowCipher(masterKey);
const row = Buffer.from('row');
const plain = Buffer.from('user: a\npassword: b');

describe('a sealed value', () => {
  test('opens to what was sealed, also when that is nothing or much', () => {
    for (const value of [plain, Buffer.alloc(0), randomBytes(1024 * 1024)]) {
      const sealed = cipher.seal(value, row);
      assert.equal(sealed.length, value.length + SEAL_BYTES);
      assert.deepEqual(cipher.open(sealed, row), value);
    }
  });

  test('holds nothing that can be read, and is another one each time', () => {
    const sealed = cipher.seal(plain, row);
    assert(!sealed.includes('user') && !sealed.includes('password'));
    assert.notDeepEqual(cipher.seal(plain, row), sealed);
  });

  test('begins with the id of its key', () => {
    assert.equal(cipher.seal(plain, row).toString('hex', 0, 4), masterKey.id);
  });

  test('does not open in another row', () => {
    assert.throws(() => cipher.open(cipher.seal(plain, row), Buffer.from('other')), BrokenSealError);
  });

  test('does not open with one bit changed or one byte missing, wherever that is', () => {
    const sealed = cipher.seal(plain, row);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.throws(() => cipher.open(changed, row), index < 4 ? ForeignKeyError : BrokenSealError);
      assert.throws(() => cipher.open(sealed.subarray(0, index), row), BrokenSealError);
    }
  });

  test('names the key it was sealed with when that is another one', () => {
    const otherKey = masterKeyOf(randomBytes(32));
    const sealed = new RowCipher(otherKey).seal(plain, row);
    assert.throws(
      () => cipher.open(sealed, row),
      (error) =>
        error instanceof ForeignKeyError &&
        error.keyId === otherKey.id &&
        error.message.includes(otherKey.id) &&
        error.message.includes(masterKey.id),
    );
  });
});
