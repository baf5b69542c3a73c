/**
 * Files of the checkpoint come and go while others read: who has its list, or its files, before a merge in another
 * process, or copies the folder meanwhile, finds every key and every row. A file that is gone for good is named.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { StoredRefusal } from '../../../../src/engine/orders.ts';
import { checkpointIn, openCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointHistory } from '../../../../src/persistence/checkpoint/checkpoint-history.ts';
import { TABLES } from '../../../../src/persistence/checkpoint/tables.ts';
import { beginFolder } from '../../../../src/persistence/folder/data-folder.ts';
import { FolderLoad } from '../../../../src/persistence/folder/folder-load.ts';
import { FolderSnapshot } from '../../../../src/persistence/folder/folder-snapshot.ts';
import { KEY_RING_FILE } from '../../../../src/persistence/keys/ring-file.ts';
import { DamagedFileError } from '../../../../src/persistence/lmdb/damaged-file.ts';
import { isTableFile } from '../../../../src/persistence/store/file-list.ts';
import type { StoreReader } from '../../../../src/persistence/store/store-reader.ts';
import { JournalFolder } from '../../../persistence/journal/journal-folder.ts';
import { REFUSAL } from '../../../persistence/stored-refusal.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const CHILD = join(import.meta.dirname, 'fold-child.js');
const REFUSALS_PER_FOLD = 60;
/** So many are merged, and none before. */
const FOLDS = 5;

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

  /** A file of each fold; a merge of them is due, and its first part is done. */
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
    for (let fold = 0; fold < FOLDS; fold += 1) steps.push(await shop.refuse(REFUSALS_PER_FOLD));
    shop.work(...steps, 'part');
    assert.equal(shop.tableFiles.length, FOLDS);
    return shop;
  }

  /** In the other process. */
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

  get tableFiles(): string[] {
    return readdirSync(checkpointIn(this.path)).filter(isTableFile).sort();
  }

  /** Whether every key leads to its outcome, and every row is there. */
  expectAll(checkpoint: StoreReader): void {
    const history = new CheckpointHistory(checkpoint);
    const lost: number[] = [];
    for (let number = this.#refusals; number > 0; number -= 1) {
      const { idempotencyKey } = refusalOf(number);
      const outcome = history.purchaseOutcome(REFUSAL.accountId, idempotencyKey);
      if (outcome === undefined || 'orderId' in outcome || outcome.idempotencyKey !== idempotencyKey)
        lost.push(number);
    }
    assert.deepEqual(lost, [], `of ${this.#refusals} keys these are not found`);
    const rows = [...checkpoint.range(TABLES.refusals, { fromA: 0, toA: Number.MAX_SAFE_INTEGER })];
    assert.equal(rows.length, this.#refusals);
  }

  close(): Promise<void> {
    this.#closing ??= this.folder.close();
    return this.#closing;
  }
}

function refusalOf(number: number): StoredRefusal {
  return { ...REFUSAL, idempotencyKey: `key ${number}` };
}

/** The files that were merged meanwhile. */
function merged(shop: Shop): string[] {
  const before = shop.tableFiles;
  shop.work('merge');
  const gone = before.filter((name) => !shop.tableFiles.includes(name));
  assert.ok(gone.length >= 4, `gone are ${gone}`);
  return gone;
}

test('who has the files open, and then they become others, finds every key and every row', async (context) => {
  const shop = await Shop.open(context);
  const checkpoint = openCheckpoint(shop.path);
  context.after(() => checkpoint.close());
  const seen = checkpoint.list;
  merged(shop);
  shop.expectAll(checkpoint);
  assert.deepEqual(checkpoint.list, seen, 'they are those from before');
  checkpoint.refresh();
  assert.notDeepEqual(checkpoint.list, seen);
  shop.expectAll(checkpoint);
});

const OPENERS = [
  { title: 'opens its files', open: async ({ path }: Shop) => openCheckpoint(path) },
  {
    title: 'opens them in slices',
    open: async ({ folder: { checkpoint, history } }: Shop) => {
      await history.refresh();
      return checkpoint;
    },
  },
];

for (const { title, open } of OPENERS) {
  test(`who has read the list, and ${title} when some have become others, finds every key and every row`, async (context) => {
    const shop = await Shop.open(context);
    const last = shop.tableFiles.at(-1) ?? '';
    let gone: string[] = [];
    const { openSync } = fs;
    context.mock.method(fs, 'openSync', (path: string, ...rest: [string]) => {
      if (basename(path) === last && gone.length === 0) gone = merged(shop);
      return openSync(path, ...rest);
    });
    syncBuiltinESMExports();
    context.after(() => {
      context.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const checkpoint = await open(shop);
    context.after(() => checkpoint.close());
    assert.ok(gone.includes(last), 'it became another after the list was read');
    shop.expectAll(checkpoint);
  });
}

test('who finds that a file is gone for good is told its name, and nothing else', async (context) => {
  const shop = await Shop.open(context);
  const [name = ''] = shop.tableFiles;
  const file = join(checkpointIn(shop.path), name);
  rmSync(file);
  for (let attempt = 0; attempt < 2; attempt += 1)
    assert.throws(
      () => openCheckpoint(shop.path),
      (error) => error instanceof DamagedFileError && error.message === `${file} is missing`,
    );
});

test('a copy of the folder has every row, though files go after their list was held', async (context) => {
  const shop = await Shop.open(context);
  writeFileSync(join(shop.path, KEY_RING_FILE), 'of a folder without texts\n');
  // A process that copies a folder has none of its files open.
  await shop.close();
  const before = shop.tableFiles;
  let held = 0;
  const gate = {
    pass: <Result>(open: () => Result): Result => {
      const opened = open();
      held += 1;
      // The checkpoint's files are held before.
      if (held === 1) shop.work('merge');
      return opened;
    },
  };
  const snapshot = await FolderSnapshot.take(shop.path, gate);
  assert.ok(before.some((name) => !shop.tableFiles.includes(name)));
  const copy = join(shop.path, '..', 'copy');
  mkdirSync(copy);
  const load = new FolderLoad(copy);
  // Those that are copied may go, too.
  for (const name of shop.tableFiles) rmSync(join(checkpointIn(shop.path), name));
  for (const part of snapshot.parts()) await load.part(part);
  await load.finish();
  await snapshot.close();
  const checkpoint = openCheckpoint(copy);
  context.after(() => checkpoint.close());
  shop.expectAll(checkpoint);
  const copied = readdirSync(checkpointIn(copy)).filter(isTableFile).sort();
  assert.deepEqual(copied, before, 'those that the list names, and no others');
});
