/**
 * The cost of folding the journal into the checkpoint, time for each fact and memory, as the history grows: work that a
 * node does behind its traffic, on the other core.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkpointIn, createCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import type { FrameLog } from '../../src/persistence/journal/frame-log.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { ownMebibytes } from '../measure/process-memory.ts';
import { repeatCells, repeatHeader } from '../measure/repeats.ts';
import { textTable } from '../measure/text-table.ts';
import { Purchases } from '../shop/purchases.ts';

const factsPerFold = 50_000;
const folds = 20;
const foldsPerRow = 4;
const factsPerFrame = 250;

/** Writes a journal of 1,000,000 purchases into `folder`, and folds it in twenty folds. */
export async function measureFold(folder: string): Promise<string> {
  const place = join(folder, 'fold');
  await mkdir(place);
  await createLog(place);
  createCheckpoint(place);
  const log = openLog(place);
  const purchases = new Purchases();
  await new JournalWriter(log).append(1, purchases.setup);
  const fold = new CheckpointFold(checkpointIn(place), openLogReader(place));
  fold.foldThrough(log.head.position);
  const rows: string[][] = [];
  let micros: number[] = [];
  for (let round = 1; round <= folds; round += 1) {
    await appendPurchases(log, purchases);
    const startedMs = performance.now();
    fold.foldThrough(log.head.position);
    while (fold.mergePart());
    micros.push(((performance.now() - startedMs) * 1000) / factsPerFold);
    if (round % foldsPerRow !== 0) continue;
    const orders = (round * factsPerFold).toLocaleString('en');
    rows.push([orders, await ownMebibytes(), ...repeatCells(micros, (value) => value.toFixed(1))]);
    micros = [];
  }
  await fold.close();
  await log.close();
  return textTable(['fold, orders so far', 'RssAnon MiB', ...repeatHeader('µs a fact')], rows);
}

async function appendPurchases(log: FrameLog, purchases: Purchases): Promise<void> {
  const journal = new JournalWriter(log);
  for (let done = 0; done < factsPerFold; done += factsPerFrame) {
    const facts = Array.from({ length: factsPerFrame }, () => purchases.buy());
    await journal.append(log.head.position + 1, facts);
  }
}
