/**
 * The primary among the hosts of a log: all are asked at once, each over a connection of its own, and one is kept.
 *
 * Invariant: the one that is taken is not in recovery and has the highest timeline of those that answered, for a server
 * that was replaced may come back and take itself for the primary; its timeline is none lower than any that was seen. A
 * connection that isn't taken is ended, whenever its answer comes.
 */
import pg from 'pg';
import type { LogHost, LogUrl } from './postgres-url.ts';

export const CONNECT_MS = 1_500;
/** How long to wait for the other hosts once one has said that it is the primary. */
const OTHERS_MS = 300;
const IS_POOLER =
  'is a connection pooler, such as PgBouncer, and no session stays the same behind one: name the hosts and ports of the PostgreSQL servers themselves in --log';
/** The query for a primary's timeline. */
const TIMELINE = `SELECT pg_backend_pid() AS pid, CASE WHEN pg_is_in_recovery() THEN NULL
  ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline`;

/** The highest timeline of the primaries that were asked; connections that belong together share it. */
export interface SeenTimeline {
  highest: number;
}

export interface WantedPrimary {
  readonly url: LogUrl;
  readonly password: string | undefined;
  readonly applicationName: string;
  readonly seen: SeenTimeline;
}

interface Primary {
  readonly client: pg.Client;
  readonly timeline: number;
  /** Host and port. */
  readonly address: string;
}
type Candidate = Primary | { readonly why: string };

/** The connection to the primary, or why there is none. The others are dropped, also those that come late. */
export async function findPrimary(wanted: WantedPrimary): Promise<Candidate> {
  const candidates = wanted.url.hosts.map((host) => ask(host, wanted));
  const answered: Candidate[] = [];
  let isOver = false;
  const all = candidates.map(async (candidate) => {
    const answer = await candidate;
    if (isOver && 'client' in answer) void ended(answer.client);
    answered.push(answer);
  });
  const isPrimaryThere = Promise.any(
    candidates.map(async (candidate) => {
      if (!('client' in (await candidate))) throw new Error('not this one');
    }),
  ).then(
    () => new Promise((resolve) => setTimeout(resolve, OTHERS_MS)),
    () => {},
  );
  await Promise.race([Promise.all(all), isPrimaryThere]);
  isOver = true;
  const primaries = answered.filter((answer) => 'client' in answer);
  primaries.sort((a, b) => b.timeline - a.timeline);
  const [first, ...others] = primaries;
  for (const { client } of others) void ended(client);
  if (first !== undefined) return first;
  return { why: answered.map((answer) => ('why' in answer ? answer.why : '')).join('; ') };
}

/** Asks a host which timeline it is the primary of. Never rejects. */
async function ask({ host, port }: LogHost, wanted: WantedPrimary): Promise<Candidate> {
  const { url, password, applicationName, seen } = wanted;
  const client = new pg.Client({
    host,
    port,
    user: url.user,
    database: url.database,
    // Asked for only where the server wants one; else `pg` looks into PGPASSWORD and PGPASSFILE.
    ...(password !== undefined && { password }),
    ssl: url.tls === undefined ? false : { ...url.tls, servername: host },
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 1_000,
  });
  client.on('error', () => {});
  const late = setTimeout(() => void ended(client), 2 * CONNECT_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; timeline: string | null }>(TIMELINE);
    const text = rows[0]?.timeline ?? null;
    // What the greeting names is whom a cancelling reaches.
    if ((client as unknown as { processID: unknown }).processID !== rows[0]?.pid) {
      void ended(client);
      return { why: `${host}:${port} ${IS_POOLER}` };
    }
    const timeline = text === null ? undefined : Number.parseInt(text, 16);
    if (timeline !== undefined && timeline >= seen.highest)
      return { client, timeline, address: `${host}:${port}` };
    void ended(client);
    return {
      why: `${host}:${port} is a ${timeline === undefined ? 'standby' : 'primary that was replaced'}`,
    };
  } catch (error) {
    void ended(client);
    return { why: `${host}:${port} says: ${(error as Error).message}` };
  } finally {
    clearTimeout(late);
  }
}

/** Not waited for by anybody who is in a hurry: a peer that is gone does not say goodbye. */
export async function ended(client: pg.Client): Promise<void> {
  const stream = (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream;
  try {
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 100).unref())]);
  } catch {
    // It was not connected.
  } finally {
    stream?.destroy();
  }
}
