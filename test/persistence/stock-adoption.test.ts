/** When a node may go on with another master key: only where the stock file has nothing that needs the old one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type MasterKey, MasterKeyError, masterKeyOf } from '../../src/persistence/disk/master-key.ts';
import { createEnvironment, numberKey } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { checkLmdbFile } from '../../src/persistence/lmdb/lmdb-file.ts';
import { encodeBlock } from '../../src/persistence/stock/file/stock-block.ts';
import { StockCheck } from '../../src/persistence/stock/file/stock-check.ts';
import {
  adoptMasterKey,
  openStockFile,
  STOCK_TABLES,
  writeBlock,
} from '../../src/persistence/stock/file/stock-file.ts';
import { Fingerprints } from '../../src/persistence/stock/file/stock-fingerprints.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const TEXT = Buffer.from('a code');
const ORDER_KEY = numberKey(1);

describe('a stock file under another master key', () => {
  const own = masterKeyOf(randomBytes(32));
  const other = masterKeyOf(randomBytes(32));
  let folder: TemporaryFolder;
  let file: string;

  beforeEach(async () => {
    folder = await createTemporaryFolder('adoption');
    file = join(folder.path, 'stock.mdb');
    await createEnvironment(file, STOCK_TABLES);
    await openStockFile(file, own).environment.close();
  });
  afterEach(() => folder.remove());

  const check = (masterKey: MasterKey) => checkLmdbFile(file, new StockCheck(masterKey).row);
  const open = async (masterKey: MasterKey) => openStockFile(file, masterKey).environment.close();

  test('without a text passes the check, and is this key’s once it is adopted', async () => {
    check(other);
    await assert.rejects(open(other), MasterKeyError);
    assert.equal(await adoptMasterKey(file, other), true);
    assert.equal(await adoptMasterKey(file, other), false, 'it is by now');
    await open(other);
    check(other);
    await assert.rejects(open(own), MasterKeyError);
    assert.equal(await adoptMasterKey(file, own), true, 'and back');
  });

  const CONTENTS: readonly (typeof STOCK_TABLES)[number][] = ['items', 'fingerprints', 'deliveries'];
  for (const table of CONTENTS) {
    test(`with a row of ${table} is refused and stays as it is`, async () => {
      const stock = openStockFile(file, own);
      const fingerprints = new Fingerprints(stock);
      stock.write(() => {
        if (table === 'items') writeBlock(stock, 1, 0, [TEXT]);
        else if (table === 'fingerprints') fingerprints.setItem(fingerprints.keyOf(1, TEXT), 0);
        else stock.put('deliveries', ORDER_KEY, stock.cipher.seal(encodeBlock([TEXT]), ORDER_KEY));
      });
      await stock.environment.close();

      check(own);
      assert.throws(() => check(other), MasterKeyError);
      assert.equal(await adoptMasterKey(file, other), false);
      await assert.rejects(open(other), MasterKeyError);
      await open(own);
    });
  }

  test('another file of the same master key has the same fingerprints', async () => {
    const twin = join(folder.path, 'twin.mdb');
    await createEnvironment(twin, STOCK_TABLES);
    const keys: Buffer[] = [];
    for (const path of [file, twin]) {
      const stock = openStockFile(path, own);
      keys.push(new Fingerprints(stock).keyOf(1, TEXT));
      await stock.environment.close();
    }
    assert.deepEqual(keys[0], keys[1]);
  });

  test('a new file, which tells of no key yet, is left to be opened', async () => {
    const fresh = join(folder.path, 'fresh.mdb');
    await createEnvironment(fresh, STOCK_TABLES);
    assert.equal(await adoptMasterKey(fresh, other), false);
    await openStockFile(fresh, other).environment.close();
  });
});
