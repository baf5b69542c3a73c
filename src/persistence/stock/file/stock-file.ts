/**
 * `stock.mdb`: the texts of all items, as both threads open it.
 *
 * - `meta`: the format, and a seal of nothing. Whether that opens tells, before anything is sold, whether this is the
 *   right master key.
 * - `items`: product and block number ▸ a sealed block of texts.
 * - `fingerprints`: product and fingerprint of a text, with a key that is derived from the master key ▸ the number of an
 *   item that had this text, or of an order that was delivered with it; with an order's number behind it ▸ that order,
 *   when somebody else had the text first.
 * - `deliveries`: order ▸ the sealed texts that it was completed with, when they are not from stock.
 *
 * The file says nothing about which items exist: that is decided by facts in the journal, and whatever lies
 * here beyond a product's end was left by an upload that came to nothing.
 */

import { WriteGate } from '../../../threads/write-gate.ts';
import { deriveKey, type MasterKey, MasterKeyError } from '../../disk/master-key.ts';
import { BrokenSealError, ForeignKeyError, RowCipher } from '../../disk/row-cipher.ts';
import { DamagedFileError } from '../../lmdb/damaged-file.ts';
import { type Environment, openEnvironment, type Table } from '../../lmdb/lmdb-environment.ts';
import { DamagedRowError, missingItem } from '../stock-errors.ts';
import { blockKey, blockOf, encodeBlock, ITEMS_PER_BLOCK, ItemBlock } from './stock-block.ts';

const FORMAT = 4;
export const FORMAT_KEY = Buffer.from('format');
export const MASTER_KEY_KEY = Buffer.from('master-key');
/** The tables of the file, by name. */
export const STOCK_TABLES = ['meta', 'items', 'fingerprints', 'deliveries'] as const;
const FINGERPRINT_PURPOSE = 'purser stock fingerprints';
const NOTHING = new Uint8Array(0);
type TextTable = Exclude<(typeof STOCK_TABLES)[number], 'meta'>;
type ReadableTable = Pick<Table, 'get' | 'getRange' | 'doesExist'>;

/** `put` and `remove` are the only way in which a row changes, so that all that is written can be seen here. */
export interface StockFile {
  readonly environment: Environment;
  /** Runs a transaction, which is durable when this returns. */
  readonly write: (transaction: () => void) => void;
  /** Inside a write transaction. */
  readonly put: (table: TextTable, key: Buffer, row: Buffer) => void;
  /** Inside a write transaction. */
  readonly remove: (table: TextTable, key: Buffer) => void;
  readonly items: ReadableTable;
  readonly fingerprints: ReadableTable;
  readonly deliveries: ReadableTable;
  readonly cipher: RowCipher;
  readonly fingerprintKey: Buffer;
}

/**
 * Makes the file when it isn't there. Throws `MasterKeyError` for another master key than the file was written
 * with, `DamagedFileError` for a file that isn't ours. In another thread than the main one, call it through
 * `gate`.
 */
export function openStockFile(file: string, masterKey: MasterKey, gate = new WriteGate()): StockFile {
  const environment = openEnvironment(file);
  try {
    const meta = environment.table('meta');
    const tables = {
      items: environment.table('items'),
      fingerprints: environment.table('fingerprints'),
      deliveries: environment.table('deliveries'),
    };
    const cipher = new RowCipher(masterKey);
    const format = meta.get(FORMAT_KEY);
    if (format === undefined) writeMeta(environment, meta, cipher);
    else if (format.length !== 1 || format[0] !== FORMAT) {
      throw new DamagedFileError(
        file,
        `has format ${format.toString('hex')}, which this version doesn't know`,
      );
    }
    proveMasterKey(file, meta, cipher);
    const fingerprintKey = deriveKey(masterKey, FINGERPRINT_PURPOSE);
    const write = (transaction: () => void) => gate.pass(() => environment.transactionSync(transaction));
    return {
      environment,
      write,
      put: (table, key, row) => void tables[table].putSync(key, row),
      remove: (table, key) => void tables[table].removeSync(key),
      ...tables,
      cipher,
      fingerprintKey,
    };
  } catch (error) {
    void environment.close();
    throw error;
  }
}

