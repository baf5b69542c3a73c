/** LMDB files made by the library itself, and what a check yields of them. */
import { crc32 } from 'node:zlib';
import { type Database, open, type RootDatabase } from 'lmdb';
import { checkLmdbFile, type LmdbFileReport } from '../../../src/persistence/lmdb/lmdb-file.ts';
import type { Random } from '../../support/random.ts';

/** More than all that was freed before: the value lies at the end of the file. */
export const LAST_VALUE_BYTES = 100_000;

export interface Entry {
  readonly database: string;
  readonly key: string;
  readonly value: string;
}

/** Opened as Purser opens its files; without syncing, since no sample has to outlive a power cut. */
export function openSample(path: string, pageBytes = 4096): RootDatabase<Buffer, number> {
  return open<Buffer, number>({
    path,
    noSubdir: true,
    maxDbs: 8,
    encoding: 'binary',
    overlappingSync: false,
    noSync: true,
    pageSize: pageBytes,
  });
}

export async function writeSample(
  path: string,
  write: (root: RootDatabase<Buffer, number>) => void,
  pageBytes?: number,
): Promise<void> {
  const root = openSample(path, pageBytes);
  write(root);
  await root.close();
}

export function numbered(root: RootDatabase<Buffer, number>, name: string): Database<Buffer, number> {
  return root.openDB<Buffer, number>({ name, encoding: 'binary' });
}

export function keyed(root: RootDatabase<Buffer, number>, name: string): Database<Buffer, Buffer> {
  return root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
}

/**
 * A sample with a little of everything: number keys and byte keys, branches, overflow values, freed pages, an empty
 * database. The last transaction makes the file grow, as most do.
 */
export async function writeMixedSample(path: string, random: Random, pageBytes?: number): Promise<void> {
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random.between(0, 255)));
  await writeSample(
    path,
    (root) => {
      const frames = numbered(root, 'frames');
      const rows = keyed(root, 'rows');
      numbered(root, 'nothing');
      const keys = Array.from({ length: 300 }, () => bytes(random.between(1, 40)));
      root.transactionSync(() => {
        for (let number = 1; number <= 400; number += 1) frames.putSync(number, bytes(random.between(0, 60)));
        for (const key of keys) rows.putSync(key, bytes(random.between(0, 120)));
        rows.putSync(bytes(20), bytes(9_000));
      });
      root.transactionSync(() => {
        for (let number = 1; number <= 150; number += 1) frames.removeSync(number);
        for (const key of keys.slice(0, 100)) rows.removeSync(key);
      });
      root.transactionSync(() => rows.putSync(bytes(20), bytes(5_000)));
      root.transactionSync(() => frames.putSync(1_000, bytes(LAST_VALUE_BYTES)));
    },
    pageBytes,
  );
}

export function collect(path: string): { report: LmdbFileReport; entries: Entry[] } {
  const entries: Entry[] = [];
  const report = checkLmdbFile(path, (database, key, value) => {
    const digest = `${value.length} bytes, crc ${crc32(value)}`;
    entries.push({ database, key: Buffer.from(key).toString('hex'), value: digest });
  });
  return { report, entries };
}
