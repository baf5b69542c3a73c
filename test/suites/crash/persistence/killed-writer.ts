/**
 * Writes until it is killed, and says what it has stored. Arguments: a data folder, then `files` and the first seed; or
 * `stock`, the data key in base64, the product's end, and a file with lines; or `rows`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { FileStore, MAX_UPLOADS } from '../../../../src/persistence/files/file-store.ts';
import { DataKeys } from '../../../../src/persistence/keys/data-keys.ts';
import { productStock } from '../../../../src/persistence/stock/product-stock.ts';
import { openStockStore } from '../../../../src/persistence/stock/stock-store.ts';
import { chunksOf } from '../../../persistence/files/file-scene.ts';
import { patternBytes } from '../../../support/pattern-bytes.ts';

const [folder = '', what = '', ...args] = process.argv.slice(2);
if (what === 'files') await writeFiles(Number(args[0]));
else if (what === 'stock') await writeStock(args);
else await writeRows();

/** Several at once. */
async function writeFiles(firstSeed: number): Promise<void> {
  const store = FileStore.open(folder);
  let seed = firstSeed;
  const uploadOn = async (): Promise<never> => {
    for (;;) {
      seed += 1;
      const mine = seed;
      const bytes = patternBytes(50_000 + (mine % 7) * 100_000, mine);
      const { fileId } = await store.add(chunksOf(bytes, 30_000), 'application/octet-stream');
      process.stdout.write(`${fileId} ${mine}\n`);
    }
  };
  console.log('begins');
  await Promise.all(Array.from({ length: MAX_UPLOADS }, uploadOn));
}

/** Writes the same lines again and again, which never become visible. */
async function writeStock([key = '', end = '', linesFile = '']: string[]): Promise<never> {
  const text = readFileSync(linesFile);
  const keyBytes = Buffer.from(key, 'base64');
  const store = await openStockStore({
    file: join(folder, 'stock.mdb'),
    keys: DataKeys.create(keyBytes, keyBytes),
    onFatal: (error) => {
      throw error;
    },
  });
  console.log('begins');
  for (;;) {
    const intake = await store.beginIntake({
      productId: 7,
      allowDuplicates: false,
      readStock: async () => productStock(7, Number(end)),
    });
    await intake.writeText(text);
    await intake.finish();
    intake.close();
  }
}

async function writeRows(): Promise<never> {
  const path = join(folder, 'rows.mdb');
  const root = open({ path, noSubdir: true, maxDbs: 8, encoding: 'binary', overlappingSync: false });
  const frames = root.openDB<Buffer, number>({ name: 'frames', encoding: 'binary' });
  let key = Number((frames.getStats() as { readonly entryCount: number }).entryCount);
  for (;;) {
    const keys = Array.from({ length: 20 }, (_, index) => key + 1 + index);
    await Promise.all(keys.map((each) => frames.put(each, Buffer.alloc(each % 50 ? 200 : 20_000))));
    key += keys.length;
    process.stdout.write(`${key}\n`);
  }
}
