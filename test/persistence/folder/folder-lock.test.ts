/** The lock of a data folder, as far as one process shows it. `test/suites/crash/persistence/` has many, which are killed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CheckedMachine } from '../../../src/doctor/checked-machine.ts';
import { folder as folderCheck } from '../../../src/doctor/checks/folder.ts';
import { emptyUnfinished, expectUsable } from '../../../src/persistence/folder/data-folder.ts';
import { DataFolderError } from '../../../src/persistence/folder/data-folder-error.ts';
import { openToOthers } from '../../../src/persistence/folder/folder-access.ts';
import { lockFolder, lockForReading } from '../../../src/persistence/folder/folder-lock.ts';
import { lockStateFolder } from '../../../src/persistence/folder/state-folder.ts';
import { WorkPlace } from '../../../src/persistence/folder/work-place.ts';
import { whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('is held once in the process too, released once, and refused where there is no folder', async (context) => {
  const { path, remove } = await createTemporaryFolder('lock');
  context.after(remove);
  const isTold = (error: unknown) =>
    DataFolderError.is(error, 'in-use') && error.folder === path && error.pid === process.pid;
  const lock = await lockFolder(path);
  await assert.rejects(lockFolder(path), isTold);
  await lock.release();
  const next = await lockFolder(path);
  await lock.release();
  await assert.rejects(lockFolder(path), isTold);
  await next.release();
  assert.deepEqual(await readdir(path), []);
  await assert.rejects(
    lockFolder(join(path, 'missing')),
    (error) => DataFolderError.is(error, 'lock') && /: there is no such folder$/.test(error.message),
  );
});

test('the state folder of a program beside the node is made for its owner, and one program’s', async (context) => {
  const { path, remove } = await createTemporaryFolder('state');
  context.after(remove);
  const folder = join(path, 'new', 'watcher');
  const lock = await lockStateFolder(folder);
  assert.equal(openToOthers(folder), undefined);
  await assert.rejects(lockStateFolder(folder), {
    message: `the state folder ${folder} is in use by another running purser (pid ${process.pid}): stop it first or choose another --state`,
  });
  await lock.release();
  await (await lockStateFolder(folder)).release();
});

test('a file system without sockets and links is refused by name, by a start and by doctor alike; who only reads reads', {
  skip: whyNoSmallDisk() ?? false,
}, async (context) => {
  const { path, remove } = await createTemporaryFolder('no-links');
  context.after(() => {
    spawnSync('umount', [path]);
    return remove();
  });
  // One of the kernel's own: it has files, and neither sockets nor links.
  const { status } = spawnSync('mount', ['-t', 'mqueue', 'none', path]);
  if (status !== 0) return context.skip('there is no such file system here');
  await assert.rejects(lockFolder(path), /no Unix sockets \(EPERM\), .*take a folder on a local disk/);
  const config = { dataDir: path } as CheckedMachine['config'];
  const machine = { config, nearestFolder: path, isThere: true, isBegun: false, holderPid: undefined };
  const { state, advice } = await folderCheck(machine as CheckedMachine);
  assert.equal(state, 'failed');
  assert.match(advice, /no Unix sockets/);
  await (await lockForReading(path)).release();
  assert.deepEqual(await readdir(path), []);
});

test('a work place that another one fills is named, and left as it is', async (context) => {
  const { path, remove } = await createTemporaryFolder('work');
  context.after(remove);
  const folder = join(path, 'shop');
  const maker = { mark: '.restoring-', verb: 'restore', error: (message: string) => new RangeError(message) };
  const first = await WorkPlace.open(folder, maker);
  const told = `another restore is filling ${first.path} (pid ${process.pid}): wait for it, or stop it`;
  await assert.rejects(WorkPlace.open(folder, maker), { name: 'RangeError', message: told });
  await first.settle();
  assert.deepEqual(await readdir(path), ['shop']);
});

test('files of others are named, with where to go: also at the root of a file system', async (context) => {
  const { path, remove } = await createTemporaryFolder('others');
  context.after(remove);
  assert.equal(openToOthers(path), undefined);
  await chmod(path, 0o755);
  assert.match(openToOthers(path) ?? '', /read its databases: chmod 700 \//);
  await mkdir(join(path, 'unfinished'));
  expectUsable(path);
  await writeFile(join(path, 'unfinished', 'letter'), '');
  assert.throws(() => expectUsable(path), /other files \(letter\)/, 'a start would remove it');
  emptyUnfinished(path, assert.fail);
  assert.deepEqual(await readdir(path, { recursive: true }), ['unfinished']);
  await rmdir(join(path, 'unfinished'));
  await mkdir(join(path, 'lost+found'));
  assert.throws(
    () => expectUsable(path),
    /is the root of a file system .*lost\+found.*: take .*--data .*\/data$/,
  );
  await writeFile(join(path, 'letter'), '');
  assert.throws(() => expectUsable(path), /other files \(letter|lost.found\) .*such as --data .*\/purser$/);
});
