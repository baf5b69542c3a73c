/**
 * Seals texts anew with the newest data key, some rows at a time, in the thread that writes them: so a row can't change
 * between being opened and being sealed.
 *
 * Invariant: a bite is one transaction, so after a crash each row is as it was or as it will be, and both open. Rows
 * that uploads and deliveries write meanwhile have the newest key already. Rows that have it are passed over: whoever
 * begins again after a crash writes only what is left.
 */
import { dirname } from 'node:path';
import { keepRoomForJournal } from '../disk/disk-room.ts';
import { BrokenSealError } from '../disk/row-cipher.ts';
import type { StockFile } from './file/stock-file.ts';
import { DamagedRowError } from './stock-errors.ts';
import { tryToWrite } from './write-failure.ts';

const SEALED_TABLES = ['items', 'deliveries'] as const;
/** Rows of one transaction: a few milliseconds, for which uploads wait. */
const BITE_ROWS = 64;
const BITE_BYTES = 256 * 1024;
/** Rows that are only looked at in one bite. */
const LOOKED_AT_ROWS = 1_024;
/** LMDB writes the pages above a row anew as well. */
const BYTES_ON_DISK_PER_BYTE = 2;
const PAGES_BYTES = 1024 * 1024;

/** Where a bite begins; plain data. */
export interface ResealPlace {
  readonly table: (typeof SEALED_TABLES)[number];
  /** The key before; undefined at the table's beginning. */
  readonly after?: Uint8Array;
}

export const FIRST_PLACE: ResealPlace = { table: 'items' };

export interface Resealed {
  /** Rows that were looked at. */
  readonly rows: number;
  /** Rows that were sealed anew. */
  readonly written: number;
  /** Undefined when all have been looked at. */
  readonly next: ResealPlace | undefined;
}

/** How many rows have to be looked at. */
export function sealedRows(file: StockFile): number {
  file.environment.resetReadTxn();
  return SEALED_TABLES.reduce((sum, table) => sum + file[table].size, 0);
}

/** Throws one of `ANSWERED_STOCK_ERRORS`. */
export function reseal(file: StockFile, { table, after }: ResealPlace): Resealed {
  return tryToWrite(file, () => {
    const old: { readonly key: Buffer; readonly sealed: Buffer }[] = [];
    let rows = 0;
    let bytes = 0;
    let last: Buffer | undefined;
    file.environment.resetReadTxn();
    const start = after === undefined ? {} : { start: Buffer.concat([after, Buffer.of(0)]) };
    for (const { key, value } of file[table].getRange({ ...start, limit: LOOKED_AT_ROWS })) {
      rows += 1;
      last = Buffer.from(key);
      if (!file.cipher.isOld(value)) continue;
      old.push({ key: last, sealed: Buffer.from(value) });
      bytes += value.length;
      if (old.length >= BITE_ROWS || bytes >= BITE_BYTES) break;
    }
    if (old.length > 0) {
      keepRoomForJournal(dirname(file.environment.file), BYTES_ON_DISK_PER_BYTE * bytes + PAGES_BYTES);
      file.write(() => {
        for (const { key, sealed } of old) file.put(table, key, sealedAnew(file, table, key, sealed));
      });
    }
    if (last !== undefined) return { rows, written: old.length, next: { table, after: last } };
    const following = SEALED_TABLES[SEALED_TABLES.indexOf(table) + 1];
    return { rows, written: old.length, next: following && { table: following } };
  });
}

function sealedAnew({ cipher }: StockFile, table: string, key: Buffer, sealed: Buffer): Buffer {
  try {
    return cipher.seal(cipher.open(sealed, key), key);
  } catch (error) {
    if (!(error instanceof BrokenSealError)) throw error;
    throw new DamagedRowError(`row ${key.toString('hex')} of ${table}`, error.message, { cause: error });
  }
}
