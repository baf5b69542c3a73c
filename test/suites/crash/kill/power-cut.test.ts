/**
 * The power goes while buyers buy: what was written and not synced is lost, files and names alike, and every
 * order that was acknowledged is there at the next boot.
 *
 * The cut falls between two system calls of the stopped server: a sync under way ends before it. The torn pages
 * of a sync that doesn't end are LMDB's affair; it refers to none before they are synced.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { syncFolderOf } from '../../../../src/persistence/disk/durable-file.ts';
import { stopProcess } from '../../../support/nodes/stopped-process.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit } from '../shop/audit.ts';
import { Ledger } from '../shop/ledger.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { assertSound } from '../shop/sound-folder.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { SMALL_FILES } from '../shop/tuned-node.ts';

/** The kernel writes dirty pages back by itself after 30 s, ext4 its metadata after this; a test is quicker. */
const OPTIONS = 'loop,commit=300';

const CUTS = roundsOr(10);
const diskMegabytes = 128;
/** Answered in every round before the time to the cut begins: a machine that stands still is no load. */
const purchasesPerRound = 12;

/**
 * A disk whose power can be cut: an ext4 file system of its own on a loop device over an image file.
 *
 * Bytes that a program has written and not synced are in the kernel's memory and not in the image; synced ones are in
 * the image. So a copy of the image is what a disk would hold after a cut at that moment, and mounting the copy is the
 * next boot. Needs Linux and root. Rejected: copying the data folder's files, which reads the unsynced pages too and
 * would pass without any sync at all; and intercepting system calls, which proves less and needs a compiler.
 */
class PowerCutDisk {
  readonly #parent: string;
  #generation = 0;

  constructor(parent: string, sizeMegabytes: number) {
    this.#parent = parent;
    run('truncate', '-s', `${sizeMegabytes}M`, this.#image(0));
    run('mkfs.ext4', '-q', '-F', this.#image(0));
    this.#mount();
  }

  /** After a cut another one. */
  get path(): string {
    return join(this.#parent, `disk-${this.#generation}`);
  }

  /**
   * Cuts the power now, and boots. Whoever writes to the disk must be stopped, or the copy would take more than a moment;
   * `end` then ends it, so that the disk of before can go.
   */
  async cut(end: () => Promise<unknown>): Promise<void> {
    run('cp', '--sparse=always', this.#image(this.#generation), this.#image(this.#generation + 1));
    await end();
    this.remove();
    this.#generation += 1;
    this.#mount();
  }

  remove(): void {
    run('umount', this.path);
    rmSync(this.#image(this.#generation));
  }

  #mount(): void {
    mkdirSync(this.path);
    run('mount', '-t', 'ext4', '-o', OPTIONS, this.#image(this.#generation), this.path);
  }

  #image(generation: number): string {
    return join(this.#parent, `image-${generation}`);
  }
}

describe('a power cut', {
  skip: whyNoPowerCut() ?? false,
  timeout: 300_000 + CUTS * 30_000,
}, () => {
  let folder: TemporaryFolder;
  let disk: PowerCutDisk;
  let server: ServerUnderTest | undefined;
  beforeEach(async () => {
    folder = await createTemporaryFolder('power-cut');
    disk = new PowerCutDisk(folder.path, diskMegabytes);
  });
  afterEach(async () => {
    await server?.kill();
    disk.remove();
    await folder.remove();
  });

  test('loses what was not synced, or this proves nothing', async () => {
    const contents = 'x'.repeat(100_000);
    const file = (name: string) => join(disk.path, name);
    const descriptor = openSync(file('synced'), 'w');
    writeSync(descriptor, contents);
    fsyncSync(descriptor);
    syncFolderOf(file('synced'));
    writeSync(descriptor, contents);
    closeSync(descriptor);
    writeFileSync(file('only written'), contents);
    await disk.cut(async () => {});
    assert.equal(readFileSync(file('synced'), 'utf8'), contents);
    assert.equal(existsSync(file('only written')), false);
  });

  test(`right after the first start, and then ${CUTS} under load: all that was acknowledged is there`, async (t) => {
    const random = randomFromEnvironment();
    t.diagnostic(`seed ${random.seed}`);
    const dataDir = () => join(disk.path, 'deep', 'down', 'data');
    const start = async (options = {}) => {
      server = await startServer({ dataDir: dataDir(), ...options });
      return server;
    };
    const ledger = new Ledger();
    let running = await start();
    await setStage(running, ledger, 1_000);
    await disk.cut(() => running.kill());
    await assertSound(dataDir());
    running = await start();
    await audit(running, ledger);
    for (let round = 1; round <= CUTS; round += 1) {
      const known = ledger.attempts.length;
      await cutUnderLoad(running, ledger, random, disk);
      const young = ledger.attempts.slice(known);
      t.diagnostic(`round ${round}: ${young.filter(({ answer }) => answer).length} answers`);
      await assertSound(dataDir());
      running = await start(round % 2 === 0 ? {} : SMALL_FILES);
      await audit(running, ledger, young);
    }
    assert.ok(ledger.orders().length >= CUTS * purchasesPerRound, 'there was hardly any load');
    await audit(running, ledger);
    await running.stop();
  });
});

async function cutUnderLoad(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  disk: PowerCutDisk,
): Promise<void> {
  const traffic = new Traffic(server, ledger, random, { workers: 16, maxPurchases: 1_000, restocks: true });
  const running = traffic.run();
  await traffic.untilAcknowledged(purchasesPerRound);
  await Promise.race([running, delay(random.between(50, 900))]);
  traffic.expectTheEnd();
  await stopProcess(server.process.pid);
  await disk.cut(() => Promise.all([server.kill(), running]));
}

/** Why there can't be one here, in words, or undefined when there can. */
function whyNoPowerCut(): string | undefined {
  if (process.platform !== 'linux') return 'a disk on a loop device needs Linux';
  if (process.getuid?.() !== 0) return 'a disk on a loop device needs root';
  const folder = mkdtempSync(join(tmpdir(), 'purser-power-probe-'));
  try {
    new PowerCutDisk(folder, 8).remove();
    return undefined;
  } catch {
    return 'this machine does not allow loop devices';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
