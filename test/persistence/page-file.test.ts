/** What a file that is proved takes of memory goes when it is closed, whether or not anything is collected. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PageFile } from '../../src/persistence/lmdb/page-file.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const MIB = 1_024 ** 2;
const FILE_BYTES = 48 * MIB;

const isLinux = process.platform === 'linux';
test('the memory of a file that was read goes with it', async (t) => {
  const folder = await createTemporaryFolder('page-file');
  t.after(() => folder.remove());
  const path = join(folder.path, 'file');
  await writeFile(path, 'first');
  await truncate(path, FILE_BYTES);

  const file = PageFile.open(path);
  const head = Buffer.alloc(5);
  file.readAt(head, 0);
  assert.equal(head.toString(), 'first');
  const before = anonymousBytes();
  file.close();
  const freed = before - anonymousBytes();
  if (isLinux) assert.ok(freed > FILE_BYTES - 4 * MIB, `${freed} bytes`);
});

function anonymousBytes(): number {
  if (!isLinux) return 0;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
