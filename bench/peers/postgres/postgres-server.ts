/**
 * PostgreSQL's server in a folder of its own, reached over a Unix socket there.
 *
 * Its files are in `data`. They are made in `new` first, so that an initdb that was killed leaves nothing that looks
 * like a database. After a kill -9 the server itself goes through its log and replaces its stale lock files.
 *
 * Measured at 64 connections on two cores, three short windows each, and no better than what is here, as far as the
 * noise of that machine (a fifth and more) lets one see: 16 or 64 connections instead of 32; `commit_delay` of 200 and
 * 500 µs with `commit_siblings` 5.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import {
  canRunAs,
  type DatabaseServer,
  findProgram,
  giveTo,
  runToEnd,
  socketPath,
  startDatabase,
  type User,
  userNamed,
} from '../../../test/support/servers/database-process.ts';
import { isRunning } from '../../measure/process-tree.ts';
import { type Settings, valuesOf } from '../settings.ts';
import { postgresSchema } from './postgres-schema.ts';

const installed = '/usr/lib/postgresql';
/** The port of this server alone: its socket's name has it, nothing listens there. */
const port = 5432;
export const postgresUser = 'shop';
/** The connections of all HTTP processes together. */
export const postgresConnections = 32;

/** Settings of the server; all others have PostgreSQL's default. */
export const postgresSettings: Settings = {
  fsync: 'on',
  synchronous_commit: ['on', 'a commit is answered when it is on disk'],
  full_page_writes: 'on',
  shared_buffers: ['512MB', 'more than all tables of a run'],
  wal_buffers: '64MB',
  max_wal_size: ['4GB', 'no checkpoint by size during a window'],
  min_wal_size: ['1GB', 'files of the log are used again'],
  checkpoint_timeout: '15min',
  autovacuum_naptime: ['15s', 'sold items leave dead rows where the next item is looked for'],
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '1000',
  random_page_cost: ['1.1', 'all is in memory: an index is right for small tables, too'],
  jit: 'off',
  max_connections: '100',
  dynamic_shared_memory_type: ['mmap', 'in the folder: nothing stays in /dev/shm after kill -9'],
};

export async function postgresMissing(): Promise<string | undefined> {
  const found = (await findProgram('postgres', installed)) && (await findProgram('initdb', installed));
  if (!found) return 'PostgreSQL is not installed: apt-get install postgresql';
  const user = serverUser();
  return user === undefined || (await canRunAs(user))
    ? undefined
    : 'PostgreSQL refuses to run as root, and setpriv (package util-linux) cannot start it as another user here: run this as another user than root';
}

export async function postgresVersion(): Promise<string> {
  const said = await runToEnd({ program: await programOf('postgres'), args: ['--version'] });
  return `PostgreSQL ${/\d[\d.]*/.exec(said)?.[0] ?? 'of an unknown version'}`;
}

/** Starts the server. The address is the folder of its socket. */
export async function startPostgres(folder: string): Promise<DatabaseServer> {
  const user = serverUser();
  const socket = socketPath(folder, `.s.PGSQL.${port}`);
  await giveTo(user, folder);
  const data = join(folder, 'data');
  await removeStale(join(data, 'postmaster.pid'));
  await removeStale(`${socket}.lock`);
  if (!existsSync(data)) {
    const unfinished = join(folder, 'new');
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    await giveTo(user, unfinished);
    const args = ['-D', unfinished, '-U', postgresUser, '--auth=trust', '--encoding=UTF8', '--no-locale'];
    await runToEnd({ program: await programOf('initdb'), args, user });
    await rename(unfinished, data);
  }
  const fixed = { listen_addresses: '', unix_socket_directories: folder, log_min_messages: 'fatal' };
  const server = await startDatabase(folder, {
    name: 'PostgreSQL',
    program: await programOf('postgres'),
    args: [
      ...['-D', data, '-p', String(port)],
      ...[...valuesOf(postgresSettings), ...Object.entries(fixed)].flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]),
    ],
    user,
    // Ends open connections and writes a checkpoint.
    stopSignal: 'SIGINT',
    probe: () => withClient(folder, async () => undefined),
  });
  await withClient(folder, (client) => client.query(postgresSchema));
  return server;
}

/** The user of the server, which refuses to run as root. Undefined: as whoever runs this. */
function serverUser(): User | undefined {
  return process.getuid?.() === 0 ? userNamed('postgres', 'nobody') : undefined;
}

/**
 * PostgreSQL replaces the lock file of a server that is gone, but takes one for running that has been killed and that
 * its parent, which was killed as well, never asked about.
 */
async function removeStale(lockFile: string): Promise<void> {
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (pid > 0 && !isRunning(pid)) await rm(lockFile);
}

/** How a client reaches it. */
export function postgresConnection(address: string) {
  return { host: address, port, user: postgresUser, database: 'postgres' } as const;
}

async function withClient(address: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const { Client: PgClient } = await import('pg');
  const client = new PgClient(postgresConnection(address));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}

async function programOf(name: string): Promise<string> {
  return (await findProgram(name, installed)) ?? name;
}
