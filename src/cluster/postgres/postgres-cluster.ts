/**
 * PostgreSQL's tables of a cluster beside its log: the log's id, the nodes, and the base, a copy of a folder from which
 * others begin (`purser_cluster`, `purser_node`, `purser_base`).
 *
 * Invariant: `purser_cluster` has one row, written last when a log begins, so a log without it is an interrupted
 * beginning. A base counts when that row names it, and its parts are all there. Whatever changes more than one table is
 * one statement. Every change waits for the quorum; one whose outcome isn't known can be made again.
 */
import pg from 'pg';
import { innerCodeOf } from '../../shared/error-code.ts';
import { ClusterError } from '../cluster-error.ts';
import { NOT_DURABLE } from '../shared-table.ts';
import {
  type Base,
  baseValues,
  bytea,
  type ClusterRow,
  COLUMNS,
  clusterRowOf,
  type NodeRow,
  quoted,
} from './cluster-rows.ts';
import { type Answer, PostgresConnection, type PostgresSettings } from './postgres-connection.ts';
import { SCHEMA } from './postgres-table.ts';
import { bytesOf, IS_DURABLE } from './sql.ts';

const TIMEOUT_MS = 30_000;
/** Deleting many entries, or waiting for those who use a table. */
const LONG_MS = 120_000;
const OLDEST_SERVER = 150_000;
/** SQLSTATE. */
const NO_TABLE = '42P01';
const REFUSED = 'P0001';

export class PostgresCluster {
  readonly #connection: PostgresConnection;

