/**
 * `stock.mdb`: the texts of all items, as both threads open it.
 *
 * - `meta`: the format.
 * - `items`: product and block number ▸ a sealed block of texts.
 * - `fingerprints`: fingerprint of a text, by the fingerprint key ▸ the product and number of an item that had this text,
 *   or of an order that was delivered with it; with product and number behind it ▸ who had it when somebody else had it
 *   first (`stock-fingerprints.ts`).
 * - `deliveries`: order ▸ the sealed texts that it was completed with, when they are not from stock.
 *
 * Rows that came long ago are in run files beside it (`../../runs/`).
 *
 * The file says nothing about which items exist: that is decided by facts in the journal, and whatever lies
 * here beyond a product's end was left by an upload that came to nothing.
 */

import { WriteGate } from '../../../threads/write-gate.ts';
import type { DataKeys } from '../../keys/data-keys.ts';
import { KeyError } from '../../keys/key-error.ts';
import { RowCipher } from '../../keys/row-cipher.ts';
import { DamagedFileError } from '../../lmdb/damaged-file.ts';
import { type Environment, openEnvironment, type Table } from '../../lmdb/lmdb-environment.ts';
import type { CompactedTables } from '../../runs/compaction.ts';
import { RunSet } from '../../runs/run-set.ts';
import { TieredTable } from '../../runs/tiered-table.ts';
import { type RowChange, RowChangesEncoder } from '../../shipping/row-changes.ts';
import { damagedRow, missingItem } from '../stock-errors.ts';
import { blockKey, blockOf, encodeBlock, ITEMS_PER_BLOCK, ItemBlock } from './stock-block.ts';

const FORMAT = 1;
export const FORMAT_KEY = Buffer.from('format');
/** The tables of the file, by name. */
export const STOCK_TABLES = ['meta', 'items', 'fingerprints', 'deliveries'] as const;
/** How the names of its run files begin. */
export const STOCK_RUNS = 'stock';
/** The length of a fingerprint's hash: its first six bytes are as good a hash as any. */
const HASH_BYTES = 6;

type TextTable = Exclude<(typeof STOCK_TABLES)[number], 'meta'>;
type ReadableTable = Pick<Table, 'get' | 'getRange' | 'doesExist' | 'size'>;

/** `put` and `remove` are the only way in which a row changes, so that all that is written can be seen here. */
export interface StockFile {
  readonly environment: Environment;
  /** The tables whose old rows are moved to run files. */
  readonly tiers: Omit<CompactedTables, 'hashed'>;
  /** A transaction of which nobody is told, because no row changes by it. Durable when this returns. */
  readonly transact: (transaction: () => void) => void;
  /** Runs a transaction, which is durable when this returns. */
  readonly write: (transaction: () => void) => void;
  /** Inside a write transaction. */
  readonly put: (table: TextTable, key: Buffer, row: Buffer) => void;
  /** Inside a write transaction. */
  readonly remove: (table: TextTable, key: Buffer) => void;
  /** Runs a transaction of what another node's folder has written. Throws `damaged` for a table that isn't there. */
  readonly apply: (changes: readonly RowChange[]) => void;
  readonly items: ReadableTable;
  readonly fingerprints: ReadableTable;
  readonly deliveries: ReadableTable;
  readonly cipher: RowCipher;
  readonly fingerprintKey: Buffer;
}

export interface StockFileOptions {
  readonly gate?: WriteGate;
  readonly isReadOnly?: boolean;
  /** Gets what each transaction has changed, when it is durable. */
  readonly onWritten?: ((parts: readonly Buffer[]) => void) | undefined;
}

/**
 * Makes the file when it isn't there, unless `isReadOnly`. Throws `DamagedFileError` for a file that isn't ours. In another
 * thread than the main one, call it through `gate`.
 */
export function openStockFile(
  file: string,
  keys: DataKeys,
  { gate = new WriteGate(), isReadOnly = false, onWritten }: StockFileOptions = {},
): StockFile {
  const environment = openEnvironment(file, { isReadOnly });
  try {
    const meta = environment.table('meta');
    const runs = new RunSet(environment, meta, STOCK_RUNS);
    environment.onClose(() => runs.close());
    const tables = {
      items: new TieredTable('items', environment.table('items'), runs),
      fingerprints: new TieredTable('fingerprints', environment.table('fingerprints'), runs, {
        hashOf: fingerprintHash,
      }),
      deliveries: new TieredTable('deliveries', environment.table('deliveries'), runs),
    };
    const format = meta.get(FORMAT_KEY);
    if (format === undefined) writeFormat(environment, meta);
    else if (format.length !== 1 || format[0] !== FORMAT) {
      throw new DamagedFileError(
        file,
        `has format ${format.toString('hex')}, which this version doesn't know`,
      );
    }
    const write = (transaction: () => void) => gate.pass(() => environment.transactionSync(transaction));
    const changing: Changing = {
      write,
      put: (table, key, row) => void tables[table].putSync(key, row),
      remove: (table, key) => void tables[table].removeSync(key),
    };
    return {
      environment,
      tiers: { environment, meta, kind: STOCK_RUNS, runs, tiered: Object.values(tables) },
      transact: write,
      ...(onWritten === undefined ? changing : told(changing, onWritten)),
      apply: (changes) => write(() => applyTo(tables, changes)),
      ...tables,
      cipher: new RowCipher(keys),
      fingerprintKey: keys.fingerprintKey,
    };
  } catch (error) {
    void environment.close();
    throw error;
  }
}

function fingerprintHash(key: Buffer): number {
  return key.readUIntBE(0, HASH_BYTES);
}

type Changing = Pick<StockFile, 'write' | 'put' | 'remove'>;

/** Writes as given, which also tell what they change. */
function told({ write, put, remove }: Changing, onWritten: (parts: readonly Buffer[]) => void): Changing {
  const changes = new RowChangesEncoder();
  return {
    write: (transaction) => {
      changes.clear();
      write(transaction);
      if (!changes.isEmpty) onWritten(changes.take());
    },
    put: (table, key, row) => {
      put(table, key, row);
      changes.put(table, key, row);
    },
    remove: (table, key) => {
      remove(table, key);
      changes.remove(table, key);
    },
  };
}

/** Inside a write transaction. */
function applyTo(tables: Readonly<Record<TextTable, Table>>, changes: readonly RowChange[]): void {
  for (const { table, key, row } of changes) {
    const changed = Object.hasOwn(tables, table) ? tables[table as TextTable] : undefined;
    if (changed === undefined) throw damagedRow(`a row of ${table}`, 'this version has no such table');
    if (row === null) changed.removeSync(key);
    else changed.putSync(key, row);
  }
}

/** Unless it may not be written to: then it is looked at, and has no rows. */
function writeFormat(environment: Environment, meta: Table): void {
  if (environment.isReadOnly) return;
  environment.transactionSync(() => meta.putSync(FORMAT_KEY, Buffer.from([FORMAT])));
}

/** The first `limit` texts of a block, or undefined. Throws `damaged`. */
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

/** The block that `item` is in, with its first `limit` texts; it is damage when the item has no text. */
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

/** The first `limit` texts that were sealed as one. Throws `damaged`, which names the `row`. */
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
    if (!(error instanceof KeyError)) throw error;
    throw damagedRow(row, error.message, { cause: error });
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
