/**
 * Data folders that a server must not serve: each is refused with one line for the operator that says what is wrong.
 *
 * Of those that are refused before the lock, at the lock, behind it, and when threads run already, one is refused by
 * `purser` itself, which must end; the others by nodes of one process.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { StartPurserOptions } from '../../support/purser-process.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { copyFolder, filesBelow } from './damage.ts';
import { Ledger } from './ledger.ts';
import { NodeHost } from './node-host.ts';
import { startServer } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { assertRefuses } from './start-refusal.ts';
import { Traffic } from './traffic.ts';
import { unprivilegedNode, whyNoUnprivilegedNode } from './unprivileged-node.ts';

const random = randomFromEnvironment();
/** A refusal takes a moment; a machine that stands still takes longer. */
const promptMs = 60_000;

describe('a data folder that can’t be used', { timeout: 600_000 }, () => {
  const nodes = new NodeHost();
  let folder: TemporaryFolder;
  /** What a server leaves that took its token from its folder, and was stopped. */
  let begun: string;
  before(async () => {
    folder = await createTemporaryFolder('unusable');
    begun = join(folder.path, 'begun');
    await (await nodes.start(ownToken({ dataDir: begun }))).stop();
  });
  after(async () => {
    await nodes.close();
    await folder.remove();
  });

  test('one that another server uses is refused, and that server goes on; killed, it is free at once', async () => {
    const dataDir = join(folder.path, 'in-use');
    await (await startServer({ dataDir })).kill();
    // It has the folder from a killed one itself.
    const server = await startServer({ dataDir });
    const ledger = new Ledger();
    try {
      await setStage(server, ledger, 5);
      await byPurser(dataDir);
      await byNode(dataDir);
      await new Traffic(server, ledger, random, { workers: 2, maxPurchases: 6, restocks: false }).run();
      await audit(server, ledger);
    } finally {
      await server.kill();
    }
    const next = await nodes.start({ dataDir });
    await audit(next, ledger);
    await next.stop();
  });

  test('one with a very long path is as good as any, and taken just the same', async () => {
    const dataDir = join(folder.path, ...Array.from({ length: 3 }, () => 'long'.repeat(50)));
    const server = await nodes.start({ dataDir });
    await byPurser(dataDir);
    await server.stop();
    await (await nodes.start({ dataDir })).stop();
  });

  test('a regular file in its place is refused', async () => {
    const dataDir = join(folder.path, 'a-file');
    writeFileSync(dataDir, 'not a folder');
    const line = await byPurser(dataDir);
    assert.ok(line.includes(dataDir), `the line doesn't say which folder: ${line}`);
  });

  test('a place below a regular file is refused', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    await byNode(join(folder.path, 'file', 'data'));
  });

  test('one of a format that this version doesn’t know is refused, and left as it is', async () => {
    const dataDir = join(folder.path, 'from-the-future');
    copyFolder(begun, dataDir);
    const file = join(dataDir, 'format');
    const later = readFileSync(file, 'utf8').replace(/\d+/, '999');
    writeFileSync(file, later);
    const line = await byNode(dataDir);
    assert.ok(line.includes('999'), `the line doesn't say which format: ${line}`);
    assert.equal(readFileSync(file, 'utf8'), later);
  });

  test('one that holds somebody else’s files is refused, and left as it is', async () => {
    const dataDir = join(folder.path, 'a-home');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'letter.txt'), 'dear');
    await byNode(dataDir);
    assert.deepEqual(filesBelow(dataDir), ['letter.txt']);
  });

  for (const place of ['/proc/purser', '/sys/purser', '/dev/null/purser']) {
    test(`${place}, where no folder can be made, is refused`, {
      skip: !existsSync(dirname(place)) && 'there is no such place on this system',
    }, async () => {
      const line = await byNode(place);
      assert.match(line, new RegExp(`^the data folder ${place} cannot be used: .+; choose another`));
    });
  }

  for (const [name, advice, refusal] of [
    ['master-key', /master-key is not a file: put the master key's file there/, byPurser],
    [
      'operator-token',
      /operator token file .*operator-token: it is a folder where a file should be; move it away/,
      byPurser,
    ],
    ['format', /format cannot be read: it is a folder where a file should be; move it away/, byNode],
  ] as const) {
    test(`one whose ${name} is a folder is refused`, async () => {
      const dataDir = join(folder.path, `${name}-is-a-folder`);
      copyFolder(begun, dataDir);
      rmSync(join(dataDir, name), { force: true });
      mkdirSync(join(dataDir, name));
      assert.match(await refusal(dataDir), advice);
    });
  }

  describe('by the user who starts the server', { skip: whyNoUnprivilegedNode() ?? false }, () => {
    let unprivileged: NodeHost;
    before(() => {
      unprivileged = new NodeHost(unprivilegedNode(folder.path));
    });
    after(() => unprivileged.close());

    test('one that may not be entered is refused', async () => {
      const dataDir = join(folder.path, 'unreadable');
      mkdirSync(dataDir);
      chmodSync(dataDir, 0o000);
      assert.match(await refusal(dataDir), mayNot);
      chmodSync(dataDir, 0o700);
    });

    test('one that may not be written to is refused', async () => {
      const dataDir = join(folder.path, 'unwritable');
      mkdirSync(dataDir);
      chmodSync(dataDir, 0o500);
      assert.match(await refusal(dataDir), mayNot);
      chmodSync(dataDir, 0o700);
    });

    test('one below a folder that may not be written to is refused', async () => {
      const above = join(folder.path, 'above');
      mkdirSync(above);
      chmodSync(above, 0o500);
      assert.match(await refusal(join(above, 'data')), mayNot);
      chmodSync(above, 0o700);
    });

    test('one with a file that may not be read, or a database that may not be written, is refused', async () => {
      let dataDir = begun;
      for (const [name, mode] of [
        ['format', 0o000],
        ['master-key', 0o000],
        ['operator-token', 0o000],
        ['journal-0000000000000001.mdb', 0o000],
        ['checkpoint.mdb', 0o400],
        ['stock.mdb-lock', 0o000],
      ] as const) {
        // As the refusal before has left it, whose process has its lock for as long as it lives.
        const copy = join(folder.path, `without-${name}`);
        copyFolder(dataDir, copy);
        dataDir = copy;
        const { mode: before } = statSync(join(dataDir, name));
        chmodSync(join(dataDir, name), mode);
        assert.match(await refusal(dataDir), new RegExp(`/${name}[ :].*${mayNot.source}`));
        chmodSync(join(dataDir, name), before);
      }
      await unprivileged.close();
      await (await nodes.start(ownToken({ dataDir }))).stop();
    });

    const mayNot = /permission denied; run purser as the user that owns it, or change its mode/;

    function refusal(dataDir: string): Promise<string> {
      return unprivileged.assertRefuses(ownToken({ dataDir }));
    }
  });

  test('one on a disk that is read-only is refused, new or not', {
    skip: whyNoSmallDisk() ?? false,
  }, async () => {
    const disk = mountSmallDisk(folder.path, 4);
    try {
      const old = join(disk.path, 'old');
      copyFolder(begun, old);
      disk.makeReadOnly();
      for (const dataDir of [old, join(disk.path, 'new')]) {
        const line = await byPurser(dataDir);
        assert.match(line, /the file system is read-only; make it writable or choose another folder/);
      }
    } finally {
      disk.unmount();
    }
  });

  function byPurser(dataDir: string): Promise<string> {
    return assertRefuses(ownToken({ dataDir, readyTimeoutMs: promptMs }));
  }

  function byNode(dataDir: string): Promise<string> {
    return nodes.assertRefuses(ownToken({ dataDir }));
  }
});

/** Without a token in the environment the server wants the one in its folder. */
function ownToken<T extends object>(options: T): T & Pick<StartPurserOptions, 'env'> {
  return { ...options, env: { PURSER_OPERATOR_TOKEN: '' } };
}
