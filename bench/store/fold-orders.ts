/** The cost of a purchase behind the traffic: what its fold and the merges take, and what it takes on the disk. */
import { ownMebibytes } from '../measure/process-memory.ts';
import { textTable } from '../measure/text-table.ts';
import { PlacedOrders } from '../shop/placed-orders.ts';
import { FILE_FACTS, MemoryFold } from './memory-fold.ts';

export const ORDER_ACCOUNTS = 1_000;
const PRODUCTS = 100;
const ROW_ORDERS = 1_000_000;

/** `folder` is empty, and has a checkpoint of so many orders afterwards. */
export async function foldOrders(folder: string, orders: number): Promise<string> {
  const fold = new MemoryFold(folder);
  const placed = new PlacedOrders({ accounts: ORDER_ACCOUNTS, products: PRODUCTS });
  fold.take(placed.setup.length, (index) => placed.setup[index] as (typeof placed.setup)[number]);
  fold.foldMicros = 0;
  const rows: string[][] = [];
  for (let done = 0; done < orders; ) {
    const count = Math.min(FILE_FACTS, orders - done);
    fold.take(count, () => placed.place());
    done += count;
    if (done % ROW_ORDERS !== 0 && done !== orders) continue;
    const { count: files, bytes } = fold.files;
    rows.push([
      done.toLocaleString('en'),
      (fold.foldMicros / done).toFixed(2),
      (fold.mergeMicros / done).toFixed(2),
      (bytes / done).toFixed(1),
      String(files),
      fold.longestPartMs.toFixed(0),
      await ownMebibytes(),
    ]);
  }
  await fold.close();
  return textTable(
    [
      'orders folded so far',
      'fold, µs each',
      'merges',
      'bytes each',
      'files',
      'longest part of a merge, ms',
      'RssAnon MiB',
    ],
    rows,
  );
}
