/** What is half-written: nothing of it is left by who fails while the node runs, and a start removes what a crash left. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepDurably, writeDurably } from '../../../src/persistence/disk/durable-file.ts';
import { unfinishedOf } from '../../../src/persistence/disk/unfinished.ts';
import { emptyUnfinished } from '../../../src/persistence/folder/data-folder.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { RunWriter } from '../../../src/persistence/runs/run-writer.ts';
import { eventually } from '../../support/eventually.ts';
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

test('a small file that can’t get its name leaves nothing', async (t) => {
  const { path, remove } = await createTemporaryFolder('unfinished');
  t.after(remove);
  const file = join(path, 'told-alerts');
  mkdirSync(file);
  await assert.rejects(keepDurably(file, 'text'), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(join(path, 'unfinished')), []);
  assert.throws(() => writeDurably(file, 'text'), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(join(path, 'unfinished')), []);
});

test('a start removes files and folders that a crash left, waits for no folder, and removes nothing else', async (t) => {
  const { path, remove } = await createTemporaryFolder('unfinished');
  t.after(remove);
  emptyUnfinished(path, assert.fail);
  assert.deepEqual(readdirSync(path), [], 'and needs no folder');
  writeFileSync(unfinishedOf(join(path, 'checkpoint-0000000001.run')), 'half a run');
  mkdirSync(join(unfinishedOf(join(path, 'drill')), 'shop'), { recursive: true });
  writeFileSync(join(path, 'format'), 'whole');
  const unfinished = join(path, 'unfinished');
  emptyUnfinished(path, assert.fail);
  assert.deepEqual(readdirSync(unfinished), ['drill']);
  await eventually('the folder is gone', () => readdirSync(unfinished).length === 0);
  assert.deepEqual(readdirSync(path).sort(), ['format', 'unfinished']);
});

test('a start goes on when a folder can’t be removed, and says so', async (t) => {
  const { path, remove } = await createTemporaryFolder('unfinished');
  const unmock = () => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  };
  t.after(() => {
    unmock();
    return remove();
  });
  mkdirSync(unfinishedOf(join(path, 'drill')));
  const busy = Object.assign(new Error('EBUSY: resource busy'), { code: 'EBUSY' });
  t.mock.method(fs, 'rm', () => Promise.reject(busy));
  syncBuiltinESMExports();
  const said = new Promise<string>((resolve) => emptyUnfinished(path, resolve));
  unmock();
  assert.match(await said, /unfinished cannot be emptied: EBUSY/);
});
