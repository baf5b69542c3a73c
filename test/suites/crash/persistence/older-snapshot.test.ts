/**
 * Run files come and go while others read: who has looked into the database before a compaction in another process, or
 * copies the folder meanwhile, finds every key and every row. A file that is gone for good is named.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { StoredRefusal } from '../../../../src/engine/orders.ts';
import { CheckpointHistory } from '../../../../src/persistence/checkpoint/checkpoint-history.ts';
import { openCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint-tables.ts';
import { beginFolder } from '../../../../src/persistence/folder/data-folder.ts';
import { FolderLoad } from '../../../../src/persistence/folder/folder-load.ts';
import { FolderSnapshot } from '../../../../src/persistence/folder/folder-snapshot.ts';
import { KEY_RING_FILE } from '../../../../src/persistence/keys/ring-file.ts';
import { DamagedFileError } from '../../../../src/persistence/lmdb/damaged-file.ts';
import { isRunFile, runFilesIn } from '../../../../src/persistence/runs/run-list.ts';
import { JournalFolder } from '../../../persistence/journal/journal-folder.ts';
import { REFUSAL } from '../../../persistence/stored-refusal.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const CHILD = join(import.meta.dirname, 'fold-child.js');
/** With them the other process moves rows and keys at once; three runs are not merged yet. */
const REFUSALS_PER_FOLD = 60;

/** A folder of refusals, whose checkpoint another process writes. */
class Shop {
  readonly path: string;
  readonly folder: JournalFolder;
  #refusals = 0;
  #closing: Promise<void> | undefined;

  private constructor(path: string, folder: JournalFolder) {
    this.path = path;
    this.folder = folder;
  }

  /** Three runs of each table; of the fourth fold, keys have just become a run file, and of two more none are merged. */
  static async open(context: TestContext): Promise<Shop> {
    const temporary = await createTemporaryFolder('older-snapshot');
    const path = join(temporary.path, 'shop');
    mkdirSync(path);
    await beginFolder(path);
    const shop = new Shop(path, await JournalFolder.open(path));
    context.after(async () => {
      await shop.close();
      await temporary.remove();
    });
    const steps: string[] = [];
    for (let fold = 0; fold < 3; fold += 1) steps.push(await shop.refuse(REFUSALS_PER_FOLD), 'compact');
    steps.push(await shop.refuse(REFUSALS_PER_FOLD), 'part', 'part');
    shop.work(...steps, await shop.refuse(5), await shop.refuse(5));
    return shop;
  }

  /** In the other process; this one's turn goes on, and with it its snapshot. */
  work(...steps: string[]): void {
    execFileSync(process.execPath, [CHILD, this.path, ...steps], { stdio: 'inherit' });
  }

  /** The step that folds them. */
  async refuse(count: number): Promise<string> {
    const facts = Array.from({ length: count }, () => {
      this.#refusals += 1;
      return {
        kind: 'PurchaseRefused' as const,
        atMs: 1,
        requestNumber: 1,
        refusal: refusalOf(this.#refusals),
      };
    });
    await this.folder.append(facts);
    return `fold ${this.folder.log.head.position}`;
  }

  get runFiles(): string[] {
    return readdirSync(this.path).filter(isRunFile).sort();
  }

  /** Whether every key leads to its outcome. */
  expectAll(history: CheckpointHistory): void {
    const lost: number[] = [];
    // The youngest first: their runs are where a list and its rows can be of different snapshots.
    for (let number = this.#refusals; number > 0; number -= 1) {
      const { idempotencyKey } = refusalOf(number);
      const outcome = history.purchaseOutcome(REFUSAL.accountId, idempotencyKey);
      if (outcome === undefined || 'orderId' in outcome || outcome.idempotencyKey !== idempotencyKey)
        lost.push(number);
    }
    assert.deepEqual(lost, [], `of ${this.#refusals} keys these are not found`);
  }

  get refusals(): number {
    return this.#refusals;
  }

  close(): Promise<void> {
    this.#closing ??= this.folder.close();
    return this.#closing;
  }
}

function refusalOf(number: number): StoredRefusal {
  return { ...REFUSAL, idempotencyKey: `key ${number}` };
}

for (const { title, look } of [
  { title: 'knows the database alone', look: () => {} },
  { title: 'has the run files open', look: ({ folder }: Shop) => folder.tables.runs.of('keys') },
]) {
  test(`who ${title}, and then files become others, finds every key and every row`, async (context) => {
    const shop = await Shop.open(context);
    const { tables, history } = shop.folder;
    const before = shop.runFiles;
    tables.environment.resetReadTxn();
    const seen = tables.meta.get(Buffer.from('run-files'));
    look(shop);
    shop.work('compact');
    const gone = before.filter((name) => !shop.runFiles.includes(name));
    assert.ok(gone.length >= 4, `gone are ${gone}`);
    assert.deepEqual(tables.meta.get(Buffer.from('run-files')), seen, 'the snapshot is from before');
    shop.expectAll(history);
    assert.equal(tables.refusals.getKeysCount(), shop.refusals);
    tables.environment.resetReadTxn();
    shop.expectAll(history);
    assert.equal(tables.refusals.getKeysCount(), shop.refusals);
  });
}

test('who finds that a file is gone for good is told its name, and nothing else', async (context) => {
  const shop = await Shop.open(context);
  const { tables } = shop.folder;
  tables.environment.resetReadTxn();
  const [file = ''] = runFilesIn(shop.path);
  rmSync(file);
  for (let attempt = 0; attempt < 2; attempt += 1)
    assert.throws(
      () => tables.runs.of('keys'),
      (error) => error instanceof DamagedFileError && error.message === `${file} is missing`,
    );
});

test('a copy of the folder has every row, though run files go after their list was held', async (context) => {
  const shop = await Shop.open(context);
  writeFileSync(join(shop.path, KEY_RING_FILE), 'of a folder without texts\n');
  // A process that copies a folder has none of its files open.
  await shop.close();
  const before = shop.runFiles;
  let held = 0;
  const gate = {
    pass: <Result>(open: () => Result): Result => {
      const opened = open();
      held += 1;
      // The first is the checkpoint.
      if (held === 1) shop.work('compact');
      return opened;
    },
  };
  const snapshot = await FolderSnapshot.take(shop.path, gate);
  assert.ok(before.some((name) => !shop.runFiles.includes(name)));
  const copy = join(shop.path, '..', 'copy');
  mkdirSync(copy);
  const load = new FolderLoad(copy);
  // Those that are copied may go, too.
  for (const file of runFilesIn(shop.path)) rmSync(file);
  for (const part of snapshot.parts()) await load.part(part);
  await load.finish();
  await snapshot.close();
  const tables = openCheckpoint(copy);
  shop.expectAll(new CheckpointHistory(tables));
  assert.equal(tables.refusals.getKeysCount(), shop.refusals);
  assert.deepEqual(
    tables.runs
      .check(() => {})
      .map(({ name }) => name)
      .sort(),
    runFilesIn(copy)
      .map((file) => basename(file))
      .sort(),
  );
  await tables.environment.close();
});
