/** The key ring: who opens it, when, and that a change of the master key can stop anywhere. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import fs, { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { KeyError } from '../../../src/persistence/keys/key-error.ts';
import { KeyRing } from '../../../src/persistence/keys/key-ring.ts';
import { RowCipher } from '../../../src/persistence/keys/row-cipher.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const ROW = Buffer.from('row');
const PLAIN = Buffer.from('a code');

describe('a key ring', () => {
  let folder: TemporaryFolder;
  let ringFile: string;
  let keyFile: string;

  beforeEach(async () => {
    folder = await createTemporaryFolder('key-ring');
    ringFile = join(folder.path, 'key-ring');
    keyFile = join(folder.path, 'master-key');
  });
  afterEach(() => folder.remove());

  const load = (fromEnvironment?: string, isBegun = true, hasTexts = true) =>
    KeyRing.load({ folder: folder.path, fromEnvironment, isBegun, hasTexts: () => hasTexts });
  const made = () => load(undefined, false);
  const newKey = () => randomBytes(32).toString('base64');
  const copies = () => readFileSync(ringFile, 'utf8').trimEnd().split('\n').slice(1, -1);
  const cipherOf = ({ keys }: KeyRing) => new RowCipher(keys);
  const sealed = (ring: KeyRing) => cipherOf(ring).seal(PLAIN, ROW);
  const assertOpens = (ring: KeyRing, value: Buffer) =>
    assert.deepEqual(cipherOf(ring).open(value, ROW), PLAIN);

  test('is made with a new folder, for its owner only, and opens what it sealed at the next start', () => {
    const value = sealed(made());
    assert.equal(statSync(ringFile).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.path).toSorted(), ['key-ring', 'master-key', 'unfinished']);
    assertOpens(load(), value);
    assertOpens(KeyRing.read(folder.path, undefined), value);
  });

  test('is made anew only in a folder that has no texts: nothing would open', () => {
    made();
    rmSync(ringFile);
    for (const open of [() => load(), () => KeyRing.read(folder.path, undefined)]) {
      assert.throws(
        open,
        (error) =>
          error instanceof KeyError && error.kind === 'ring' && /restore a backup/.test(error.message),
      );
    }
    assert.deepEqual(readdirSync(folder.path), ['master-key', 'unfinished']);
    const value = sealed(load(undefined, true, false));
    assertOpens(load(), value);
  });

  test('is never replaced when the key is a wrong one, in no folder, and the error says what is needed', () => {
    const ring = made();
    const before = readFileSync(ringFile);
    const wrong = newKey();
    for (const isBegun of [true, false]) {
      assert.throws(
        () => load(wrong, isBegun, false),
        (error) =>
          isNotTheKey(error) &&
          error instanceof Error &&
          error.message.includes(`needs the key with the id ${ring.masterKeyId}, `) &&
          error.message.includes('from PURSER_MASTER_KEY') &&
          error.message.includes('move key-ring away'),
      );
    }
    rmSync(keyFile);
    assert.throws(() => load(undefined, false, false), /has no master-key/, 'nor is a key made for it');
    assert.deepEqual(readdirSync(folder.path), ['key-ring', 'unfinished']);
    assert.deepEqual(readFileSync(ringFile), before);
  });

  test('has no key that can be read, neither in the file nor when it is printed', () => {
    const ring = made();
    const value = sealed(ring);
    const secret = ring.keys.dataKey.key.export();
    const printed = `${inspect(ring, { depth: 9, showHidden: true })}${JSON.stringify(ring)}`;
    for (const text of [printed, readFileSync(ringFile, 'utf8')])
      for (const encoding of ['base64', 'hex'] as const) assert.ok(!text.includes(secret.toString(encoding)));
    assert.ok(!printed.includes(secret.subarray(0, 4).toString('hex').replaceAll(/(..)/g, '$1 ').trim()));
    assertOpens(ring, value);
  });

  test('gets another master key and a new key file; the old key opens it no more', () => {
    const ring = made();
    const value = sealed(ring);
    const old = readFileSync(keyFile, 'utf8');
    ring.rekey();
    assert.notEqual(readFileSync(keyFile, 'utf8'), old);
    assert.equal(statSync(keyFile).mode & 0o777, 0o600);
    assert.equal(copies().length, 1);
    assertOpens(ring, value);
    assertOpens(load(), value);

    const given = newKey();
    ring.rekey(`${given}\n`);
    assert.equal(readFileSync(keyFile, 'utf8'), `${given}\n`, 'or the key that was named');
    assertOpens(load(), value);

    writeFileSync(keyFile, old);
    assert.throws(() => KeyRing.read(folder.path, undefined), isNotTheKey);
    assert.throws(() => load(undefined, true, false), isNotTheKey);
  });

  test('with the key from the environment needs to be told the new one, which the next start needs', () => {
    const old = newKey();
    const ring = load(old, false);
    const value = sealed(ring);
    assert.match(ring.refusalOf(undefined)?.message ?? '', /PURSER_MASTER_KEY/);
    const before = readFileSync(ringFile);
    for (const none of [undefined, old, ` ${old}\n`, '', 'short', newKey().slice(1), `${newKey()}=`])
      assert.throws(() => ring.rekey(none), { kind: 'change' }, JSON.stringify(none));
    assert.deepEqual(readFileSync(ringFile), before, 'what is no new key changes nothing');
    const given = newKey();
    ring.rekey(given);
    assert.deepEqual(readdirSync(folder.path), ['key-ring', 'unfinished']);
    assertOpens(KeyRing.read(folder.path, given), value);
    assert.throws(() => KeyRing.read(folder.path, old), isNotTheKey);
  });

  describe('while the key file is replaced', () => {
    /** The ring for the old key, and for the new one; both at once is what lies there in between. */
    function bothCopies() {
      const ring = made();
      const value = sealed(ring);
      const old = { key: readFileSync(keyFile, 'utf8'), ring: readFileSync(ringFile, 'utf8') };
      ring.rekey();
      const next = { key: readFileSync(keyFile, 'utf8'), ring: readFileSync(ringFile, 'utf8') };
      const copyIn = (text: string) => text.split('\n')[1];
      const lines = [old.ring.split('\n')[0], copyIn(old.ring), copyIn(next.ring), ''].join('\n');
      const both = `${lines}${createHash('sha256').update(lines).digest('hex')}\n`;
      return { value, old, next, both };
    }

    test('a crash leaves a folder that the key in the file opens, and the other one no more after the start', () => {
      const { value, both, old, next } = bothCopies();
      for (const [named, other] of [
        [old.key, next.key],
        [next.key, old.key],
      ] as const) {
        writeFileSync(ringFile, both);
        writeFileSync(keyFile, named);
        assertOpens(KeyRing.read(folder.path, undefined), value);
        assert.equal(copies().length, 2, 'who only looks completes nothing');
        assert.throws(() => load(other.trim()), /start without PURSER_MASTER_KEY/);
        assertOpens(load(), value);
        assert.equal(copies().length, 1);
        assert.throws(() => KeyRing.read(folder.path, other.trim()), isNotTheKey);
      }
    });

    test('a start syncs the name of the key file before it removes the other copy', (context) => {
      const { both, next } = bothCopies();
      writeFileSync(ringFile, both);
      writeFileSync(keyFile, next.key);
      const steps: string[] = [];
      const { fsyncSync, renameSync } = fs;
      patch(context, 'fsyncSync', (descriptor) => {
        steps.push(fs.fstatSync(descriptor).isDirectory() ? 'sync folder' : 'sync file');
        fsyncSync(descriptor);
      });
      patch(context, 'renameSync', (from, to) => {
        steps.push('rename');
        renameSync(from, to);
      });
      load();
      assert.deepEqual(steps, ['sync folder', 'sync file', 'rename', 'sync folder']);
    });

    for (const isReplaced of [false, true]) {
      test(`a disk that fails with the ${isReplaced ? 'new' : 'old'} key in the file: the id is that key’s`, (context) => {
        const ring = made();
        const before = ring.masterKeyId;
        const { renameSync } = fs;
        let renames = 0;
        patch(context, 'renameSync', (from, to) => {
          renames += 1;
          if (renames === 1 || (renames === 2 && isReplaced)) renameSync(from, to);
          if (renames > 1) throw new Error('the disk failed');
        });
        assert.throws(() => ring.rekey(), /the disk failed/);
        assert.equal(copies().length, 2);
        assert.equal(ring.masterKeyId === before, !isReplaced);
        assert.equal(ring.masterKeyId, KeyRing.read(folder.path, undefined).masterKeyId);
      });
    }

    test('a key file that can’t be written leaves the old key, and the next try changes it', () => {
      const ring = made();
      const value = sealed(ring);
      const old = readFileSync(keyFile, 'utf8');
      const unfinished = join(folder.path, 'unfinished', 'master-key');
      mkdirSync(unfinished);
      assert.throws(() => ring.rekey());
      assert.deepEqual([readFileSync(keyFile, 'utf8'), copies().length], [old, 1]);
      assertOpens(load(), value);
      rmSync(unfinished, { recursive: true });
      ring.rekey();
      assertOpens(load(), value);
      assert.throws(() => KeyRing.read(folder.path, old.trim()), isNotTheKey);
    });
  });

  test('is refused when a byte of it is another one, or when it is cut off', () => {
    made();
    const bytes = readFileSync(ringFile);
    for (let index = 0; index < bytes.length; index += 1) {
      for (const content of [Buffer.from(bytes), bytes.subarray(0, index)]) {
        if (content.length === bytes.length) content[index] = (content[index] ?? 0) ^ 1;
        writeFileSync(ringFile, content);
        assert.throws(() => KeyRing.read(folder.path, undefined), { kind: 'ring' }, `byte ${index}`);
      }
    }
  });
});

/** Replaces a function of `node:fs`, also for who has imported it by name. */
function patch<Name extends 'fsyncSync' | 'renameSync'>(
  context: TestContext,
  name: Name,
  by: (typeof fs)[Name],
): void {
  context.mock.method(fs, name, by);
  syncBuiltinESMExports();
  context.after(() => {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

function isNotTheKey(error: unknown): boolean {
  return error instanceof KeyError && /is not the one that opens.*rekey/.test(error.message);
}
