/**
 * Data folders that a server must not serve, or must serve unharmed (DESIGN.md, the promise).
 *
 * For damage there are two right outcomes: refuse to start with one line for the operator, or serve exactly
 * what was there before. Serving anything else, or ending in a signal, is the failure. Which files a folder
 * holds is the server's affair: whatever lies there after real traffic gets damaged.
 *
 * The short form makes a sample of the damage, the long one (PURSER_TEST_LONG) much more of it.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { StartPurserOptions } from '../support/purser-process.ts';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { audit, buyOut } from './audit.ts';
import { copyFolder, type Damage, filesBelow, planDamage } from './damage.ts';
import { Ledger } from './ledger.ts';
import { startServer } from './server-under-test.ts';
import { mountSmallDisk, whyNoSmallDisk } from './small-disk.ts';
import { setStage } from './stage.ts';
import { assertRefuses, startOrRefuse } from './start-refusal.ts';
import { Traffic } from './traffic.ts';
import { unprivilegedNode, whyNoUnprivilegedNode } from './unprivileged-node.ts';

const random = randomFromEnvironment();
const perFile = isLongRun() ? { flips: 40, cuts: 8 } : { flips: 4, cuts: 1 };
/** Every start on a damaged copy looks all of them up. */
const purchases = isLongRun() ? 100 : 50;
/** In the short form so many of the planned kinds of damage are tried, other ones every time. */
const sampleSize = 8;
/** A refusal takes a moment; a machine that stands still takes longer. */
const promptMs = 60_000;

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

  test('one that another server uses is refused, and that server goes on', async () => {
    const dataDir = join(folder.path, 'in-use');
    const server = await startServer({ dataDir });
    const ledger = new Ledger();
    try {
      await setStage(server, ledger, 5);
      for (let i = 0; i < 2; i += 1) await assertRefuses({ dataDir, readyTimeoutMs: promptMs });
      await new Traffic(server, ledger, random, { workers: 2, maxPurchases: 6, restocks: false }).run();
      await audit(server, ledger);
      await server.stop();
    } finally {
      await server.kill();
    }
    const next = await startServer({ dataDir });
    await next.stop();
  });

  test('one that a killed server used is free at once', async () => {
    const dataDir = join(folder.path, 'was-in-use');
    for (let i = 0; i < 3; i += 1) await (await startServer({ dataDir })).kill();
    await (await startServer({ dataDir })).stop();
  });

  test('one with a very long path is as good as any, and taken just the same', async () => {
    const dataDir = join(folder.path, ...Array.from({ length: 3 }, () => 'long'.repeat(50)));
    const server = await startServer({ dataDir });
    try {
      await assertRefuses({ dataDir, readyTimeoutMs: promptMs });
    } finally {
      await server.kill();
    }
    await (await startServer({ dataDir })).stop();
  });

  test('a regular file in its place is refused', async () => {
    const dataDir = join(folder.path, 'a-file');
    writeFileSync(dataDir, 'not a folder');
    const line = await assertRefuses({ dataDir, readyTimeoutMs: promptMs });
    assert.ok(line.includes(dataDir), `the line doesn't say which folder: ${line}`);
  });

  test('a place below a regular file is refused', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    await assertRefuses({ dataDir: join(folder.path, 'file', 'data'), readyTimeoutMs: promptMs });
  });

  test('one of a format that this version doesn’t know is refused, and left as it is', async () => {
    const dataDir = join(folder.path, 'from-the-future');
    copyFolder(begun, dataDir);
    const file = join(dataDir, 'format');
    const later = readFileSync(file, 'utf8').replace(/\d+/, '999');
    writeFileSync(file, later);
    const line = await assertRefuses({ dataDir, readyTimeoutMs: promptMs });
    assert.ok(line.includes('999'), `the line doesn't say which format: ${line}`);
    assert.equal(readFileSync(file, 'utf8'), later);
  });

  test('one that holds somebody else’s files is refused, and left as it is', async () => {
    const dataDir = join(folder.path, 'a-home');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'letter.txt'), 'dear');
    await assertRefuses({ dataDir, readyTimeoutMs: promptMs });
    assert.deepEqual(filesBelow(dataDir), ['letter.txt']);
  });

  for (const place of ['/proc/purser', '/sys/purser', '/dev/null/purser']) {
    test(`${place}, where no folder can be made, is refused`, {
      skip: !existsSync(dirname(place)) && 'there is no such place on this system',
    }, async () => {
      const line = await assertRefuses({ dataDir: place, readyTimeoutMs: promptMs });
      assert.match(line, new RegExp(`^error: the data folder ${place} cannot be used: .+; choose another`));
    });
  }

  for (const [name, advice] of [
    ['master-key', /master-key is not a file: put the master key's file there/],
    ['operator-token', /operator-token .*it is a folder where a file should be; move it away/],
    ['format', /format cannot be read: it is a folder where a file should be; move it away/],
    ['lock', /lock is not a socket of purser's: move it away/],
  ] as const) {
    test(`one whose ${name} is a folder is refused`, async () => {
      const dataDir = join(folder.path, `${name}-is-a-folder`);
      copyFolder(begun, dataDir);
      rmSync(join(dataDir, name), { force: true });
      mkdirSync(join(dataDir, name));
      const line = await assertRefuses(ownToken({ dataDir, readyTimeoutMs: promptMs }));
      assert.match(line, advice);
    });
  }

  describe('by the user who starts the server', { skip: whyNoUnprivilegedNode() ?? false }, () => {
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
      const dataDir = join(folder.path, 'files');
      copyFolder(begun, dataDir);
      for (const [name, mode] of [
        ['format', 0o000],
        ['master-key', 0o000],
        ['operator-token', 0o000],
        ['journal-0000000000000001.mdb', 0o000],
        ['checkpoint.mdb', 0o400],
        ['stock.mdb-lock', 0o000],
      ] as const) {
        const { mode: before } = statSync(join(dataDir, name));
        chmodSync(join(dataDir, name), mode);
        assert.match(await refusal(dataDir), new RegExp(`/${name} .*${mayNot.source}`));
        chmodSync(join(dataDir, name), before);
      }
      await (await startServer(ownToken({ dataDir }))).stop();
    });

    const mayNot = /this user may not do that; run purser as the user that owns it, or change its mode/;

    function refusal(dataDir: string): Promise<string> {
      const nodeBinary = unprivilegedNode(folder.path);
      return assertRefuses(ownToken({ dataDir, nodeBinary, readyTimeoutMs: promptMs }));
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
        const line = await assertRefuses({ dataDir, readyTimeoutMs: promptMs });
        assert.match(line, /the file system is read-only; make it writable or choose another folder/);
      }
    } finally {
      disk.unmount();
    }
  });
});

