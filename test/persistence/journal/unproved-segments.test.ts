/**
 * A start proves the newest segment of the journal alone. Whoever reads an older one proves it first: a damaged one is a
 * sentence with its name, however it is damaged, and one that nobody reads harms nobody.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { checkpointIn, openCheckpoint } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { DataFolderError } from '../../../src/persistence/folder/data-folder-error.ts';
import { segmentProof, unprovedSegments } from '../../../src/persistence/folder/folder-check.ts';
import { listSegments } from '../../../src/persistence/journal/journal-segments.ts';
import { createSegment } from '../../../src/persistence/journal/lmdb-segment.ts';
import { openLog, openLogReaders } from '../../../src/persistence/journal/open-log.ts';
import { recover } from '../../../src/persistence/recovery.ts';
import { worldFacts } from '../../engine/commands.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { JournalFolder } from './journal-folder.ts';

const WORLD = { accounts: 1, products: 1, balanceMicros: 1_000_000, stock: 100 };
const FACTS = worldFacts(WORLD).length;
/** The name that the first fact gives. */
const NAME = 'Account 1';

/** The readers of the journal, from the checkpoint's end or from elsewhere. */
const readers: readonly { readonly who: string; readonly read: (folder: string) => Promise<void> }[] = [
  {
    who: 'recovery',
    read: async (folder) => {
      const checkpoint = openCheckpoint(folder);
      const log = openLog(folder, { prove: segmentProof(folder) });
      try {
        recover(log, checkpoint);
      } finally {
        await log.close();
        checkpoint.close();
      }
    },
  },
  { who: 'the fold', read: foldAll },
];

async function foldAll(folder: string): Promise<void> {
  const fold = new CheckpointFold(checkpointIn(folder), openLogReaders(folder, segmentProof(folder))());
  try {
    fold.foldThrough(FACTS);
  } finally {
    await fold.close();
  }
}

const damages: readonly { readonly how: string; readonly damage: (file: string) => void }[] = [
  { how: 'cut to a half', damage: (file) => truncateSync(file, statSync(file).size / 2) },
  { how: 'emptied', damage: (file) => truncateSync(file, 0) },
  { how: 'with another fact in it', damage: (file) => replaceText(file, NAME, 'Accoumt 1') },
];

describe('a journal of several segments, of which one that is', () => {
  for (const { who, read } of readers) {
    test(`damaged is refused by ${who} with its name, sound it is read, and by nobody who needn't`, async (context) => {
      await read((await written(context, 1)).path);
      for (const { how, damage } of damages) {
        const { path } = await written(context, 1);
        const file = segmentWith(path, NAME);
        assert.ok(unprovedSegments(path).includes(file), 'it is not the newest');
        damage(file);
        const isNamed = (error: unknown) =>
          error instanceof DataFolderError && error.message.includes(basename(file));
        await assert.rejects(read(path), isNamed, how);
        const { path: folded } = await written(context, 1);
        await foldAll(folded);
        damage(segmentWith(folded, NAME));
        await read(folded);
      }
    });
  }
});

/** A folder whose journal has each fact in a frame, and in a segment of its own, if these are so small. */
async function written(context: TestContext, segmentBytes?: number): Promise<TemporaryFolder> {
  const folder = await createTemporaryFolder('unproved-segments');
  context.after(() => folder.remove());
  const journal = await JournalFolder.open(folder.path, segmentBytes);
  await journal.append(...worldFacts(WORLD).map((fact) => [fact]));
  await journal.close();
  return folder;
}

test('the newest segment is empty: the one before is proved, which tells where the journal ends', async (context) => {
  const folder = await written(context, 1);
  const before = listSegments(folder.path).at(-1);
  // As an interruption leaves it, right after it was made.
  await createSegment(folder.path, FACTS + 1);
  const proved: string[] = [];
  const log = openLog(folder.path, { prove: (file) => void proved.push(file) });
  assert.equal(log.head.position, FACTS);
  assert.deepEqual(proved, [before?.file]);
  await log.close();
});

test('two readers of a segment open it once, proved before and inside the gate: it is a write transaction', async (t) => {
  const folder = await written(t);
  const steps: string[] = [];
  const gate = {
    pass: <Result>(open: () => Result): Result => {
      steps.push('gate');
      const result = open();
      steps.push('opened');
      return result;
    },
  };
  const open = openLogReaders(folder.path, () => steps.push('proved'), gate);
  const readers = [open(), open()];
  for (const reader of readers) assert.equal([...reader.read(0)].length, FACTS);
  assert.deepEqual(steps, ['proved', 'gate', 'opened']);
  for (const reader of readers) await reader.close();
});

function segmentWith(folder: string, text: string): string {
  const found = listSegments(folder).find(({ file }) => readFileSync(file).includes(text));
  assert.ok(found !== undefined, `a segment with ${text}`);
  return found.file;
}

function replaceText(file: string, text: string, by: string): void {
  const bytes = readFileSync(file);
  bytes.write(by, bytes.indexOf(text));
  writeFileSync(file, bytes);
}
