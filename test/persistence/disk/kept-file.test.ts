/** A small file that is written anew: who asks gets what is so when he asks, or later; and a failure is told to who asked. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeptFile } from '../../../src/persistence/disk/kept-file.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('has what was so when it was asked for; a write that fails is told, and the next one is tried', async () => {
  const folder = await createTemporaryFolder('kept-file');
  const path = join(folder.path, 'kept');
  let said = 0;
  const file = new KeptFile(path, () => String(said));
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      said = index + 1;
      const asked = said;
      await file.keep();
      assert.ok(Number(readFileSync(path, 'utf8')) >= asked);
    }),
  );
  const under = file.keep();
  await Promise.resolve();
  await Promise.resolve();
  said = 200;
  await Promise.all([under, file.keep()]);
  assert.equal(readFileSync(path, 'utf8'), '200');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  rmSync(path);
  mkdirSync(path);
  await assert.rejects(file.keep());
  rmdirSync(path);
  await file.keep();
  assert.equal(readFileSync(path, 'utf8'), '200');
  await folder.remove();
});
