/**
 * The shared log in PostgreSQL, one row an entry (docs/decisions/0034). Each statement has its guards in itself.
 *
 * Two connections: one writes, which may wait for the quorum, the other reads.
 */
import pg from 'pg';
import { ClusterError } from '../cluster-error.ts';
import {
  type Entry,
  type Inserted,
  KINDS,
  NOT_DURABLE,
  type Seen,
  type SharedTable,
} from '../shared-table.ts';
import {
  type Answer,
  PostgresConnection,
  type PostgresSettings,
  type Statement,
} from './postgres-connection.ts';
import type { SeenTimeline } from './postgres-primary.ts';
import { bytesOf, DISK_FULL, IS_DURABLE } from './sql.ts';

/** An insert waits for the quorum: then it is known no longer, and asked again. */
const WRITE_MS = 10_000;
const READ_MS = 2_000;
/** A commit that took longer may have waited for servers that were away. */
const SLOW_MS = 50;

/** SQLSTATE. */
const PLACE_TAKEN = '23505';

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS purser_log (
    entry bigint PRIMARY KEY, term bigint NOT NULL, kind smallint NOT NULL, confirmed bigint NOT NULL,
    bytes bytea NOT NULL, at timestamptz NOT NULL DEFAULT now());
  ALTER TABLE purser_log ALTER bytes SET STORAGE EXTERNAL;
  CREATE TABLE IF NOT EXISTS purser_beat (
    id int PRIMARY KEY, term bigint NOT NULL, confirmed bigint NOT NULL, beat bigint NOT NULL, begin bytea);
  INSERT INTO purser_beat VALUES (1, 0, 0, 0, NULL) ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS purser_node (
    node text PRIMARY KEY, url text NOT NULL, version text NOT NULL, reads int NOT NULL, applied bigint NOT NULL,
    seen timestamptz NOT NULL, end_term bigint NOT NULL DEFAULT 0, end_origin text);
  CREATE TABLE IF NOT EXISTS purser_file (
    file text, part int, bytes bytea NOT NULL, PRIMARY KEY (file, part));
  ALTER TABLE purser_file ALTER bytes SET STORAGE EXTERNAL;
  CREATE TABLE IF NOT EXISTS purser_cluster (
    id int PRIMARY KEY, log text NOT NULL, format int NOT NULL, dissolved bigint,
    base text NOT NULL, entry bigint NOT NULL, term bigint NOT NULL, fact bigint NOT NULL, hash text NOT NULL,
    parts int NOT NULL, sha256 text NOT NULL);
  CREATE TABLE IF NOT EXISTS purser_base (
    base text, part int, bytes bytea NOT NULL, PRIMARY KEY (base, part));
  ALTER TABLE purser_base ALTER bytes SET STORAGE EXTERNAL`;

/** A follower that missed a change of the primary must not take a beat of the one for a beat of the other. */
const NEXT_BEAT = 'beat + 1 + floor(random() * 1000000)::bigint';

const READ: Statement = {
  name: 'read',
  text: `SELECT entry, term, kind, confirmed, bytes FROM purser_log WHERE entry > $1 ORDER BY entry LIMIT $2`,
};
const BEAT: Statement = {
  name: 'beat',
  text: `UPDATE purser_beat SET term = $1, confirmed = $2, beat = ${NEXT_BEAT}
    WHERE id = 1 AND term <= $1::bigint AND ${IS_DURABLE}
      AND (SELECT (entry, term) FROM purser_log ORDER BY entry DESC LIMIT 1) = ($3::bigint, $1::bigint)`,
};
const IS_BEHIND = `($1::bigint = 1 OR EXISTS (SELECT FROM purser_log WHERE entry = $1::bigint - 1 AND term = $3::bigint))`;

/** The row of the beats is locked from here to the end of the wait for the quorum, as it is by each beat. */
const BEGIN: Statement = {
  name: 'begin',
  text: `WITH silent AS (
      UPDATE purser_beat SET term = $2::bigint, begin = $6::bytea, beat = ${NEXT_BEAT}
      WHERE id = 1 AND beat = $7::bigint AND ${IS_BEHIND} AND ${IS_DURABLE} RETURNING id)
    INSERT INTO purser_log (entry, term, kind, confirmed, bytes)
      SELECT $1::bigint, $2::bigint, $5::smallint, $4::bigint, $6::bytea FROM silent`,
};
/** One row for each entry, or one without. */
const SEE: Statement = {
  name: 'see',
  text: `SELECT beats.term, beats.confirmed, beats.beat, beats.begin, (SELECT term FROM purser_log WHERE entry = $1),
      log.entry, log.term, log.kind, log.confirmed, log.bytes
    FROM purser_beat beats LEFT JOIN
      (SELECT * FROM purser_log WHERE entry > $1 ORDER BY entry LIMIT $2) log ON true
    WHERE beats.id = 1 ORDER BY log.entry`,
};
/** The columns of `SEE` before those of the entry. */
const SIGNS = 5;
const NEWEST_FACTS: Statement = {
  name: 'newest-facts',
  text: `SELECT bytes FROM purser_log WHERE kind = ${KINDS.indexOf('facts')} ORDER BY entry DESC LIMIT 1`,
};
const LOOK: Statement = { name: 'look', text: `SELECT ${IS_DURABLE}` };

export class PostgresTable implements SharedTable {
  readonly #writer: PostgresConnection;
  readonly #reader: PostgresConnection;

  constructor(settings: PostgresSettings) {
    const seen: SeenTimeline = { highest: 0 };
    this.#writer = new PostgresConnection(settings, seen);
    this.#reader = new PostgresConnection(settings, seen);
  }

  /** Where the log was read last: host, port and timeline, for people. */
  get server(): string {
    return this.#reader.server ?? 'no server';
  }

  async insert(entries: readonly Entry[], previousTerm: number, beats?: number): Promise<Inserted> {
    const [first] = entries;
    if (first === undefined) throw new RangeError('an insert of no entries');
    const { number, term, confirmed } = first;
    const rows = entries.flatMap(({ kind, bytes }) => [KINDS.indexOf(kind), bytes]);
    const values = [number, term, previousTerm, confirmed, ...rows];
    try {
      const statement = beats === undefined ? insertOf(entries.length) : BEGIN;
      if (beats !== undefined) values.push(beats);
      const { rowCount } = await this.#commit(statement, values);
      if (rowCount === 0) return await this.#whyNone();
      return 'confirmed';
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (error.code === PLACE_TAKEN) return 'taken';
      if (error.code === DISK_FULL) return 'full';
      throw new ClusterError(`PostgreSQL refused an entry of the log: ${error.message}`, 'unknown', {
        cause: error,
      });
    }
  }

  async read(after: number, limit: number): Promise<Entry[]> {
    const rows = await this.#look(READ, [after, limit]);
    return rows.map(entryOf);
  }

  async beat(term: number, newest: number, confirmed: number): Promise<boolean> {
    try {
      const { rowCount } = await this.#commit(BEAT, [term, confirmed, newest]);
      return rowCount === 1;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      throw new ClusterError(`PostgreSQL refused a beat: ${error.message}`, 'unknown', { cause: error });
    }
  }

  async look(after: number, limit: number): Promise<Seen> {
    const rows = await this.#look(SEE, [after, limit]);
    const [first] = rows;
    if (first === undefined)
      throw new ClusterError('the table purser_beat is empty: run purser cluster init', 'unreachable');
    const [term, confirmed, beats, begin, termAt, entry] = first;
    return {
      entries: entry === null ? [] : rows.map((row) => entryOf(row.slice(SIGNS))),
      term: integer(term),
      confirmed: integer(confirmed),
      beats: integer(beats),
      termAt: termAt === null ? undefined : integer(termAt),
      begin: begin === null ? undefined : bytesOf(begin),
    };
  }

  async newestFacts(): Promise<Buffer | undefined> {
    const [row] = await this.#look(NEWEST_FACTS, []);
    return row === undefined ? undefined : bytesOf(row[0]);
  }

  refresh(): void {
    this.#writer.refresh();
    this.#reader.refresh();
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  /**
   * PostgreSQL warns when a wait for the quorum was cancelled, and says nothing when it ended because somebody emptied the
   * list of names: a commit that took long is believed only when they are there still.
   */
  async #commit(statement: Statement, values: readonly unknown[]): Promise<Answer> {
    const sentAtMs = performance.now();
    const answer = await this.#writer.run(statement, values, WRITE_MS);
    if (answer.rowCount === 0) return answer;
    expectNoWarning(answer.warnings);
    if (performance.now() - sentAtMs < SLOW_MS || (await this.#isDurable())) return answer;
    throw new ClusterError(`while a commit waited for the quorum: ${NOT_DURABLE}`, 'unknown');
  }

  async #whyNone(): Promise<Inserted> {
    return (await this.#isDurable()) ? 'fenced' : 'asynchronous';
  }

  async #isDurable(): Promise<boolean> {
    const { rows } = await this.#writer.run(LOOK, [], READ_MS);
    return rows[0]?.[0] === 't';
  }

  async #look(statement: Statement, values: readonly unknown[]): Promise<Answer['rows']> {
    try {
      const { rows } = await this.#reader.run(statement, values, READ_MS);
      return rows;
    } catch (error) {
      if (ClusterError.is(error, 'unreachable')) throw error;
      throw new ClusterError(`the log can't be read: ${(error as Error).message}`, 'unreachable', {
        cause: error,
      });
    }
  }
}

