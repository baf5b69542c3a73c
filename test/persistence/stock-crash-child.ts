/**
 * Uploads the lines of a file, again and again without their ever becoming visible, until it is killed or,
 * when it is told to, exits. Arguments: the stock file, the data key in base64, the product's end, the file
 * with the lines, the milliseconds after which it exits.
 */
import { readFileSync } from 'node:fs';
import { DataKeys } from '../../src/persistence/disk/data-keys.ts';
import { productStock } from '../../src/persistence/stock/product-stock.ts';
import { openStockStore } from '../../src/persistence/stock/stock-store.ts';

const [file = '', key = '', end = '', linesFile = '', exitAfterMs] = process.argv.slice(2);
const text = readFileSync(linesFile);
const keyBytes = Buffer.from(key, 'base64');
const store = await openStockStore({
  file,
  keys: DataKeys.create(keyBytes, [keyBytes]),
  onFatal: (error) => {
    throw error;
  },
});
if (exitAfterMs !== undefined) setTimeout(() => process.exit(3), Number(exitAfterMs));
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
