/**
 * The state is what the journal says: after a restart, with a checkpoint at any position or none, across
 * segments; and a journal that is not whole is refused.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { PurchaseResult } from '../../src/engine/decide/command.ts';
import type { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Engine } from '../../src/engine/loop/engine.ts';
import { checkpointIn, openCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import { numberKey } from '../../src/persistence/codec/number-key.ts';
import { listSegments } from '../../src/persistence/journal/journal-segments.ts';
import { LmdbSegment } from '../../src/persistence/journal/lmdb-segment.ts';
import { openLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { recover } from '../../src/persistence/recovery.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { placeOrder, worldFacts } from '../engine/commands.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { JournalFolder } from './journal/journal-folder.ts';

const WORLD = { accounts: 3, products: 2, balanceMicros: 100_000_000, stock: 500 };

async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await createTemporaryFolder('recovery');
  context.after(() => folder.remove());
  return folder.path;
}

function submit(
  engine: Engine,
  accountId: number,
  idempotencyKey: string,
): Promise<PurchaseResult | Rejection> {
  const command = placeOrder({ accountId, idempotencyKey, productId: (accountId % 2) + 1 });
  return new Promise((resolve) => {
    engine.submit(command, (result) => resolve(result as PurchaseResult | Rejection));
  });
}

/** Ninety purchases in groups of their own kind: some together, some alone, every tenth refused and stored. */
async function trade({ engine }: JournalFolder, round: string): Promise<void> {
  for (let index = 0; index < 90; index += 3) {
    await Promise.all(
      [0, 1, 2].map((offset) => submit(engine, ((index + offset) % 3) + 1, `${round}-${index + offset}`)),
    );
  }
}

async function foldThrough(folder: JournalFolder, position: number): Promise<void> {
  const fold = new CheckpointFold(checkpointIn(folder.folder), openLogReader(folder.folder));
  fold.foldThrough(position);
  while (fold.mergePart());
  await fold.close();
  await folder.history.refresh();
}

test('recovery gives the same state with a checkpoint at any group, or none', async (context) => {
  const path = await temporaryFolder(context);
  const first = await JournalFolder.open(path, 20_000);
  await first.append(worldFacts(WORLD));
  await first.close();
  const second = await JournalFolder.open(path, 20_000);
  await trade(second, 'a');
  const expected = canonicalTables(second.engine.state);
  assert.ok(listSegments(path).length > 1, 'the journal has several segments');
  const groupEnds: number[] = [];
  for (const { firstSequence } of listSegments(path)) {
    const segment = new LmdbSegment(path, firstSequence);
    for (const { key } of segment.frames.getRange()) groupEnds.push(key.readUInt32BE(4) - 1);
    await segment.close();
  }
  for (const position of groupEnds.filter((end, index) => end > 0 && index % 5 === 1)) {
    await foldThrough(second, position);
    const { state, checkpointPosition } = recover(second.log, second.checkpoint);
    assert.equal(checkpointPosition, position);
    assert.deepEqual(canonicalTables(state), expected, `checkpoint at ${position}`);
  }
  await second.close();
});

test('a journal with a missing or foreign frame is refused, wherever the checkpoint ends', async (context) => {
  const between = /facts between them are missing/;
  const segmentGone = (place: number) => (path: string) => {
    const segments = listSegments(path);
    rmSync(segments[Math.floor(segments.length * place)]?.file ?? '');
  };
  const ONE_EACH = 1;
  const ALL = 1024 ** 3;
  const damages: [
    what: string,
    segmentBytes: number,
    folded: number,
    damage: (path: string) => Promise<void> | void,
    message: RegExp,
  ][] = [
    ['a frame in the middle is gone', ALL, 1, (path) => changeFrame(path, 2, undefined), between],
    ['a frame is damaged', ALL, 1, (path) => changeFrame(path, 2, flipLastBit), /wrong checksum/],
    ['its only segment is gone', ALL, 1, segmentGone(0), /that fact is missing or different|missing/],
    ['a segment in the middle is gone', ONE_EACH, 0, segmentGone(0.5), between],
    ['a segment behind the checkpoint is gone', ONE_EACH, 1, segmentGone(0.5), between],
  ];
  for (const [what, segmentBytes, folded, damage, message] of damages) {
    const path = await temporaryFolder(context);
    const folder = await JournalFolder.open(path, segmentBytes);
    await folder.append(...worldFacts(WORLD).map((fact) => [fact]));
    if (folded > 0) await foldThrough(folder, folded);
    await folder.close();
    await damage(path);
    const checkpoint = openCheckpoint(path);
    assert.throws(() => recover(openLog(path), checkpoint), message, what);
    checkpoint.close();
  }
});

async function changeFrame(
  path: string,
  sequence: number,
  change?: (frame: Buffer) => Buffer,
): Promise<void> {
  const segment = new LmdbSegment(path, 1);
  const frame = segment.frames.get(numberKey(sequence));
  assert.ok(frame);
  if (change === undefined) await segment.frames.remove(numberKey(sequence));
  else await segment.frames.put(numberKey(sequence), change(Buffer.from(frame)));
  await segment.close();
}

function flipLastBit(frame: Buffer): Buffer {
  frame[frame.length - 1] = (frame[frame.length - 1] ?? 0) ^ 1;
  return frame;
}
