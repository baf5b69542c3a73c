/**
 * MariaDB's server in a folder of its own, reached over a Unix socket there.
 *
 * Its files are in `data`. They are made in `new` first, so that an installation that was killed leaves nothing that
 * looks like a database. After a kill -9 InnoDB goes through its log.
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { findProgram, runToEnd, socketPath, startDatabase } from './database-process.ts';
import { mariadbSchema } from './mariadb-schema.ts';
import type { DatabaseServer } from './peer.ts';

export const mariadbDatabase = 'shop';

/** What isn't here has MariaDB's default. */
export const mariadbSettings: Readonly<Record<string, string>> = {
  // Durability: the log is flushed before a commit is answered. There is no binary log to be flushed, too.
  'innodb-flush-log-at-trx-commit': '1',
  'skip-log-bin': '1',
  'innodb-doublewrite': '1',
  // A twentieth of memory is more than all of these tables.
  'innodb-buffer-pool-size': '512M',
  // No checkpoint by size while it is measured.
  'innodb-log-file-size': '2G',
  'innodb-log-buffer-size': '64M',
  // No locks on gaps between keys.
  'transaction-isolation': 'READ-COMMITTED',
  // An insert that waits for another with the same key must not keep all others from getting an id.
  'innodb-autoinc-lock-mode': '2',
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

/** Its address is the path of its socket. */
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
  const settings = Object.entries(mariadbSettings).map(([name, value]) => `--${name}=${value}`);
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
