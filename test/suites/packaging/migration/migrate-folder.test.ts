/**
 * Upgrades of data folders, by made-up steps over real ones: what comes out, what is kept, what is refused, and that
 * whatever happens in between, one of the two folders is whole and the next start goes on with it.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FORMAT_VERSION, writeFormat } from '../../../../src/persistence/folder/folder-format.ts';
import { migrateFolder } from '../../../../src/persistence/migration/migrate-folder.ts';
import {
  MIGRATION_STEPS,
  type MigrationStep,
} from '../../../../src/persistence/migration/migration-steps.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { purser } from '../../../cli/fake-operator.ts';
import { BuyerClient } from '../../../support/buyer-client.ts';
import { withFailingCall } from '../../../support/failing-calls.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { copyFolder } from '../../crash/damage.ts';
import {
  contentOf,
  formatIn,
  madeIn,
  makeOldFolder,
  OLD_VERSION,
  type Sold,
  STEPS,
  startNode,
} from './old-folder.ts';

const VERSION = FORMAT_VERSION;
const KEPT = `before-${VERSION}`;
const OLD_FORMAT = `purser data folder, version ${OLD_VERSION}`;
const NEW_FORMAT = `purser data folder, version ${VERSION}`;
const SWAPPING = `${OLD_FORMAT}, being replaced by version ${VERSION}`;
const INTERRUPTIONS = roundsOr(24);
const KILLS = roundsOr(10);
const CHILD = join(import.meta.dirname, 'migration-child.js');

describe('the upgrade of a data folder', () => {
  let scene: TemporaryFolder;
  let old: string;
  let sold: Sold;
  let oldContent: ReadonlyMap<string, string>;
  let copies = 0;
  before(async () => {
    scene = await createTemporaryFolder('migration');
    old = join(scene.path, 'old');
    sold = await makeOldFolder(old);
    oldContent = contentOf(old);
  });
  after(() => scene.remove());

  function copy(): string {
    copies += 1;
    const folder = join(scene.path, `copy-${copies}`);
    copyFolder(old, folder);
    return folder;
  }

  async function migrate(folder: string, steps: readonly MigrationStep[] = STEPS): Promise<string[]> {
    const said: string[] = [];
    await migrateFolder({ folder, masterKey: undefined, steps, say: (line) => said.push(line) });
    return said;
  }

  async function assertUpgraded(folder: string): Promise<void> {
    assert.equal(formatIn(folder), NEW_FORMAT);
    assert.deepEqual(madeIn(folder), [KEPT]);
    assert.deepEqual(contentOf(join(folder, KEPT)), oldContent);
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(folder, (line) => lines.push(line)), lines.join('\n'));
  }

  function assertAsBefore(folder: string): void {
    assert.deepEqual(contentOf(folder), oldContent);
  }

  test('goes from step to step, proves the new folder, and keeps the old one as it was', async () => {
    const folder = copy();
    const said = await migrate(folder);
    await assertUpgraded(folder);
    assert.equal(said[0], `from version ${OLD_VERSION} to ${OLD_VERSION + 1}: stock.mdb is written anew`);
    assert.ok(said.includes('no errors found'));
    assert.equal(
      said.at(-1),
      `${folder} has version ${VERSION} now; ${join(folder, KEPT)} is what it was before`,
    );
    assert.deepEqual(await migrate(folder), [], 'there is nothing more to do');
  });

  test('is done by a start; what was sold is answered as before, and the old folder stays what it was', async () => {
    const folder = copy();
    const said: string[] = [];
    const node = await startNode(folder, (message) => said.push(message));
    const buyers = new BuyerClient(node.buyerUrl);
    const { body } = await buyers.order(sold.apiKey, sold.orderId);
    assert.deepEqual(body.delivery?.items, sold.items);
    const next = await buyers.purchase(sold.apiKey, 'next', { productId: 1, expectedPriceUsdt: 1 });
    assert.deepEqual(next.body.delivery?.items, ['three']);
    buyers.close();
    await node.stop();
    assert.ok(said.some((message) => message.startsWith(`from version ${OLD_VERSION} to `)));
    await assertUpgraded(folder);
  });

  test('interrupted anywhere, leaves a whole folder, and the next one completes it', async (t) => {
    const random = randomFromEnvironment();
    const { calls } = await withFailingCall({ call: Number.POSITIVE_INFINITY }, () => migrate(copy()));
    t.diagnostic(`seed ${random.seed}, ${calls} calls`);
    const all = Array.from({ length: calls }, (_, call) => call);
    const seen = new Set<string>();
    // Names change at the end.
    const changing = all.slice(-28);
    const some = [...random.sample(all, INTERRUPTIONS), ...random.sample(changing, INTERRUPTIONS)];
    for (const call of new Set([0, calls - 6, calls - 1, ...some])) {
      const folder = copy();
      const { error } = await withFailingCall({ call }, () => migrate(folder));
      assert.ok(error !== undefined, `call ${call} failed unnoticed`);
      const format = formatIn(folder);
      seen.add(format);
      if (format === OLD_FORMAT) assertAsBefore(folder);
      else assert.ok(format === SWAPPING || format === NEW_FORMAT, format);
      await migrate(folder);
      await assertUpgraded(folder);
      rmSync(folder, { recursive: true });
    }
    assert.deepEqual([...seen].sort(), [OLD_FORMAT, SWAPPING, NEW_FORMAT].sort());
  });

  test(`killed ${KILLS} times, is completed by the next start`, async (t) => {
    const random = randomFromEnvironment();
    t.diagnostic(`seed ${random.seed}`);
    const { calls } = await withFailingCall({ call: Number.POSITIVE_INFINITY }, () => migrate(copy()));
    for (let round = 0; round < KILLS; round += 1) {
      const folder = copy();
      const child = fork(CHILD, [folder, String(random.between(0, calls - 1))], { execArgv: [] });
      assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL']);
      if (formatIn(folder) === OLD_FORMAT) assertAsBefore(folder);
      await (await startNode(folder)).stop();
      await assertUpgraded(folder);
    }
  });

  test('on a disk that gets full, leaves the folder as it was', async () => {
    for (const call of [1, 5, 10]) {
      const folder = copy();
      const { error } = await withFailingCall({ call, code: 'ENOSPC' }, () => migrate(folder));
      const unchanged = `the data folder ${folder} was not upgraded, and still has version ${OLD_VERSION}`;
      assert.equal((error as Error).message, `${unchanged}: the disk is full; make room`);
      assertAsBefore(folder);
      assert.deepEqual(madeIn(folder), []);
    }
  });

  const [first, second] = STEPS as [MigrationStep, MigrationStep];
  const refusals: readonly {
    readonly what: string;
    readonly prepare?: (folder: string) => void;
    readonly steps?: readonly MigrationStep[];
    readonly says: RegExp;
  }[] = [
    {
      what: 'without room',
      steps: [first, { ...second, room: () => 1e18 }],
      says: /^the upgrade of .* needs \d+ bytes, and its disk has \d+: make room$/,
    },
    {
      what: 'while the folder of an earlier one is there',
      prepare: (folder) => mkdirSync(join(folder, KEPT)),
      says: /is there from an earlier upgrade: remove it, or move it away, before this one$/,
    },
    {
      what: 'of a folder whose files lie on another disk',
      prepare: (folder) => {
        renameSync(join(folder, 'files'), join(folder, '..', 'files-elsewhere'));
        symlinkSync('/dev', join(folder, 'files'));
      },
      says: /files is on another file system than .*: move it into the folder$/,
    },
    {
      what: 'without the master key',
      prepare: (folder) => rmSync(join(folder, 'master-key')),
      says: /has no master-key: put it back, or set PURSER_MASTER_KEY$/,
    },
    {
      what: 'with another master key',
      prepare: (folder) =>
        writeFileSync(join(folder, 'master-key'), `${Buffer.alloc(32, 7).toString('base64')}\n`),
      says: /the master key is not the one that opens/,
    },
    {
      what: 'whose result is not sound',
      steps: [first, { ...second, make: cuttingShort(second) }],
      says: /still has version \d+: the new folder is not sound: ERROR: .*stock.mdb/,
    },
    {
      what: 'that loses a fact',
      steps: [first, { ...second, make: async (work) => (await second.make(work)) + 1 }],
      says: /a step found \d+ facts, the one before \d+$/,
    },
    {
      what: 'of a folder with a missing file',
      prepare: (folder) => rmSync(join(folder, 'webhooks.mdb')),
      says: /the new folder is not sound: ERROR: the data folder is incomplete: .*webhooks.mdb is missing/,
    },
    {
      what: 'of a folder that is older than the first step',
      prepare: (folder) => writeFormat(folder, { version: OLD_VERSION - 1 }),
      says: /has format "purser data folder, version \d+", and this version .*: use the version that wrote it/,
    },
    {
      what: 'of a newer folder',
      prepare: (folder) => writeFormat(folder, { version: VERSION + 1 }),
      says: /has format "purser data folder, version \d+", and this version .*: use the version that wrote it/,
    },
    {
      what: 'of a folder that a newer version was upgrading',
      prepare: (folder) => writeFormat(folder, { version: VERSION, replacedBy: VERSION + 1 }),
      says: /being replaced by version/,
    },
  ];
  for (const { what, prepare, steps, says } of refusals) {
    test(`${what} is refused, and nothing is changed`, async () => {
      const folder = copy();
      prepare?.(folder);
      const content = contentOf(folder);
      const made = madeIn(folder);
      await assert.rejects(migrate(folder, steps), ({ message }: Error) => {
        assert.match(message, says);
        assert.doesNotMatch(message, /\n/);
        return true;
      });
      assert.deepEqual(contentOf(folder), content);
      assert.deepEqual(madeIn(folder), made);
    });
  }

  test('purser migrate: a dry run tells, the command does it, and then there is nothing to do', async () => {
    const folder = copy();
    // The command knows only the real steps.
    const table = MIGRATION_STEPS as MigrationStep[];
    table.unshift(...STEPS);
    try {
      const dry = await purser(['migrate', '--data', folder, '--dry-run']);
      assert.equal(dry.exitCode, 0, dry.stderr);
      assert.match(
        dry.stdout,
        /^.* has version \d+, and this version of Purser reads \d+\n(from version .*\n){2}/,
      );
      assert.match(dry.stdout, /\nroom: about [\d.]+ MB are needed, [\d.]+ \wB are free\n/);
      assertAsBefore(folder);
      const done = await purser(['migrate', '--data', folder]);
      assert.equal(done.exitCode, 0, done.stderr);
      assert.match(done.stdout, /no errors found\n.* is what it was before\n$/);
      await assertUpgraded(folder);
    } finally {
      table.splice(table.indexOf(first), STEPS.length);
    }
    const again = await purser(['migrate', '--data', folder, '--json']);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal((JSON.parse(again.stdout) as { migrated: unknown }).migrated, false);
  });
});

function cuttingShort({ make }: MigrationStep): MigrationStep['make'] {
  return async (work) => {
    truncateSync(join(work.to, 'stock.mdb'), 4096);
    return make(work);
  };
}
