/**
 * A checkpoint that has nothing but keys of purchases, and what a new key costs there: each purchase asks once. Hashes
 * that were written are even, and those that are asked are odd, so none of them is there.
 */
import {
  checkpointIn,
  createCheckpoint,
  openCheckpoint,
} from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointHistory } from '../../src/persistence/checkpoint/checkpoint-history.ts';
import { RowBatches } from '../../src/persistence/checkpoint/row-batches.ts';
import { ALL_TABLES, TABLES } from '../../src/persistence/checkpoint/tables.ts';
import { StoreFiles } from '../../src/persistence/store/store-files.ts';
import { ownMebibytes } from '../measure/process-memory.ts';
import { textTable } from '../measure/text-table.ts';
import { filterMebibytes, loadKeyFilters } from './filters.ts';
import { LOOK_UP_HEADER, lookUps, processorMicros } from './look-ups.ts';

const FILE_KEYS = 50_000;
const ASKED = 1_000_000;

/** `folder` is empty, and has so many keys afterwards. */
export async function writeKeys(folder: string, keys: number): Promise<string> {
  createCheckpoint(folder);
  const files = new StoreFiles(checkpointIn(folder), ALL_TABLES);
  const rows = new RowBatches();
  const began = processorMicros();
  for (let done = 0; done < keys; ) {
    const through = Math.min(keys, done + FILE_KEYS);
    for (; done < through; done += 1) rows.of(TABLES.keys).add(evenHash(), 2 * done);
    files.add({ position: done, journalHash: '' }, rows);
    while (files.mergePart());
  }
  const each = (processorMicros() - began) / keys;
  const bytes = files.list.files.reduce((sum, file) => sum + file.bytes, 0) / keys;
  return `${keys.toLocaleString('en')} keys: written and merged in ${each.toFixed(2)} µs of the processor each, ${bytes.toFixed(1)} bytes each`;
}

/** `folder`: what `writeKeys` made, with as many keys. */
export async function askKeys(folder: string, keys: number): Promise<string> {
  const store = openCheckpoint(folder);
  const written = store.list.files.reduce((sum, file) => sum + file.rows, 0);
  if (written !== keys) throw new Error(`${written} keys are there`);
  const history = new CheckpointHistory(store);
  const hashes = Float64Array.from({ length: ASKED + 1 }, () => evenHash() + 1);
  const before = await ownMebibytes();
  const rows = [
    await lookUps('load the filters', 0, () => loadKeyFilters(store)),
    await lookUps('look up a new key', ASKED, (index) => {
      if (history.purchaseOutcome(1, 'new', hashes[index]) !== undefined)
        throw new Error('a key was found that nobody has used');
    }),
  ];
  const inVain = hashes.filter((hash) => store.mayHave(TABLES.keys, hash)).length / hashes.length;
  const memory = `${store.files.length} files; filters ${filterMebibytes(store)} MiB; read for in vain ${(100 * inVain).toFixed(2)} %; RssAnon ${before} MiB before the filters, ${await ownMebibytes()} at the end`;
  store.close();
  return `${textTable(['keys', ...LOOK_UP_HEADER.slice(1)], rows)}\n${memory}`;
}

function evenHash(): number {
  return 2 * (Math.floor(Math.random() * 2 ** 20) * 2 ** 32 + Math.floor(Math.random() * 2 ** 32));
}