/** Without a token in the environment the server wants the one in its folder. */
function ownToken(options: StartPurserOptions): StartPurserOptions {
  return { ...options, env: { PURSER_OPERATOR_TOKEN: '' } };
}

describe('damage to a data folder', { timeout: isLongRun() ? 7_200_000 : 600_000 }, () => {
  const ledgers = { stopped: new Ledger(), killed: new Ledger() };
  let folder: TemporaryFolder;

  before(async () => {
    folder = await createTemporaryFolder('damage');
    for (const end of ['stopped', 'killed'] as const)
      await makeSnapshot(join(folder.path, end), ledgers[end], end);
  });
  after(() => folder.remove());

  for (const end of ['stopped', 'killed'] as const) {
    test(`a server that was ${end}, its folder unharmed, serves everything from a copy`, async () => {
      const copy = join(folder.path, 'copy');
      copyFolder(join(folder.path, end), copy);
      const outcome = await startOrRefuse({ dataDir: copy });
      assert.ok(typeof outcome !== 'string', `refused: ${outcome}`);
      await assertUnharmed(outcome, ledgers[end]);
      rmSync(copy, { recursive: true });
    });

    test(`whatever file is damaged after a server was ${end}: refused, or served as before`, async (t) => {
      t.diagnostic(`seed ${random.seed}`);
      const dataDir = join(folder.path, end);
      const all = planDamage(dataDir, random, perFile.flips, perFile.cuts);
      assert.ok(all.length > 0, 'the folder holds nothing that could be damaged');
      const plan = isLongRun() ? all : random.sample(all, sampleSize);
      const tally = { refused: 0, served: 0 };
      const failures: string[] = [];
      for (const damage of plan) {
        try {
          tally[await outcomeOf(dataDir, damage, ledgers[end])] += 1;
        } catch (error) {
          failures.push(`${damage.file}, ${damage.what}: ${error instanceof Error ? error.message : error}`);
        }
      }
      t.diagnostic(
        `${plan.length} kinds of damage: ${tally.refused} refused, ${tally.served} served as before`,
      );
      assert.deepEqual(failures, []);
    });

    test(`a file that is missing after a server was ${end}: refused, or served as before`, async () => {
      const dataDir = join(folder.path, end);
      const failures: string[] = [];
      for (const file of filesBelow(dataDir)) {
        const missing = { file, what: 'missing', apply: (copy: string) => rmSync(join(copy, file)) };
        try {
          await outcomeOf(dataDir, missing, ledgers[end]);
        } catch (error) {
          failures.push(`${file} missing: ${error instanceof Error ? error.message : error}`);
        }
      }
      assert.deepEqual(failures, []);
    });
  }

  async function outcomeOf(dataDir: string, damage: Damage, ledger: Ledger): Promise<'refused' | 'served'> {
    const copy = join(folder.path, 'copy');
    if (existsSync(copy)) rmSync(copy, { recursive: true });
    copyFolder(dataDir, copy);
    damage.apply(copy);
    const outcome = await startOrRefuse({ dataDir: copy });
    if (typeof outcome === 'string') return 'refused';
    await assertUnharmed(outcome, ledger);
    return 'served';
  }
});

/** Real traffic, and then the end of the server. */
async function makeSnapshot(dataDir: string, ledger: Ledger, end: 'stopped' | 'killed'): Promise<void> {
  const server = await startServer({ dataDir });
  try {
    await setStage(server, ledger, 150);
    await new Traffic(server, ledger, random, { workers: 8, maxPurchases: purchases, restocks: false }).run();
    if (end === 'stopped') await server.stop();
  } finally {
    await server.kill();
  }
}

/** Everything is as the ledger says, down to the last item on the shelf. Ends the server. */
async function assertUnharmed(
  server: Awaited<ReturnType<typeof startServer>>,
  ledger: Ledger,
): Promise<void> {
  try {
    await audit(server, ledger);
    await buyOut(server, ledger);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`served something else: ${message}\n${server.process.output().slice(-2_000)}`);
  } finally {
    await server.kill();
  }
}
