/**
 * MariaDB's server in a folder of its own, reached over a Unix socket there.
 *
 * Its files are in `data`. They are made in `new` first, so that an installation that was killed leaves nothing that
 * looks like a database. After a kill -9 InnoDB goes through its log.
 *
 * Measured at 64 connections on two cores, three short windows each, and no better than what is here, as far as the
 * noise of that machine (a fifth and more) lets one see: 16 or 64 connections instead of 32; `innodb-io-capacity` of
 * 2,000 instead of 200; a log of 2 GB instead of 512 MB.
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from 'mysql2/promise';
import {
  type DatabaseServer,
  findProgram,
  runToEnd,
  socketPath,
  startDatabase,
} from '../../../test/support/servers/database-process.ts';
import { type Settings, valuesOf } from '../settings.ts';
import { mariadbSchema } from './mariadb-schema.ts';

export const mariadbDatabase = 'shop';
/** The connections of all HTTP processes together. */
export const mariadbConnections = 32;

/** Settings of the server; all others have MariaDB's default. */
export const mariadbSettings: Settings = {
  'innodb-flush-log-at-trx-commit': ['1', 'a commit is answered when it is on disk'],
  'skip-log-bin': ['1', 'no second log to sync'],
  'innodb-doublewrite': '1',
  'innodb-buffer-pool-size': ['512M', 'more than all tables of a run'],
  'innodb-log-file-size': ['512M', 'no checkpoint by size during a window'],
  'innodb-log-buffer-size': '64M',
  'transaction-isolation': ['READ-COMMITTED', 'no locks on gaps between keys'],
  'innodb-autoinc-lock-mode': ['2', 'an insert that waits for a copy of its key holds up no other'],
  'max-connections': '100',
};

export async function mariadbMissing(): Promise<string | undefined> {
  const found = (await findProgram('mariadbd')) && (await findProgram('mariadb-install-db'));
  return found ? undefined : 'MariaDB is not installed: apt-get install mariadb-server';
}

export async function mariadbVersion(): Promise<string> {
  const said = await runToEnd({ program: await programOf('mariadbd'), args: ['--version'] });
  return `MariaDB ${/\d+\.\d+\.\d+/.exec(said)?.[0] ?? 'of an unknown version'}`;
}

/** Starts the server. The address is the path of its socket. */
export async function startMariadb(folder: string): Promise<DatabaseServer> {
  const socket = socketPath(folder, 'mariadb.sock');
  const data = join(folder, 'data');
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  if (!existsSync(data)) {
    const unfinished = join(folder, 'new');
    await rm(unfinished, { recursive: true, force: true });
    const args = ['--no-defaults', `--datadir=${unfinished}`, '--auth-root-authentication-method=normal'];
    await runToEnd({
      program: await programOf('mariadb-install-db'),
      args: [...args, '--skip-test-db', ...asRoot],
    });
    await rename(unfinished, data);
  }
  const settings = valuesOf(mariadbSettings).map(([name, value]) => `--${name}=${value}`);
  const server = await startDatabase(socket, {
    name: 'MariaDB',
    program: await programOf('mariadbd'),
    args: [
      '--no-defaults',
      ...[`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(folder, 'mariadb.pid')}`],
      '--skip-networking',
      ...asRoot,
      ...settings,
    ],
    stopSignal: 'SIGTERM',
    probe: () => withConnection(socket, async () => undefined),
  });
  await withConnection(socket, async (connection) => {
    await connection.query(`create database if not exists ${mariadbDatabase}`);
    await connection.query(`use ${mariadbDatabase}`);
    for (const statement of mariadbSchema) await connection.query(statement);
  });
  return server;
}

/** How a client reaches it. */
export function mariadbConnection(address: string) {
  return { socketPath: address, user: 'root' } as const;
}

async function withConnection(
  address: string,
  work: (connection: Connection) => Promise<unknown>,
): Promise<void> {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection(mariadbConnection(address));
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}

async function programOf(name: string): Promise<string> {
  return (await findProgram(name)) ?? name;
}
