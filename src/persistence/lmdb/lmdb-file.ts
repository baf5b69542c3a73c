/**
 * Proves that an LMDB data file is sound before the library maps it, by reading it as bytes.
 *
 * LMDB believes what it finds: in a damaged file it follows wild page numbers into SIGSEGV or SIGBUS, or searches the
 * wrong subtree and answers "not there". So the whole state is walked first: both meta pages, the free list, the main
 * tree and each named database, with every page used at most once. The inside of keys and values stays unproved:
 * callers have checksums of their own, and `onEntry` is the place for them. The alternative, a child process that opens
 * the file and may die, finds only what makes it die.
 */
import { DATABASE_NODE, OVERFLOW_NODE, readTreeRecord, TREE_RECORD_BYTES } from './lmdb-format.ts';
import { markFreePages } from './lmdb-free-list.ts';
import { compareByteKeys, compareIntegerKeys } from './lmdb-key-order.ts';
import { type LmdbMeta, readNewestMeta } from './lmdb-meta.ts';
import { type Tree, walkTree } from './lmdb-tree.ts';
import { PageFile } from './page-file.ts';
import { PageUse } from './page-use.ts';

export type LmdbFileReport = Readonly<{
  /** Pages that nothing refers to: lost space, no danger. */
  lostPages: number;
  /** Entries of each named database. */
  entries: ReadonlyMap<string, number>;
}>;

/** `key` and `value` are overwritten after the call: copy what must stay. */
export type OnLmdbEntry = (database: string, key: Uint8Array, value: Uint8Array) => void;

/**
 * Checks the state that LMDB would open. No process may write to the file meanwhile.
 *
 * A damaged byte in the name of a database shows as another name, and an emptied file is refused, but one whose
 * databases are gone is not: compare the names in the report with those that must be there.
 *
 * @param onEntry gets each entry of the named databases, in key order, while the check goes on: what it is given
 * counts only when the function returns. Its errors pass through.
 * @throws DamagedFileError at the first thing amiss, also when the file is missing or cannot be read
 */
export function checkLmdbFile(path: string, onEntry: OnLmdbEntry = () => {}): LmdbFileReport {
  const file = PageFile.open(path);
  try {
    const meta = readNewestMeta(file);
    const use = new PageUse(file, meta.pageBytes, meta.lastPage);
    walkFreeTree(use, meta);
    const entries = new Map<string, number>();
    for (const [name, tree] of walkMainTree(use, meta)) {
      walkTree(use, { ...tree, visit: (key, value) => onEntry(name, key, value) });
      entries.set(name, tree.record.entries);
    }
    return { lostPages: use.countLost(), entries };
  } finally {
    file.close();
  }
}

function walkFreeTree(use: PageUse, { freeTree, page: recordPage, transaction }: LmdbMeta): void {
  walkTree(use, {
    record: freeTree,
    recordPage,
    transaction,
    entryFlags: OVERFLOW_NODE,
    leastChildren: 1,
    keyOrder: compareIntegerKeys,
    visit: (key, value, _flags, page) => markFreePages(use, transaction, key, value, page),
  });
}

/** The main tree has an entry for each named database, and nothing else: Purser keeps no rows in it. */
function walkMainTree(use: PageUse, meta: LmdbMeta): Map<string, Omit<Tree, 'visit'>> {
  const databases = new Map<string, Omit<Tree, 'visit'>>();
  const rules = { leastChildren: 2, keyOrder: compareByteKeys };
  walkTree(use, {
    record: meta.mainTree,
    recordPage: meta.page,
    transaction: meta.transaction,
    entryFlags: DATABASE_NODE,
    ...rules,
    visit: (key, value, flags, page) => {
      if (flags !== DATABASE_NODE || value.length !== TREE_RECORD_BYTES) {
        throw page.damaged('an entry of the main tree that is not a database');
      }
      const record = readTreeRecord(new DataView(value.buffer, value.byteOffset, value.length), 0);
      if (record.flags !== 0) throw page.damaged(`a database with flags 0x${record.flags.toString(16)}`);
      const name = databaseName(key);
      if (name === undefined) throw page.damaged('a database whose name is not text');
      const { number: recordPage, transaction } = page;
      databases.set(name, { record, recordPage, transaction, entryFlags: OVERFLOW_NODE, ...rules });
    },
  });
  return databases;
}

/** The library stores names with a zero byte behind. A name that isn't UTF-8 becomes one that no database has. */
function databaseName(key: Uint8Array): string | undefined {
  const end = key.length - 1;
  return key.indexOf(0) === end ? Buffer.from(key.subarray(0, end)).toString() : undefined;
}
