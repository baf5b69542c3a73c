/**
 * The files of products in PostgreSQL, as rows of `purser_file`: a file's bytes as they lie in a folder, with the
 * description behind them, in parts. That description tells whether all of it is there, so no row says how many there are.
 *
 * Each part is a commit that waits for the quorum, also one that is put again, because whether an earlier try was
 * confirmed isn't known. A connection of its own: the log waits for no file.
 */
import { type FileHandle, open } from 'node:fs/promises';
import pg from 'pg';
import { FileError } from '../../persistence/files/file-errors.ts';
import type { SharedFiles } from '../../persistence/files/shared-files.ts';
import { codeOf } from '../../shared/error-code.ts';
import { retry } from '../../shared/retry.ts';
import { ClusterError } from '../cluster-error.ts';
import { NOT_DURABLE } from '../shared-table.ts';
import {
  type Answer,
  PostgresConnection,
  type PostgresSettings,
  type Statement,
} from './postgres-connection.ts';
import { bytesOf, DISK_FULL, IS_DURABLE } from './sql.ts';

const PART_BYTES = 256 * 1024;
/** The time limit of one statement. */
const PUT_MS = 10_000;
const READ_MS = 10_000;
const PUT_AGAIN_MS = 500;
/** Longer than a leader stays one without PostgreSQL. */
const PUT_PATIENCE_MS = 30_000;

/** Classes of SQLSTATE that pass: the server lacks something, or somebody intervened. */
const PASSING = /^(53|57)/;

/** A statement that writes in any case: a commit that writes nothing waits for nobody. */
const PUT: Statement = {
  name: 'put-file',
  text: `INSERT INTO purser_file (file, part, bytes)
    SELECT $1::text, $2::int, $3::bytea WHERE ${IS_DURABLE}
    ON CONFLICT (file, part) DO UPDATE SET bytes = EXCLUDED.bytes`,
};
const GET: Statement = {
  name: 'get-file',
  text: 'SELECT bytes FROM purser_file WHERE file = $1 AND part = $2',
};
const NAMES: Statement = {
  name: 'file-names',
  text: 'SELECT file FROM purser_file WHERE file > $1 AND part = 0 ORDER BY file LIMIT $2',
};
const REMOVE: Statement = {
  name: 'remove-file',
  text: `DELETE FROM purser_file WHERE file = $1 AND ${IS_DURABLE}`,
};

export class PostgresFiles implements SharedFiles {
  readonly #connection: PostgresConnection;
  #isClosed = false;

  constructor(settings: PostgresSettings) {
    this.#connection = new PostgresConnection(settings);
  }

  async put(fileId: string, path: string): Promise<void> {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.allocUnsafeSlow(PART_BYTES);
      for (let part = 0; ; part += 1) {
        const bytes = await readPart(file, buffer, part * PART_BYTES);
        if (bytes.length > 0) await this.#put(fileId, part, bytes);
        if (bytes.length < PART_BYTES) return;
      }
    } finally {
      await file.close();
    }
  }

  async fetch(fileId: string, path: string, signal?: AbortSignal): Promise<void> {
    const file = await open(path, 'w', 0o600);
    try {
      for (let part = 0; ; part += 1) {
        signal?.throwIfAborted();
        const bytes = await this.#get(fileId, part);
        if (bytes === undefined) break;
        await file.writeFile(bytes);
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async names(after: string, limit: number): Promise<string[]> {
    const rows = await this.#ask(NAMES, [after, limit]);
    return rows.map(([name]) => name ?? '');
  }

  async remove(fileId: string): Promise<void> {
    await this.#ask(REMOVE, [fileId]);
  }

  mayPass(error: unknown): boolean {
    if (error instanceof pg.DatabaseError) return PASSING.test(error.code ?? '');
    return ClusterError.is(error, 'unreachable', 'unknown');
  }

  /** Closes the connection. A call under way is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection.close();
  }

  async #put(fileId: string, part: number, bytes: Buffer): Promise<void> {
    const isFull = (error: unknown) => codeOf(error) === DISK_FULL;
    const put = async () => {
      const { rowCount, warnings } = await this.#connection.run(PUT, [fileId, part, bytes], PUT_MS);
      if (rowCount === 1 && warnings.length === 0) return;
      const why = rowCount === 0 ? NOT_DURABLE : 'PostgreSQL did not wait for the quorum';
      throw new ClusterError(why, 'unreachable');
    };
    const mayHelp = (error: unknown) => !isFull(error) && !this.#isClosed;
    try {
      await retry(put, { pauseMs: PUT_AGAIN_MS, patienceMs: PUT_PATIENCE_MS, mayHelp });
    } catch (error) {
      if (!isFull(error)) throw unreachable(error);
      throw new FileError('no-room', "PostgreSQL's disk is full: the file was not stored");
    }
  }

  async #get(fileId: string, part: number): Promise<Buffer | undefined> {
    const [row] = await this.#ask(GET, [fileId, part]);
    return row === undefined ? undefined : bytesOf(row[0]);
  }

  async #ask(statement: Statement, values: readonly unknown[]): Promise<Answer['rows']> {
    const { rows } = await this.#connection.run(statement, values, READ_MS);
    return rows;
  }
}

function unreachable(error: unknown): FileError {
  const what = `the file was not stored, for PostgreSQL can't take it: ${(error as Error).message}`;
  return new FileError('closed', what);
}

/** Fewer bytes than the buffer has only at the end. The memory is the buffer's. */
async function readPart(file: FileHandle, buffer: Buffer, start: number): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
