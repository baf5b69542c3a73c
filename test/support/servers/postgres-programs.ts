/** PostgreSQL's programs, and a server's folder and settings before it starts. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, findProgram, giveTo, runToEnd, type User, userNamed } from './database-process.ts';

export const INSTALLED = '/usr/lib/postgresql';
export const NAMES = ['s1', 's2', 's3'];
export const USER = 'purser';

let made: Promise<string> | undefined;

/** The folder that all servers begin with. Gone when this process ends. */
export function emptyFolder(): Promise<string> {
  made ??= makeEmptyFolder();
  return made;
}

async function makeEmptyFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-postgres-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const user = serverUser();
  await giveTo(user, folder);
  const args = ['-D', folder, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  await runToEnd({ program: (await findProgram('initdb', INSTALLED)) ?? 'initdb', args, user });
  appendFileSync(join(folder, 'postgresql.conf'), settings());
  appendFileSync(join(folder, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 trust\n');
  return folder;
}

/** Small, as all three share a machine with the test. */
function settings(): string {
  const lines = {
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    synchronous_standby_names: `'ANY 1 (${NAMES.join(', ')})'`,
    wal_level: 'replica',
    hot_standby: 'on',
    max_wal_senders: '10',
    wal_keep_size: '256MB',
    shared_buffers: '32MB',
    max_connections: '100',
    dynamic_shared_memory_type: 'mmap',
    shared_memory_type: 'mmap',
    log_min_messages: 'warning',
    wal_receiver_status_interval: '1s',
    wal_retrieve_retry_interval: '100ms',
    autovacuum: 'off',
    jit: 'off',
    recovery_target_timeline: "'latest'",
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

export function primaryLine(port: number, name: string): string {
  return `primary_conninfo = 'host=127.0.0.1 port=${port} user=${USER} application_name=${name}'\n`;
}

/** The user of the servers: PostgreSQL refuses to run as root. */
export function serverUser(): User | undefined {
  return process.getuid?.() === 0 ? userNamed('postgres', 'nobody') : undefined;
}

/** Ends with this process. */
export async function command(name: string, args: readonly string[]): Promise<[string, string[]]> {
  const program = (await findProgram(name, INSTALLED)) ?? name;
  return await commandLine({ program, args, user: serverUser() });
}
