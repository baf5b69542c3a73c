/**
 * Holds a folder that no node has against the shared log: `purser verify --log`.
 *
 * The proof: the log's entries follow each other, term by term; its frames are one chain; the folder's journal has the
 * same bytes, as far as it goes, and goes no further than the log. Entries that were trimmed are proved by what came of
 * them: the base names the hash of the frame at its place, and the first frame that is left names the one before.
 */
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { segmentProof } from '../persistence/folder/folder-check.ts';
import { FrameChain } from '../persistence/journal/frame-chain.ts';
import type { LogHead, LogReader } from '../persistence/journal/frame-log.ts';
import { extentOf } from '../persistence/journal/journal-frame.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { openLogReaders } from '../persistence/journal/open-log.ts';
import { persist } from './base/base-writer.ts';
import { type ClusterFile, readClusterFile } from './cluster-file.ts';
import type { ClusterRow } from './postgres/cluster-rows.ts';
import { PostgresCluster } from './postgres/postgres-cluster.ts';
import type { PostgresSettings } from './postgres/postgres-connection.ts';
import { PostgresTable } from './postgres/postgres-table.ts';
import type { Entry, SharedTable } from './shared-table.ts';

const READ_ENTRIES = 64;
const PATIENCE_MS = 10_000;

export interface CheckedFolder {
  readonly folder: string;
  readonly own: ClusterFile;
  /** Where the folder's journal ends, which was proved. */
  readonly head: LogHead;
  readonly row: ClusterRow;
  readonly table: Pick<SharedTable, 'read'>;
}

export interface LogCheck {
  /** The entries that the log has. */
  readonly first: number;
  readonly last: number;
  /** The term of the last entry. */
  readonly term: number;
  /** Entries that the folder may lack, the oldest of them first; those that begin or end a term change nothing. */
  readonly missing: number;
}

/** One line about what was found, of a folder that was proved; `view`: what of it the database opens. Rejects like `checkAgainstLog`. */
export async function verifyAgainstLog(
  settings: PostgresSettings,
  { folder, view, head }: { readonly folder: string; readonly view: string; readonly head: LogHead },
): Promise<string> {
  const own = readClusterFile(folder);
  if (own === undefined) throw new DamagedDataError(`${folder} belongs to no cluster`);
  const cluster = new PostgresCluster(settings);
  const table = new PostgresTable(settings);
  try {
    const row = await persist(() => cluster.read(), PATIENCE_MS);
    if (row === undefined) throw new DamagedDataError('the database has no log of a cluster');
    const { first, last, term, missing } = await checkAgainstLog({ folder: view, own, head, row, table });
    const behind = missing === 0 ? 'the folder has all of them' : `the folder may lack ${missing} of them`;
    return `log: entries ${first} to ${last} of ${term} terms agree with the journal; ${behind}`;
  } finally {
    await Promise.all([cluster.close(), table.close()]);
  }
}

/** Rejects with `DamagedDataError`, and with `unreachable` (`ClusterError`). */
export async function checkAgainstLog(checked: CheckedFolder): Promise<LogCheck> {
  const { own, row, head } = checked;
  if (row.log !== own.log) {
    throw new DamagedDataError(`the folder belongs to log ${own.log}, and the database has log ${row.log}`);
  }
  await checkBase(checked);
  const comparison = new Comparison(checked);
  try {
    for (let after = 0; ; ) {
      const entries = await persist(() => checked.table.read(after, READ_ENTRIES), PATIENCE_MS);
      for (const entry of entries) comparison.add(entry);
      after = entries.at(-1)?.number ?? after;
      if (entries.length < READ_ENTRIES) break;
    }
    return comparison.finish(Math.max(row.fact, head.position));
  } finally {
    await comparison.close();
  }
}

/** A folder that ends before the base has nothing to be compared there. */
async function checkBase({ folder, head, row: { fact, hash } }: CheckedFolder): Promise<void> {
  if (head.position < fact) return;
  const base = { position: fact, hash: Buffer.from(hash, 'hex') };
  const journal = new JournalReader(openLogReaders(folder, segmentProof(folder))(), base);
  try {
    journal.checkHead('the base in the log goes');
  } finally {
    await journal.close();
  }
}

class Comparison {
  readonly #checked: CheckedFolder;
  readonly #journal: LogReader;
  readonly #chain = new FrameChain();
  #frames: Iterator<Buffer> | undefined;
  #first: number | undefined;
  #before: Entry | undefined;
  #missing = 0;

  constructor(checked: CheckedFolder) {
    this.#checked = checked;
    this.#journal = openLogReaders(checked.folder, segmentProof(checked.folder))();
  }

  add(entry: Entry): void {
    const { own } = this.#checked;
    this.#follows(entry);
    if (entry.number === own.entry && entry.term !== own.term) {
      throw new DamagedDataError(
        `the folder has applied entry ${own.entry} of term ${own.term}, and the log has one of term ${entry.term} there`,
      );
    }
    if (entry.kind === 'facts') this.#compare(entry);
    else if (entry.number > own.entry && entry.kind !== 'term' && entry.kind !== 'end') this.#missing += 1;
    this.#first ??= entry.number;
    this.#before = entry;
  }

  finish(lastFact: number): LogCheck {
    const { own, row } = this.#checked;
    const [first, last] = [this.#first, this.#before];
    if (first === undefined || last === undefined) throw new DamagedDataError('the log has no entries');
    if (own.entry > last.number) {
      throw new DamagedDataError(
        `the folder is ahead of the log: it has applied entry ${own.entry}, and the log ends with entry ${last.number}`,
      );
    }
    if (own.entry < first - 1) throw trimmed(own.entry, first);
    const end = this.#frames === undefined ? row.fact : this.#chain.head.position;
    const isAhead = this.#frames === undefined ? lastFact > end : this.#frames.next().done !== true;
    if (isAhead) {
      throw new DamagedDataError(
        `the folder is ahead of the log: it has facts up to ${lastFact}, and the log ends with fact ${end}`,
      );
    }
    return { first, last: last.number, term: last.term, missing: this.#missing };
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  #follows({ number, term, kind }: Entry): void {
    const before = this.#before;
    if (before === undefined) return;
    if (number !== before.number + 1) {
      throw new DamagedDataError(`the log goes from entry ${before.number} to entry ${number}`);
    }
    const expected = kind === 'term' ? before.term + 1 : before.term;
    if (term === expected) return;
    throw new DamagedDataError(`entry ${number} of the log has term ${term}, and should have ${expected}`);
  }

  #compare({ number, bytes }: Entry): void {
    const { head } = this.#checked;
    try {
      this.#chain.add(bytes);
    } catch (error) {
      throw new DamagedDataError(`entry ${number} of the log: ${(error as Error).message}`, { cause: error });
    }
    const { first } = extentOf(bytes);
    if (this.#frames === undefined) {
      if (head.position < first - 1) throw trimmed(head.position, number);
      this.#frames = this.#journal.read(first - 1);
    }
    const own = this.#frames.next();
    if (own.done === true) this.#missing += 1;
    else if (!own.value.equals(bytes)) {
      throw new DamagedDataError(
        `the folder's journal differs from the log at fact ${first}, which is entry ${number}`,
      );
    }
  }
}

function trimmed(has: number, first: number): DamagedDataError {
  return new DamagedDataError(
    `the log was trimmed and begins with entry ${first}, and the folder ends before that, at ${has}: empty it, and join anew`,
  );
}
