import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { DataKeys, KEY_BYTES } from '../../src/persistence/disk/data-keys.ts';
import {
  BrokenSealError,
  ForeignKeyError,
  RowCipher,
  SEAL_BYTES,
} from '../../src/persistence/disk/row-cipher.ts';
import { randomDataKeys } from '../support/data-keys.ts';

const keys = randomDataKeys();
const cipher = new RowCipher(keys);
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
    assert.equal(cipher.seal(plain, row).toString('hex', 0, 4), keys.newest.id);
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

  test('names the key it was sealed with when the folder doesn’t have it', () => {
    const others = randomDataKeys();
    const sealed = new RowCipher(others).seal(plain, row);
    assert.throws(
      () => cipher.open(sealed, row),
      (error) =>
        error instanceof ForeignKeyError &&
        error.keyId === others.newest.id &&
        error.message.includes(others.newest.id),
    );
  });

  test('opens when a newer key seals, in every thread, and is old from then on', () => {
    const shared = DataKeys.create(randomBytes(KEY_BYTES), [randomBytes(KEY_BYTES)]);
    const here = new RowCipher(shared);
    const elsewhere = new RowCipher(DataKeys.of(shared.shared));
    const before = here.seal(plain, row);
    assert.equal(elsewhere.isOld(before), false);
    shared.add(randomBytes(KEY_BYTES));
    const after = elsewhere.seal(plain, row);
    assert.notDeepEqual(after.subarray(0, 4), before.subarray(0, 4));
    for (const each of [here, elsewhere]) {
      assert.deepEqual([each.open(before, row), each.open(after, row)], [plain, plain]);
      assert.deepEqual([each.isOld(before), each.isOld(after)], [true, false]);
    }
    const foreign = new RowCipher(randomDataKeys()).seal(plain, row);
    assert.equal(here.isOld(foreign), false, 'what doesn’t open can’t be sealed anew');
  });
});