/**
 * `$1` is the first entry's number, `$2` the term, `$3` that of the entry before, `$4` what is confirmed; then kind and
 * bytes of each entry.
 */
function insertOf(count: number): Statement {
  const rows = Array.from({ length: count }, (_, place) => {
    return `(${place}, $${5 + 2 * place}::smallint, $${6 + 2 * place}::bytea)`;
  });
  return {
    name: `insert-${count}`,
    text: `INSERT INTO purser_log (entry, term, kind, confirmed, bytes)
      SELECT $1::bigint + place, $2::bigint, kind, $4::bigint, bytes FROM (VALUES ${rows.join(', ')}) AS added (place, kind, bytes)
      WHERE ${IS_BEHIND} AND ${IS_DURABLE} ORDER BY place`,
  };
}

function entryOf([number, term, kind, confirmed, bytes]: readonly (string | null)[]): Entry {
  return {
    number: integer(number),
    term: integer(term),
    kind: kindOf(integer(kind)),
    confirmed: integer(confirmed),
    bytes: bytesOf(bytes),
  };
}

/** PostgreSQL warns when nobody waited for the quorum. Any other warning is taken for that, too. */
function expectNoWarning(warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  throw new ClusterError(
    `PostgreSQL did not wait for the quorum (warning ${warnings.join(', ')})`,
    'unknown',
  );
}

function integer(text: string | null | undefined): number {
  const number = Number(text ?? Number.NaN);
  if (Number.isSafeInteger(number)) return number;
  throw new ClusterError('the log has a column that is no number: is it of another version?', 'unreachable');
}

function kindOf(number: number): Entry['kind'] {
  const kind = KINDS[number];
  if (kind === undefined) {
    throw new ClusterError(
      `the log has an entry of kind ${number}, which this version doesn't know: upgrade this node`,
      'ended',
    );
  }
  return kind;
}
