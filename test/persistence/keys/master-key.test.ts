/** The master key: made once, for its owner only, or given; refused where it is none, and never shown. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { KeyError } from '../../../src/persistence/keys/key-error.ts';
import { loadMasterKey, type MasterKey } from '../../../src/persistence/keys/master-key.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const bytesOf = (masterKey: MasterKey) => masterKey.key.export();
const idOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 8);

describe('the master key', () => {
  let folder: TemporaryFolder;
  let file: string;

  beforeEach(async () => {
    folder = await createTemporaryFolder('master-key');
    file = join(folder.path, 'master-key');
  });
  afterEach(() => folder.remove());

  test('is made on the first start, for its owner only, and is the same on the next', () => {
    const made = loadMasterKey(folder.path, undefined);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.path, { recursive: true }), ['master-key', 'unfinished']);
    assert.equal(readFileSync(file, 'utf8'), `${bytesOf(made).toString('base64')}\n`);
    assert.equal(made.id, idOf(bytesOf(made)));
    assert.deepEqual(bytesOf(loadMasterKey(folder.path, undefined)), bytesOf(made));
  });

  test('comes from the environment when that is set, and no file is made', () => {
    const bytes = randomBytes(32);
    assert.deepEqual(bytesOf(loadMasterKey(folder.path, bytes.toString('base64'))), bytes);
    assert.deepEqual(bytesOf(loadMasterKey(folder.path, ` ${bytes.toString('base64')}\n`)), bytes);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  test('is made anew when a start was cut off while making it', () => {
    const cutOff = join(folder.path, 'unfinished', 'master-key');
    mkdirSync(dirname(cutOff));
    writeFileSync(cutOff, 'more than a key has, by so much', { mode: 0o600 });
    const made = loadMasterKey(folder.path, undefined);
    assert.deepEqual(bytesOf(loadMasterKey(folder.path, undefined)), bytesOf(made));
    assert.deepEqual(readdirSync(folder.path, { recursive: true }), ['master-key', 'unfinished']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  const OTHER = /, but is something else: that is 43 of A to Z.* and then =$/;
  const WRONG: [text: string, told: RegExp][] = [
    ['', /, but is empty$/],
    [randomBytes(31).toString('base64'), OTHER],
    [randomBytes(32).toString('hex'), /, but has 64 characters$/],
    [`${'-_'.repeat(21)}A=`, /, but has - or _, which are of base64url/],
  ];
  test("that is none is refused in one line that says what is wrong, and doesn't tell it", () => {
    for (const [text, told] of WRONG) {
      writeFileSync(file, text, { mode: 0o600 });
      for (const [load, origin] of [
        [() => loadMasterKey(folder.path, text), 'PURSER_MASTER_KEY'],
        [() => loadMasterKey(folder.path, undefined), file],
      ] as const) {
        assert.throws(load, (error) => {
          assert.ok(error instanceof KeyError);
          assert.ok(error.message.startsWith(origin) && !error.message.includes('\n'), error.message);
          assert.match(error.message, told);
          return text.length < 8 || !error.message.includes(text.slice(0, 8));
        });
      }
      assert.equal(readFileSync(file, 'utf8'), text, 'the file is left as it was');
    }
  });

  test('is refused in a file that others may read, with the command that mends it', () => {
    loadMasterKey(folder.path, undefined);
    for (const mode of [0o640, 0o604, 0o660, 0o644]) {
      chmodSync(file, mode);
      assert.throws(
        () => loadMasterKey(folder.path, undefined),
        (error) =>
          error instanceof KeyError && error.kind === 'key' && error.message.includes(`chmod 600 ${file}`),
      );
    }
  });

  test('is not printed by accident', () => {
    const masterKey = loadMasterKey(folder.path, undefined);
    const bytes = bytesOf(masterKey);
    const printed = `${inspect(masterKey, { depth: 9, showHidden: true })}${JSON.stringify(masterKey)}`;
    assert(!printed.includes(bytes.toString('base64')) && !printed.includes(bytes.toString('hex')));
    assert(!printed.includes(`${bytes[0]},`));
  });
});
