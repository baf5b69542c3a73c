/**
 * Three PostgreSQL servers that replicate with a quorum, in a folder of their own, from Debian's `postgresql` package:
 * one primary, two standbys, of which any one must have a commit before it is answered. All begin as copies of one empty
 * folder, which a process makes once.
 *
 * All three names are in its `postgresql.conf`: set later by ALTER SYSTEM, they are missing from the copies, and a standby
 * that is promoted answers before anybody else has the commit.
 *
 *     const rig = await PostgresRig.start();
 *     rig.url;                     // postgres://purser@127.0.0.1:PORT,…/postgres?sslmode=disable
 *     await rig.kill(0);           // kill -9, and it is gone when this resolves
 *     await rig.promote();         // the standby that has more becomes the primary
 *     await rig.close();
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { canRunAs, findProgram, giveTo, runToEnd } from './database-process.ts';
import { freePort } from './free-port.ts';
import {
  command,
  emptyFolder,
  INSTALLED,
  NAMES,
  primaryLine,
  serverUser,
  USER,
} from './postgres-programs.ts';

/** Every server has it from its beginning. */
const DATABASE = 'postgres';
/** A server that stands still answers nobody. */
const ANSWER_MS = 30_000;

/** Why there can't be a rig here; undefined when there can. */
export async function whyNoRig(): Promise<string | undefined> {
  for (const program of ['postgres', 'initdb', 'pg_basebackup', 'pg_ctl']) {
    if ((await findProgram(program, INSTALLED)) === undefined) {
      return 'PostgreSQL is not installed here: apt-get install postgresql';
    }
  }
  const user = serverUser();
  if (user === undefined || (await canRunAs(user))) return undefined;
  return 'PostgreSQL refuses to run as root, and no other user can be used here';
}

interface Server {
  readonly name: string;
  readonly port: number;
  readonly data: string;
  process: ChildProcess | undefined;
}

export class PostgresRig {
  readonly #folder: TemporaryFolder;
  readonly servers: readonly Server[];

  private constructor(folder: TemporaryFolder, servers: readonly Server[]) {
    this.#folder = folder;
    this.servers = servers;
  }

  static async start(): Promise<PostgresRig> {
    const folder = await createTemporaryFolder('rig');
    await giveTo(serverUser(), folder.path);
    const servers: Server[] = [];
    for (const name of NAMES)
      servers.push({ name, port: await freePort(), data: join(folder.path, name), process: undefined });
    const rig = new PostgresRig(folder, servers);
    try {
      for (const index of servers.keys()) await rig.#make(index);
      await Promise.all(servers.map((_, index) => rig.startServer(index)));
    } catch (error) {
      await rig.close();
      throw error;
    }
    return rig;
  }

  /** The URL of all servers, or of the proxies before them (`ports`). */
  urlOf(ports: readonly number[] = this.servers.map(({ port }) => port), database = DATABASE): string {
    return `postgres://${USER}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}?sslmode=disable`;
  }

  get url(): string {
    return this.urlOf();
  }

