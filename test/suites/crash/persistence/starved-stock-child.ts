/**
 * Takes in texts while no file descriptor is left, and when there are plenty again. Prints what came of it. Argument: an
 * empty folder.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createEnvironment } from '../../../../src/persistence/lmdb/lmdb-environment.ts';
import { runFilesIn } from '../../../../src/persistence/runs/run-list.ts';
import { STOCK_TABLES } from '../../../../src/persistence/stock/file/stock-file.ts';
import { productStock } from '../../../../src/persistence/stock/product-stock.ts';
import { openStockStore } from '../../../../src/persistence/stock/stock-store.ts';
import { randomDataKeys } from '../../../support/data-keys.ts';
import { eventually } from '../../../support/eventually.ts';
import { SMALL_RUNS } from '../../../support/small-runs.ts';

const [folder = ''] = process.argv.slice(2);
const file = join(folder, 'stock.mdb');
await createEnvironment(file, STOCK_TABLES);
const fatal: string[] = [];
const store = await openStockStore({
  file,
  keys: randomDataKeys(),
  onFatal: (error) => fatal.push(String(error)),
  compaction: SMALL_RUNS,
});
const texts: string[] = [];

/** The name of the error that it was answered with, if any. */
async function upload(name: string, count: number): Promise<string | undefined> {
  const lines = Array.from({ length: count }, (_, index) => `${name} text ${index}`);
  const end = texts.length;
  const intake = await store.beginIntake({
    productId: 1,
    allowDuplicates: false,
    readStock: async () => productStock(1, end),
  });
  try {
    await intake.writeItems(lines);
    const { added } = await intake.finish();
    texts.push(...lines.slice(0, added));
    return undefined;
  } catch (error) {
    return (error as Error).name;
  } finally {
    intake.close();
  }
}

const hasRuns = () => runFilesIn(folder).length > 0;
await upload('first', 10);
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // None is left.
}
const starved = await upload('starved', 4_000);
// Far more than stays in the database: rows are to move, which is tried every second.
await new Promise((resolve) => setTimeout(resolve, 1_500));
const starvedAgain = await upload('starved again', 10);
for (const descriptor of taken) closeSync(descriptor);
await eventually('old rows are in run files', hasRuns);
const afterwards = await upload('afterwards', 10);
const read = store.readItems(1, 0, texts.length, texts.length);
await store.close();
const isWhole = JSON.stringify(read) === JSON.stringify(texts);
console.log(JSON.stringify({ fatal, starved, starvedAgain, afterwards, isWhole, texts: texts.length }));
