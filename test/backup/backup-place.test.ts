/** Where a backup can't be: in what it saves, in another backup, or where the continuous one goes; links lead nowhere else. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CleanEndMark } from '../../src/backup/clean-end/clean-end-mark.ts';
import { runName } from '../../src/backup/target-layout.ts';
import { purser } from '../cli/fake-operator.ts';
import { runCommand } from '../support/nodes/purser-command.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { WrittenFolder } from './written-folder.ts';

const IN_DATA = /lies in the data folder, which it is to outlive: choose another place$/m;
const AROUND_DATA = /has the data folder in it, and a backup is a folder of its own: choose another place/;
const IN_BACKUP = /lies in the backup at .*continuous: choose another place$/m;
const CONTINUOUS = /is where --backup ships to all the time: choose another place for a single backup$/m;

describe('a backup of a stopped folder', () => {
  let places: TemporaryFolder;
  let folder: WrittenFolder;
  const at = (name: string) => join(places.path, name);

  before(async () => {
    places = await createTemporaryFolder('backup-places');
    folder = await WrittenFolder.create('backed-up');
    await folder.close();
    for (const name of [runName({ epoch: 1, run: 1 }), 'log/000001/000000000001-1.chunk']) {
      mkdirSync(dirname(join(at('continuous'), name)), { recursive: true });
      writeFileSync(join(at('continuous'), name), '');
    }
    symlinkSync(folder.path, at('link-to-data'));
    symlinkSync(at('continuous'), at('link-to-continuous'));
  });
  after(async () => {
    await folder.remove();
    await places.remove();
  });

  const cases: readonly [name: string, target: () => string, says: RegExp][] = [
    ['into itself', () => folder.path, IN_DATA],
    ['into a folder in it', () => join(folder.path, '..backup'), IN_DATA],
    ['into a folder in it over a link', () => at('link-to-data/backup'), IN_DATA],
    ['around it', () => dirname(folder.path), AROUND_DATA],
    ['to the root of all', () => '/', AROUND_DATA],
    ['where --backup ships to', () => at('continuous'), CONTINUOUS],
    ['the same over a link', () => at('link-to-continuous'), CONTINUOUS],
    ['into a folder in that over a link', () => at('link-to-continuous/base/single'), IN_BACKUP],
  ];
  for (const [name, target, says] of cases) {
    test(`${name} is refused`, async () => {
      const had = [readdirSync(folder.path), readdirSync(at('continuous'))];
      const { exitCode, stdout, stderr } = await purser(['backup', target(), '--data', folder.path]);
      assert.match(stderr, says);
      assert.deepEqual([exitCode, stdout, stderr.trimEnd().split('\n').length], [1, '', 1], stderr);
      assert.deepEqual([readdirSync(folder.path), readdirSync(at('continuous'))], had, 'nothing is made');
    });
  }

  test('to what is no folder ends a start at once, by name', async () => {
    writeFileSync(at('a-file'), '');
    const flags = ['--port', '0', '--operator-port', '0', '--backup', at('a-file')];
    const { code, stdout, stderr } = await runCommand(['serve', '--data', at('own'), ...flags]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /--backup: .*a-file is a file; give a folder/);
  });

  test('is not judged by who cannot look: exit code 3', async () => {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = at('not/there');
    try {
      const { exitCode, stderr } = await purser(['verify', '--data', folder.path]);
      assert.equal(exitCode, 3, stderr);
      assert.match(stderr, /nothing is known of .*TMPDIR may name another place/);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });

  test('goes beside them, also where the name begins alike', async () => {
    for (const target of [at('single'), `${folder.path}-backup`]) {
      const { exitCode, stderr } = await purser(['backup', target, '--data', folder.path]);
      assert.equal(exitCode, 0, stderr);
      assert.ok(existsSync(join(target, 'manifests')));
      rmSync(target, { recursive: true });
    }
  });
});

test('the mark of a clean end binds the folder that ended there, and one that was restored only to that target', async (context) => {
  const folder = await createTemporaryFolder('clean-end');
  context.after(folder.remove);
  const mark = new CleanEndMark(folder.path);
  const cases = [
    { isRestored: false, target: '/mnt/shop', isRefused: false },
    { isRestored: false, target: undefined, isRefused: true },
    { isRestored: false, target: '/elsewhere', isRefused: true },
    { isRestored: true, target: '/mnt/shop', isRefused: false },
    { isRestored: true, target: undefined, isRefused: false },
    { isRestored: true, target: '/elsewhere', isRefused: false },
  ];
  for (const { isRestored, target, isRefused } of cases) {
    mark.set('/mnt/shop', { isRestored });
    const what = JSON.stringify({ isRestored, target });
    if (isRefused) assert.throws(() => mark.expectAt(target), /start it with --backup \/mnt\/shop/, what);
    else mark.expectAt(target);
    // Only a start that waits for the marked target waits, and whoever looks changes nothing.
    if (target !== undefined) assert.equal(mark.isAt(target), target === '/mnt/shop', what);
    assert.deepEqual(mark.read(), { url: '/mnt/shop', isRestored }, what);
  }
});
