/** A key ring that several nodes have: what one changes, the others write, too. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { KeyRing } from '../../../src/persistence/keys/key-ring.ts';
import { RowCipher } from '../../../src/persistence/keys/row-cipher.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const ROW = Buffer.from('row');
const newKey = () => randomBytes(32).toString('base64');

describe('a key ring that nodes share', () => {
  const masterKey = newKey();
  let folder: TemporaryFolder;
  let leader: KeyRing;
  let follower: KeyRing;
  /** The key rings in the log. */
  let log: string[];

  const path = (name: string) => join(folder.path, name);
  const load = (name: string, fromEnvironment: string | undefined = masterKey) =>
    KeyRing.load({ folder: path(name), fromEnvironment, isBegun: true, hasTexts: () => true });
  const begin = (name: string, fromEnvironment?: string) =>
    KeyRing.load({ folder: path(name), fromEnvironment, isBegun: false, hasTexts: () => false });
  const sealed = ({ keys }: KeyRing, text: string) => new RowCipher(keys).seal(Buffer.from(text), ROW);
  const opened = ({ keys }: KeyRing, value: Buffer) => new RowCipher(keys).open(value, ROW).toString();
  const textOf = (name: string) => readFileSync(path(`${name}/key-ring`), 'utf8');
  const share = (ring: KeyRing) =>
    ring.shareBy(async (bytes) => {
      log.push(bytes.toString());
    });

  beforeEach(async () => {
    folder = await createTemporaryFolder('shared-key-ring');
    for (const name of ['leader', 'other']) mkdirSync(path(name));
    leader = begin('leader', masterKey);
    cpSync(path('leader'), path('follower'), { recursive: true });
    follower = load('follower');
    log = [];
  });
  afterEach(() => folder.remove());

  test('is written by the others as it is shared: at first, and with each copy', async () => {
    share(leader);
    await leader.whenShared();
    assert.deepEqual(log, [textOf('leader')]);
    for (const text of [...log, ...log]) assert.equal(follower.adopt(text), true);
    assert.equal(textOf('follower'), textOf('leader'));
    assert.equal(opened(load('follower'), sealed(leader, 'text')), 'text');
  });

  test('with another master key is kept for the next start, and changed by nobody else', async () => {
    share(leader);
    const other = newKey();
    leader.rekey(other);
    await leader.whenShared();
    assert.equal(follower.adopt(log.at(-1) ?? ''), false);
    assert.equal(opened(follower, sealed(leader, 'text')), 'text', 'the data key is the same');
    assert.match(follower.refusalOf(newKey())?.message ?? '', /start this one again with the new key/);
    assert.throws(() => follower.rekey(newKey()), { kind: 'change' });
    assert.throws(() => load('follower'), { kind: 'other-key' });
    assert.equal(opened(load('follower', other), sealed(leader, 'text')), 'text');
  });

  test('needs its master key from the environment', () => {
    const ring = begin('other', undefined);
    share(ring);
    assert.match(ring.refusalOf(undefined)?.message ?? '', /the same PURSER_MASTER_KEY/);
  });

  test('of another shop, or with damaged bytes, is not taken over', () => {
    begin('other', masterKey);
    for (const text of [textOf('other'), `${textOf('leader')}x`]) {
      assert.throws(() => follower.adopt(text), { kind: 'ring' });
      assert.equal(textOf('follower'), textOf('leader'));
    }
  });
});
