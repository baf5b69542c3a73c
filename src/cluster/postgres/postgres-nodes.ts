/** The table of nodes in PostgreSQL, on a connection of its own. */

import pg from 'pg';
import type { Origin } from '../../engine/origin.ts';
import { ClusterError } from '../cluster-error.ts';
import type { AskedToEnd, NodeRow, NodeTable, SeenNode } from '../node-table.ts';
import { PostgresConnection, type PostgresSettings, type Statement } from './postgres-connection.ts';

const TIMEOUT_MS = 2_000;
const FRESH = "interval '5 seconds'";

/** The setting of this statement's transaction alone. */
const WAITS_FOR_NOBODY = `set_config('synchronous_commit', 'off', true) = 'off'`;

const RENEW: Statement = {
  name: 'renew',
  text: `INSERT INTO purser_node (node, url, version, reads, applied, seen)
    SELECT $1, $2, $3, $4::int, $5::bigint, now() WHERE ${WAITS_FOR_NOBODY}
    ON CONFLICT (node) DO UPDATE SET url = excluded.url, version = excluded.version, reads = excluded.reads,
      applied = excluded.applied, seen = excluded.seen
    RETURNING end_term, end_origin`,
};
const LIST: Statement = {
  name: 'list',
  text: `SELECT node, url, applied, seen > now() - ${FRESH} FROM purser_node ORDER BY node`,
};
const ASK: Statement = {
  name: 'ask',
  text: `UPDATE purser_node SET end_term = $2::bigint, end_origin = $3 WHERE node = $1 AND end_term < $2::bigint AND ${WAITS_FOR_NOBODY}`,
};

export interface PostgresNodesOptions extends PostgresSettings {
  /** The program's version, and the version of the folder's format up to which it reads entries. */
  readonly version: string;
  readonly reads: number;
}

export class PostgresNodes implements NodeTable {
  readonly #options: PostgresNodesOptions;
  readonly #connection: PostgresConnection;

  constructor(options: PostgresNodesOptions) {
    this.#options = options;
    this.#connection = new PostgresConnection(options);
  }

  async renew({ node, url, applied }: NodeRow): Promise<AskedToEnd> {
    const { version, reads } = this.#options;
    const [row] = await this.#run(RENEW, [node, url, version, reads, applied]);
    const [term, origin] = row ?? [];
    return { term: Number(term ?? 0), origin: JSON.parse(origin ?? '{}') as Origin };
  }

  async list(): Promise<readonly SeenNode[]> {
    const rows = await this.#run(LIST, []);
    return rows.map(([node, url, applied, isFresh]) => {
      return { node: node ?? '', url: url ?? '', applied: Number(applied), isFresh: isFresh === 't' };
    });
  }

  async askToEnd(node: string, { term, origin }: AskedToEnd): Promise<void> {
    await this.#run(ASK, [node, term, JSON.stringify(origin)]);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #run(statement: Statement, values: readonly unknown[]) {
    try {
      return (await this.#connection.run(statement, values, TIMEOUT_MS)).rows;
    } catch (error) {
      if (!(ClusterError.is(error, 'unknown') || error instanceof pg.DatabaseError)) throw error;
      throw new ClusterError(`the table of nodes can't be used: ${(error as Error).message}`, 'unreachable', {
        cause: error,
      });
    }
  }
}