  /** As somebody beside Purser. */
  async ask(
    index: number,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.#server(index).port,
      user: USER,
      database: DATABASE,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Resolves when it takes connections. */
  async startServer(index: number): Promise<void> {
    const server = this.#server(index);
    const [program, args] = await command('postgres', ['-D', server.data]);
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000);
    });
    server.process = child;
    let last = '';
    const isReady = () =>
      this.ask(index, 'SELECT 1').then(
        () => true,
        (error: Error) => {
          last = error.message;
          if (child.exitCode !== null) throw new Error(`${server.name} ended: ${log}`);
          return false;
        },
      );
    await eventually('it takes connections', isReady).catch((cause) => {
      throw new Error(`${server.name} takes no connections: ${last}\n${log}`, { cause });
    });
  }

  /** All of its processes are gone when this resolves. */
  async kill(index: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const server = this.#server(index);
    const child = server.process;
    server.process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    // Backends notice that their postmaster is gone, and go.
    await delay(signal === 'SIGKILL' ? 200 : 0);
    rmSync(join(server.data, 'postmaster.pid'), { force: true });
  }

  /** Makes the standby that has more, of those that run, the primary; the others follow it. Resolves with its index. */
  async promote(): Promise<number> {
    const standbys: { readonly index: number; readonly has: bigint }[] = [];
    for (const [index, server] of this.servers.entries()) {
      if (server.process === undefined) continue;
      const has = await this.#hasReceived(index);
      if (has !== undefined) standbys.push({ index, has });
    }
    standbys.sort((a, b) => Number(b.has - a.has));
    const [chosen, ...others] = standbys;
    if (chosen === undefined) throw new Error('there is no standby to promote');
    const [program, args] = await command('pg_ctl', ['promote', '-D', this.#server(chosen.index).data]);
    await runToEnd({ program, args });
    for (const { index } of others) await this.follow(index, chosen.index);
    return chosen.index;
  }

  /**
   * How far the log goes that a standby has; undefined for a primary. One that was started again does not know what it has
   * received until it has read its own files again, and then waits for more.
   */
  async #hasReceived(index: number): Promise<bigint | undefined> {
    let row: Record<string, unknown> | undefined;
    await eventually('a standby has read its own files', async () => {
      [row] = await this.ask(
        index,
        `SELECT pg_is_in_recovery() AS standby,
          pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')::text AS has,
          EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'startup'
            AND wait_event IN ('RecoveryWalStream', 'RecoveryRetrieveRetryInterval')) AS waits`,
      );
      return row?.standby !== true || row.waits === true;
    });
    return row?.standby === true ? BigInt(String(row.has)) : undefined;
  }

  /** Has a running standby follow another primary. */
  async follow(index: number, primary: number): Promise<void> {
    const { name, data, process: running } = this.#server(index);
    appendFileSync(join(data, 'postgresql.conf'), primaryLine(this.#server(primary).port, name));
    if (running !== undefined) await this.ask(index, 'SELECT pg_reload_conf()');
  }

  /** The index of the primary, among the servers that run. */
  async primary(): Promise<number> {
    for (const [index, server] of this.servers.entries()) {
      if (server.process === undefined) continue;
      const [row] = await this.ask(index, 'SELECT pg_is_in_recovery() AS standby');
      if (row?.standby === false) return index;
    }
    throw new Error('there is no primary');
  }

  /** Standbys get nothing from the primary, so commits wait, until `release`. */
  async hold(primary: number): Promise<{ release(): void }> {
    const senders = await this.ask(primary, 'SELECT pid FROM pg_stat_replication');
    const pids = senders.map(({ pid }) => Number(pid));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return {
      release: () => {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
      },
    };
  }

  /** A server that stands still, or was another primary, becomes an empty standby of `primary`. */
  async rejoin(index: number, primary: number): Promise<void> {
    const { data } = this.#server(index);
    await this.kill(index);
    rmSync(data, { recursive: true, force: true });
    const args = ['-h', '127.0.0.1', '-p', String(this.#server(primary).port), '-U', USER, '-D', data];
    const program = (await findProgram('pg_basebackup', INSTALLED)) ?? 'pg_basebackup';
    await runToEnd({ program, args: [...args, '-X', 'stream', '-c', 'fast', '--no-sync'] });
    // What ALTER SYSTEM has set there would be read last.
    writeFileSync(join(data, 'postgresql.auto.conf'), '');
    await this.#configure(index, primary);
    await this.startServer(index);
  }

  /** Stops all, and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((_, index) => this.kill(index, 'SIGQUIT')));
    await this.#folder.remove();
  }

  /** As a copy that was never started. The first one is the primary. */
  async #make(index: number): Promise<void> {
    await runToEnd({ program: '/bin/cp', args: ['-a', await emptyFolder(), this.#server(index).data] });
    await this.#configure(index, index === 0 ? undefined : 0);
  }

  /** Nobody has it open. */
  async #configure(index: number, primary: number | undefined): Promise<void> {
    const { name, port, data } = this.#server(index);
    const following = primary === undefined ? '' : primaryLine(this.#server(primary).port, name);
    appendFileSync(join(data, 'postgresql.conf'), `port = ${port}\n${following}`);
    if (primary !== undefined) writeFileSync(join(data, 'standby.signal'), '');
    const user = serverUser();
    if (user !== undefined)
      await runToEnd({ program: '/bin/chown', args: ['-R', `${user.uid}:${user.gid}`, data] });
  }

  #server(index: number): Server {
    const server = this.servers[index];
    if (server === undefined) throw new Error(`there is no server ${index}`);
    return server;
  }
}
