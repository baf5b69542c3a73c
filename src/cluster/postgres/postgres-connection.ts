/**
 * One connection to the server that leads PostgreSQL's replication, made when it is needed and made again when it broke.
 *
 * Invariant: one statement at a time, each answered, rejected, or given up after its time, and then the connection goes
 * with it, for nobody knows what the server still does. A session has the settings that Purser relies on, whatever
 * server, database or role say. Before a process asks again what a lost connection had asked, the backend of the lost
 * one is ended: it would wait for the quorum for ever, and hold a place.
 *
 * The connection leads to PostgreSQL itself. A pooler gives each statement to any of its sessions, so that neither the
 * settings nor who is ended belong to this connection: one is known by the process that it names, and refused.
 *
 * From several hosts it takes the primary (`postgres-primary.ts`). Once a timeline was seen, no server of a lower one is
 * asked any more: what it shows may never have been confirmed.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ClusterError } from '../cluster-error.ts';
import { CONNECT_MS, ended, findPrimary, type SeenTimeline } from './postgres-primary.ts';
import { hostsText, type LogUrl } from './postgres-url.ts';

/**
 * Settings of the session, which make PostgreSQL's own ones not matter. Warnings are told: one of them says that nobody
 * waited for the quorum. Settings that a commit's safety needs are in each statement as well (`IS_DURABLE`).
 */
const SESSION = `
  SET synchronous_commit = on; SET client_min_messages = warning; SET bytea_output = hex;
  SET default_transaction_read_only = off; SET default_transaction_isolation = 'read committed';
  SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout',
    'transaction_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout')`;

export interface PostgresSettings {
  readonly url: LogUrl;
  /** The role's password, which is in no message. Undefined: PostgreSQL asks for none. */
  readonly password: string | undefined;
  /** The name of the cluster's node, for whoever looks into `pg_stat_activity`. */
  readonly node: string;
}

export interface Statement {
  /** Prepared once for each connection under this name. */
  readonly name: string;
  readonly text: string;
}

export interface Answer {
  readonly rowCount: number;
  /** Each column as PostgreSQL's text. `pg` reads its binary format as text, too, which damages it. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** SQLSTATE of the warnings that came with it. */
  readonly warnings: readonly string[];
}

/** The class of SQLSTATE in which the server ends sessions: a commit may have happened. */
const ENDED_BY_SERVER = /^57P/;

interface Open {
  readonly client: pg.Client;
  readonly timeline: number;
  /** Why it has ended. */
  end?: Error;
  /**
   * The reject of the statement that is under way. One promise for all would keep the answers of all for as long as it
   * is there.
   */
  onEnd: (error: Error) => void;
}

const RAW = { getTypeParser: () => (value: string) => value };

export class PostgresConnection {
  readonly #settings: PostgresSettings;
  readonly #seen: SeenTimeline;
  /** The name of all connections that this one has had and has. */
  readonly #applicationName: string;
  #client: Open | undefined;
  #warnings: string[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #mustBeNew = false;
  /** The server of the last connection. */
  #server: string | undefined;
  /** A connection was lost amid a statement. */
  #hasLost = false;

  constructor(settings: PostgresSettings, seen: SeenTimeline = { highest: 0 }) {
    this.#settings = settings;
    this.#seen = seen;
    this.#applicationName = `purser ${settings.node} ${randomBytes(6).toString('hex')}`.slice(0, 63);
  }

  /**
   * Rejects with PostgreSQL's own error when it refused the statement, which has changed nothing then; with a
   * `ClusterError` that is `unreachable` when the statement was not sent, and `unknown` when it was, and no answer came
   * within `timeoutMs`.
   */
  run(statement: Statement, values: readonly unknown[], timeoutMs: number): Promise<Answer> {
    const run = () => this.#run(statement, values, timeoutMs);
    const answer = this.#last.then(run, run);
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** The server that answered last, for people; undefined before the first answer. */
  get server(): string | undefined {
    return this.#server;
  }

  /** The next statement has a new connection. */
  refresh(): void {
    this.#mustBeNew = true;
  }

  /** Closes the connection. A statement under way is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = this.#client;
    this.#client = undefined;
    if (open !== undefined) await ended(open.client);
  }

  async #run({ name, text }: Statement, values: readonly unknown[], timeoutMs: number): Promise<Answer> {
    const known = this.#client;
    if (known !== undefined && (this.#mustBeNew || known.timeline < this.#seen.highest))
      this.#drop(known.client);
    this.#mustBeNew = false;
    const open = this.#client ?? (await this.#connect());
    const { client } = open;
    this.#warnings = [];
    const query = { name, text, values: [...values], rowMode: 'array' as const, types: RAW };
    let timer: NodeJS.Timeout | undefined;
    const lost = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
      open.onEnd = reject;
      if (open.end !== undefined) reject(open.end);
    });
    try {
      const answer = client.query<(string | null)[], unknown[]>(query);
      const { rowCount, rows } = await Promise.race([answer, lost]);
      return { rowCount: rowCount ?? 0, rows, warnings: this.#warnings };
    } catch (error) {
      const { code, message } = error as pg.DatabaseError;
      const isRefusal =
        error instanceof pg.DatabaseError && code !== undefined && !ENDED_BY_SERVER.test(code);
      if (isRefusal) throw error;
      this.#hasLost = true;
      this.#drop(client);
      throw new ClusterError(`PostgreSQL did not answer: ${message}`, 'unknown', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #connect(): Promise<Open> {
    if (this.#isClosed) throw new ClusterError('the connection to the log was closed', 'unreachable');
    const found = await findPrimary({
      ...this.#settings,
      applicationName: this.#applicationName,
      seen: this.#seen,
    });
    if ('client' in found) this.#seen.highest = Math.max(this.#seen.highest, found.timeline);
    if (!('client' in found)) {
      throw new ClusterError(
        `the log is not reachable at ${hostsText(this.#settings.url)}: ${found.why}`,
        'unreachable',
      );
    }
    const { client, timeline, address } = found;
    this.#server = `${address}, timeline ${timeline}`;
    // Else a server that stands still from here on would hold up all that is asked after this.
    const late = setTimeout(() => this.#drop(client), CONNECT_MS);
    try {
      await client.query(SESSION);
      if (this.#hasLost) await client.query(END_LOST, [this.#applicationName]);
      this.#hasLost = false;
    } catch (error) {
      this.#drop(client);
      throw new ClusterError(`the log can't be used: ${(error as Error).message}`, 'unreachable', {
        cause: error,
      });
    } finally {
      clearTimeout(late);
    }
    client.on('notice', ({ code }) => this.#warnings.push(code ?? ''));
    const open: Open = { client, timeline, onEnd: () => {} };
    // A query is not always told of it.
    client.once('end', () => {
      if (this.#client?.client === client) this.#client = undefined;
      open.end = new Error('the connection broke');
      open.onEnd(open.end);
    });
    if (this.#isClosed) this.#drop(client);
    else this.#client = open;
    return open;
  }

  #drop(client: pg.Client): void {
    if (this.#client?.client === client) this.#client = undefined;
    void ended(client);
  }
}

const END_LOST = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid()`;