  constructor(settings: PostgresSettings) {
    this.#connection = new PostgresConnection(settings);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Rejects with `refused` where PostgreSQL could lose what it has confirmed; each change looks again. */
  async requireDurable(): Promise<void> {
    const names = ['server_version_num', 'fsync', 'full_page_writes', 'synchronous_standby_names'];
    const columns = names.map((name) => `current_setting('${name}')`).join(', ');
    const [version, ...settings] = (await this.#ask('settings', `SELECT ${columns}`))[0] ?? [];
    if (Number(version) < OLDEST_SERVER) {
      throw new ClusterError(
        `PostgreSQL has version ${Math.floor(Number(version) / 10_000)}: Purser needs 15 or a later one`,
      );
    }
    const [fsync, pages, standbys] = settings;
    if (fsync !== 'on') throw new ClusterError('PostgreSQL has fsync off: set fsync = on');
    if (pages !== 'on')
      throw new ClusterError('PostgreSQL has full_page_writes off: set full_page_writes = on');
    if (standbys === '') {
      throw new ClusterError(
        "PostgreSQL does not replicate synchronously: set synchronous_standby_names, for example to 'ANY 1 (a, b, c)', on all servers",
      );
    }
  }

  async createTables(): Promise<void> {
    await this.#do(`${SCHEMA};`);
  }

  /** Undefined when the database has no log, or one whose beginning was interrupted. */
  async read(): Promise<ClusterRow | undefined> {
    let rows: Answer['rows'];
    try {
      rows = await this.#ask('cluster', `SELECT ${COLUMNS} FROM purser_cluster`);
    } catch (error) {
      if (innerCodeOf(error) === NO_TABLE) return undefined;
      throw error;
    }
    const [row] = rows;
    return row && clusterRowOf(row);
  }

  /**
   * The log begins: entry 1, of term 1, with these bytes. The remains of an interrupted beginning are gone. Rejects
   * with `refused` when another log has begun meanwhile.
   */
  async begin(log: string, format: number, base: Base, begin: Buffer): Promise<void> {
    await this.#do(`
      LOCK TABLE purser_cluster IN EXCLUSIVE MODE;
      IF EXISTS (SELECT FROM purser_cluster WHERE log <> ${quoted(log)}) THEN
        RAISE EXCEPTION 'the database already has the log of a cluster: join it, or use another database';
      END IF;
      IF NOT EXISTS (SELECT FROM purser_cluster) THEN
        DELETE FROM purser_log;
        DELETE FROM purser_node;
        DELETE FROM purser_base WHERE base <> ${quoted(base.base)};
        UPDATE purser_beat SET term = 0, confirmed = 0, beat = 0, begin = ${bytea(begin)};
        INSERT INTO purser_log (entry, term, kind, confirmed, bytes) VALUES (1, 1, 0, 0, ${bytea(begin)});
        INSERT INTO purser_cluster (id, ${COLUMNS}) VALUES (1, ${quoted(log)}, ${format}, NULL, ${baseValues(base)});
      END IF;`);
  }

  /** Every node begins with this one, of this version of folders, from now on. False when a newer one counts already, or parts of it are missing. */
  async setBase(base: Base, format: number): Promise<boolean> {
    const { rowCount } = await this.#change(
      'set-base',
      `UPDATE purser_cluster SET base = $1, entry = $2, term = $3, fact = $4, hash = $5, parts = $6, sha256 = $7, format = $8
        WHERE entry < $2 AND (SELECT count(*) FROM purser_base WHERE base = $1) = $6::int AND ${IS_DURABLE}`,
      [base.base, base.entry, base.term, base.fact, base.hash, base.parts, base.sha256, format],
    );
    await this.#change(
      'clear-bases',
      `DELETE FROM purser_base WHERE base NOT IN (SELECT base FROM purser_cluster) AND ${IS_DURABLE}`,
    );
    return rowCount === 1;
  }

  /** Writes a part, also one that comes again: a commit that writes nothing waits for nobody. */
  async putPart(base: string, part: number, bytes: Buffer): Promise<void> {
    const text = `INSERT INTO purser_base (base, part, bytes) SELECT $1::text, $2::int, $3::bytea WHERE ${IS_DURABLE}
      ON CONFLICT (base, part) DO UPDATE SET bytes = EXCLUDED.bytes`;
    await this.#change('put-part', text, [base, part, bytes]);
  }

  /** Undefined when it is not there, or not any more. */
  async readPart(base: string, part: number): Promise<Buffer | undefined> {
    const text = 'SELECT bytes FROM purser_base WHERE base = $1 AND part = $2';
    const [row] = await this.#ask('read-part', text, [base, part]);
    return row === undefined ? undefined : bytesOf(row[0]);
  }

  async nodes(): Promise<NodeRow[]> {
    const text =
      'SELECT node, url, version, applied, extract(epoch FROM clock_timestamp() - seen) FROM purser_node ORDER BY node';
    return (await this.#ask('nodes', text)).map(([node, url, version, applied, seenS]) => ({
      node: String(node),
      url: String(url),
      version: String(version),
      applied: Number(applied),
      seenS: Number(seenS),
    }));
  }

  /** The node is there now. With `ifVersion`: only when its row has that version, or this one already. False when it hasn't. */
  async setNode({ node, url, version, applied }: Omit<NodeRow, 'seenS'>, reads: number, ifVersion?: string) {
    const text = `INSERT INTO purser_node (node, url, version, reads, applied, seen)
      SELECT $1::text, $2::text, $3::text, $4::int, $5::bigint, now() WHERE ${IS_DURABLE}
      ON CONFLICT (node) DO UPDATE SET url = $2, version = $3, reads = $4, applied = $5, seen = now()
      WHERE $6::text IS NULL OR purser_node.version IN ($3, $6)`;
    const { rowCount } = await this.#change('node', text, [
      node,
      url,
      version,
      reads,
      applied,
      ifVersion ?? null,
    ]);
    return rowCount === 1;
  }

  /** The first and the last entry of the log; undefined when it has none. */
  async ends(): Promise<
    { readonly first: number; readonly last: number; readonly beats: number } | undefined
  > {
    const text = 'SELECT min(entry), max(entry), (SELECT beat FROM purser_beat) FROM purser_log';
    const [first, last, beats] = (await this.#ask('ends', text))[0] ?? [];
    if (first === null || first === undefined) return undefined;
    return { first: Number(first), last: Number(last), beats: Number(beats) };
  }

  /** The first entry that is younger than so many days; undefined when there is none. */
  async firstWithin(days: number): Promise<number | undefined> {
    const text = `SELECT entry FROM purser_log WHERE at >= now() - $1 * interval '1 day' ORDER BY entry LIMIT 1`;
    const [row] = await this.#ask('first-within', text, [days]);
    return row === undefined ? undefined : Number(row[0]);
  }

  /** Removes up to `limit` of the oldest entries that lie before `entry`; says how many. */
  async removeBefore(entry: number, limit: number): Promise<number> {
    const text = `DELETE FROM purser_log
      WHERE entry < LEAST($1::bigint, (SELECT min(entry) FROM purser_log) + $2::bigint) AND ${IS_DURABLE}`;
    return (await this.#change('remove', text, [entry, limit])).rowCount;
  }

  /**
   * The log ends for good, with an entry of kind `end` behind `last`, which is of `term`: PostgreSQL itself refuses
   * whatever would come behind. Rejects with `refused` when the log has gone on.
   */
  async dissolve(last: number, term: number, end: Buffer): Promise<void> {
    await this.#do(`
      LOCK TABLE purser_log IN ACCESS EXCLUSIVE MODE;
      IF (SELECT (entry, term) FROM purser_log ORDER BY entry DESC LIMIT 1) <> (${last}::bigint, ${term}::bigint) THEN
        RAISE EXCEPTION 'the log has gone on: a node is running; stop all nodes, and dissolve in the folder of the last one';
      END IF;
      INSERT INTO purser_log (entry, term, kind, confirmed, bytes) VALUES (${last + 1}, ${term}, 4, ${last}, ${bytea(end)});
      ALTER TABLE purser_log ADD CONSTRAINT purser_log_is_dissolved CHECK (entry <= ${last + 1}) NOT VALID;
      UPDATE purser_beat SET term = ${term}, confirmed = ${last + 1}, beat = beat + 1;
      UPDATE purser_cluster SET dissolved = ${last + 1};`);
  }

  async #do(body: string): Promise<void> {
    const guard = `IF NOT (${IS_DURABLE}) THEN RAISE EXCEPTION '${NOT_DURABLE}'; END IF;`;
    await this.#change('', `DO $purser$ BEGIN ${guard} ${body} END $purser$`);
  }

  /** Waits for the quorum. Rejects with `ClusterError`. */
  async #change(name: string, text: string, values: readonly unknown[] = []): Promise<Answer> {
    try {
      const answer = await this.#connection.run({ name, text }, values, LONG_MS);
      // CREATE … IF NOT EXISTS gives notices, and nothing else gives anything.
      if (answer.warnings.includes('01000'))
        throw new ClusterError('PostgreSQL did not wait for the quorum', 'unknown');
      if (answer.rowCount === 0 && !(await this.#isDurable())) throw new ClusterError(NOT_DURABLE);
      return answer;
    } catch (error) {
      throw explained(error);
    }
  }

  async #isDurable(): Promise<boolean> {
    const [row] = await this.#ask('durable', `SELECT ${IS_DURABLE}`);
    return row?.[0] === 't';
  }

  async #ask(name: string, text: string, values: readonly unknown[] = []): Promise<Answer['rows']> {
    try {
      return (await this.#connection.run({ name, text }, values, TIMEOUT_MS)).rows;
    } catch (error) {
      // Nothing was changed.
      if (ClusterError.is(error, 'unknown'))
        throw new ClusterError(error.message, 'unreachable', { cause: error });
      throw explained(error);
    }
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.code === REFUSED) return new ClusterError(error.message, 'refused', { cause: error });
  return new ClusterError(`PostgreSQL refused: ${error.message}`, 'refused', { cause: error });
}
