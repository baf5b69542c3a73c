/** What is half-written: nothing of it is left by who fails while the node runs, and a start removes what a crash left. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { unfinishedOf } from '../../../src/persistence/disk/unfinished.ts';
import { emptyUnfinished } from '../../../src/persistence/folder/data-folder.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { RunWriter } from '../../../src/persistence/runs/run-writer.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('a database or a run file that can’t get its name leaves nothing, and the next try makes it', async (t) => {
  const { path, remove } = await createTemporaryFolder('unfinished');
  t.after(remove);
  const unfinished = join(path, 'unfinished');
  const file = join(path, 'rows.mdb');
  mkdirSync(`${file}-lock`);
  await assert.rejects(createEnvironment(file, ['rows']), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(unfinished), []);
  rmdirSync(`${file}-lock`);
  await createEnvironment(file, ['rows']);

  const run = join(path, 'stock-0000000001.run');
  const writer = new RunWriter(run);
  writer.add(Buffer.from('key'), Buffer.from('value'));
  assert.deepEqual(readdirSync(unfinished), ['stock-0000000001.run']);
  writer.abandon();
  assert.deepEqual(readdirSync(unfinished), []);
  assert.deepEqual(readdirSync(path).sort(), ['rows.mdb', 'rows.mdb-lock', 'unfinished']);
});

test('a start removes files and folders that a crash left, and nothing else', async (t) => {
  const { path, remove } = await createTemporaryFolder('unfinished');
  t.after(remove);
  emptyUnfinished(path);
  assert.deepEqual(readdirSync(path), [], 'and needs no folder');
  writeFileSync(unfinishedOf(join(path, 'checkpoint-0000000001.run')), 'half a run');
  mkdirSync(join(unfinishedOf(join(path, 'drill')), 'shop'), { recursive: true });
  writeFileSync(join(path, 'format'), 'whole');
  emptyUnfinished(path);
  assert.deepEqual(readdirSync(path, { recursive: true }).sort(), ['format', 'unfinished']);
});
