/**
 * PostgreSQL's server in a folder of its own, reached over a Unix socket there.
 *
 * Its files are in `data`. They are made in `new` first, so that an initdb that was killed leaves nothing that looks
 * like a database. After a kill -9 the server itself goes through its log and replaces its stale lock files.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { isRunning } from '../process-tree.ts';
import { findProgram, giveTo, runToEnd, socketPath, startDatabase, userNamed } from './database-process.ts';
import type { DatabaseServer } from './peer.ts';
import { postgresSchema } from './postgres-schema.ts';

const installed = '/usr/lib/postgresql';
/** Of this server alone: its socket's name has it, nothing listens there. */
const port = 5432;
export const postgresUser = 'shop';

/** With the reason of each. What isn't here has PostgreSQL's default. */
export const postgresSettings: Readonly<Record<string, string>> = {
  // Durability, as it is by default; said because everything depends on it.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // A twentieth of memory is more than all of these tables.
  shared_buffers: '512MB',
  wal_buffers: '64MB',
  // No checkpoint by size while it is measured, and segments of the log are used again.
  max_wal_size: '4GB',
  min_wal_size: '1GB',
  checkpoint_timeout: '15min',
  // Items are deleted where the next ones are looked for: dead rows are cleared before they are many.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '1000',
  // Prepared statements of a table that was empty when they were planned must not go on reading all of it.
  enable_seqscan: 'off',
  jit: 'off',
  max_connections: '100',
  // In the folder, not in /dev/shm, where a killed server would leave it.
  dynamic_shared_memory_type: 'mmap',
};

export async function postgresMissing(): Promise<string | undefined> {
  const found = (await findProgram('postgres', installed)) && (await findProgram('initdb', installed));
  return found ? undefined : 'PostgreSQL is not installed: apt-get install postgresql';
}

export async function postgresVersion(): Promise<string> {
  const said = await runToEnd({ program: await programOf('postgres'), args: ['--version'] });
  return `PostgreSQL ${/\d[\d.]*/.exec(said)?.[0] ?? 'of an unknown version'}`;
}

/** Its address is the folder of its socket. */
export async function startPostgres(folder: string): Promise<DatabaseServer> {
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? userNamed('postgres', 'nobody') : undefined;
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
      ...Object.entries({ ...postgresSettings, ...fixed }).flatMap(([name, value]) => [
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
  const client = new Client(postgresConnection(address));
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
