/** Data folders that a server must not serve: each is refused with one line for the operator that says what is wrong. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { StartPurserOptions } from '../../support/purser-process.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { copyFolder, filesBelow } from './damage.ts';
import { startServer } from './server-under-test.ts';
import { openAccount } from './stage.ts';
import { assertRefuses } from './start-refusal.ts';

describe('a data folder that can’t be used', { timeout: 600_000 }, () => {
  let folder: TemporaryFolder;
  /** What a server leaves that took its token from its folder, and was stopped. */
  let begun: string;
  before(async () => {
    folder = await createTemporaryFolder('unusable');
    begun = join(folder.path, 'begun');
    await (await startServer(ownToken({ dataDir: begun }))).stop();
  });
  after(() => folder.remove());

  test('one that another server uses is refused, and that server goes on; killed, it is free at once', async () => {
    // With a path that is longer than a socket's may be.
    const dataDir = join(folder.path, ...Array.from({ length: 3 }, () => 'long'.repeat(50)));
    await (await startServer({ dataDir })).kill();
    const server = await startServer({ dataDir });
    try {
      await refused(dataDir);
      await openAccount(server, 'another');
    } finally {
      await server.kill();
    }
    await (await startServer({ dataDir })).stop();
  });

  /** What is made of a copy of a sound folder, or in its place, and what is said of it. */
  const spoilt: readonly (readonly [what: string, spoil: (dataDir: string) => void, says: RegExp])[] = [
    [
      'that is a regular file',
      inPlaceOf((path) => writeFileSync(path, 'not a folder')),
      /that is a regular file/,
    ],
    [
      'of a format that this version doesn’t know',
      (path) => {
        const format = readFileSync(join(path, 'format'), 'utf8');
        writeFileSync(join(path, 'format'), format.replace(/\d+/, '999'));
      },
      /999/,
    ],
    [
      'that holds somebody else’s files',
      inPlaceOf((path) => {
        mkdirSync(path);
        writeFileSync(join(path, 'letter.txt'), 'dear');
      }),
      /somebody else’s files/,
    ],
    [
      'whose token is a folder',
      (path) => {
        rmSync(join(path, 'operator-token'));
        mkdirSync(join(path, 'operator-token'));
      },
      /operator-token: it is a folder where a file should be/,
    ],
  ];
  for (const [what, spoil, says] of spoilt) {
    test(`one ${what} is refused, and left as it is`, async () => {
      const dataDir = join(folder.path, what);
      copyFolder(begun, dataDir);
      spoil(dataDir);
      const before = statSync(dataDir).isDirectory() ? filesBelow(dataDir) : [];
      assert.match(await refused(dataDir), says);
      assert.deepEqual(statSync(dataDir).isDirectory() ? filesBelow(dataDir) : [], before);
    });
  }

  test('one on a disk that is read-only is refused, new or not', {
    skip: whyNoSmallDisk() ?? false,
  }, async () => {
    const disk = mountSmallDisk(folder.path, 4);
    try {
      const old = join(disk.path, 'old');
      copyFolder(begun, old);
      disk.makeReadOnly();
      for (const dataDir of [old, join(disk.path, 'new')]) {
        const line = await refused(dataDir);
        assert.match(line, /the file system is read-only; make it writable or choose another folder/);
      }
    } finally {
      disk.unmount();
    }
  });
});

function refused(dataDir: string): Promise<string> {
  return assertRefuses(ownToken({ dataDir, readyTimeoutMs: 60_000 }));
}

/** Without a token in the environment the server wants the one in its folder. */
function ownToken<T extends object>(options: T): T & Pick<StartPurserOptions, 'env'> {
  return { ...options, env: { PURSER_OPERATOR_TOKEN: '' } };
}

function inPlaceOf(make: (path: string) => void): (dataDir: string) => void {
  return (dataDir) => {
    rmSync(dataDir, { recursive: true });
    make(dataDir);
  };
}