/**
 * Makes a file without a single text belong to `masterKey`, if it doesn't yet; says whether it did anything. What
 * was sealed with a lost master key must stay refused, but where nothing was, its loss need not stop a node.
 */
export async function adoptMasterKey(file: string, masterKey: MasterKey): Promise<boolean> {
  const environment = openEnvironment(file);
  try {
    const meta = environment.table('meta');
    const cipher = new RowCipher(masterKey);
    const sealed = meta.get(MASTER_KEY_KEY);
    if (sealed === undefined || !cipher.isForeign(sealed)) return false;
    for (const name of STOCK_TABLES) {
      if (name !== 'meta' && environment.table(name).getKeysCount({ limit: 1 }) > 0) return false;
    }
    writeMeta(environment, meta, cipher);
    return true;
  } finally {
    await environment.close();
  }
}

function writeMeta(environment: Environment, meta: Table, cipher: RowCipher): void {
  environment.transactionSync(() => {
    meta.putSync(MASTER_KEY_KEY, cipher.seal(NOTHING, MASTER_KEY_KEY));
    meta.putSync(FORMAT_KEY, Buffer.from([FORMAT]));
  });
}

function proveMasterKey(file: string, meta: Table, cipher: RowCipher): void {
  const sealed = meta.get(MASTER_KEY_KEY);
  if (sealed === undefined) throw new DamagedFileError(file, 'has no row that identifies its master key');
  try {
    cipher.open(sealed, MASTER_KEY_KEY);
  } catch (error) {
    if (error instanceof ForeignKeyError) {
      throw new MasterKeyError(
        `the master key is not the one this data folder was written with: ${file} is ${error.message}`,
        { cause: error },
      );
    }
    throw new DamagedFileError(file, 'has a damaged row where its master key is identified', {
      cause: error,
    });
  }
}

/** The first `limit` texts of a block, or undefined. Throws `DamagedRowError`. */
export function readBlock(
  { items, cipher }: StockFile,
  productId: number,
  block: number,
  limit: number,
): ItemBlock | undefined {
  const key = blockKey(productId, block);
  const sealed = items.get(key);
  return sealed && openBlock(cipher, `block ${block} of product ${productId}`, sealed, key, limit);
}

/** The same for the block that `item` is in; it is damage when the item has no text. */
export function blockWith(
  file: StockFile,
  productId: number,
  item: number,
  limit = ITEMS_PER_BLOCK,
): ItemBlock {
  const number = blockOf(item);
  const block = readBlock(file, productId, number, limit);
  const count = block?.count ?? 0;
  if (block === undefined || count <= item % ITEMS_PER_BLOCK) {
    throw missingItem(productId, number * ITEMS_PER_BLOCK + count);
  }
  return block;
}

/** The first `limit` texts that were sealed as one. Throws `DamagedRowError`, which names the `row`. */
export function openBlock(
  cipher: RowCipher,
  row: string,
  sealed: Buffer,
  key: Buffer,
  limit: number,
): ItemBlock {
  try {
    return ItemBlock.decode(row, cipher.open(sealed, key), limit);
  } catch (error) {
    if (!(error instanceof BrokenSealError || error instanceof ForeignKeyError)) throw error;
    throw new DamagedRowError(row, error.message, { cause: error });
  }
}

/** Inside a write transaction. */
export function writeBlock(
  file: StockFile,
  productId: number,
  block: number,
  texts: readonly Uint8Array[],
): void {
  const key = blockKey(productId, block);
  file.put('items', key, file.cipher.seal(encodeBlock(texts), key));
}
