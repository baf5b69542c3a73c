/**
 * Redis, twice: the same script and the same data, with a sync before each answer and with a sync a second.
 *
 * `appendfsync always` is a group commit, too. Redis runs all commands that have arrived, then writes and syncs the
 * append-only file once for all of them, and only then sends their answers (`beforeSleep` in its source: first
 * `flushAppendOnlyFile`, then `handleClientsWithPendingWrites`).
 *
 * `everysec` writes before it answers, but syncs once a second, in a thread of its own. So a killed process loses
 * almost nothing: the system has what was written. (Almost: while that thread syncs, Redis keeps new writes in its own
 * memory and answers all the same.) A power cut loses what came since the last sync, and `afterPowerCut` shows it.
 *
 * Not used: `io-threads`, which help where Redis itself is the bottleneck and cores are idle; here, HTTP takes them.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type DatabaseServer,
  findProgram,
  socketPath,
  startDatabase,
} from '../../../test/support/servers/database-process.ts';
import type { Peer } from '../peer.ts';
import { cutToSyncedLength, forgetSyncedLength, watchSyncedLength } from './redis-synced-length.ts';

const settings = {
  appendonly: 'yes',
  'no-appendfsync-on-rewrite': 'no',
  'aof-load-truncated': 'yes',
  'auto-aof-rewrite-percentage': '100',
  'auto-aof-rewrite-min-size': '512mb',
  save: '',
  databases: '1',
  loglevel: 'warning',
  daemonize: 'no',
  unixsocketperm: '700',
} as const;

const configuration = {
  purchase: 'one Lua script (EVALSHA), one connection for each HTTP process',
  connection: 'Unix socket',
  'append-only file': 'yes; rewritten at 512 MB and when it has doubled; no RDB snapshots (save "")',
  memory: 'no maxmemory, nothing is evicted and nothing expires',
} as const;

const common = {
  missing: async () =>
    (await findProgram('redis-server')) === undefined
      ? 'no program redis-server: install it, e.g. apt-get install redis-server'
      : undefined,
  version: async () => {
    const { stdout } = await promisify(execFile)((await findProgram('redis-server')) ?? '', ['--version']);
    return `Redis ${/\bv=(\S+)/.exec(stdout)?.[1] ?? '(unknown)'}`;
  },
  client: 'redis',
  loadShop: async () => (await import('./redis-shop.ts')).openRedisShop,
} as const;

export const redisAlways: Peer = {
  ...common,
  name: 'redis-always',
  durable: true,
  configuration: {
    ...configuration,
    appendfsync: 'always: a sync before every answer, one for all that wait',
  },
  startServer: ({ folder }) => startRedis(folder, 'always'),
};

export const redisEverysec: Peer = {
  ...common,
  name: 'redis-everysec',
  durable: false,
  configuration: {
    ...configuration,
    appendfsync: 'everysec: a sync a second, after the answers; a power cut loses up to a second of them',
  },
  startServer: async ({ folder, watchSyncs = false }) => {
    const server = await startRedis(folder, 'everysec');
    if (!watchSyncs) {
      await forgetSyncedLength(folder);
      return server;
    }
    const watch = watchSyncedLength(folder, Number(await readFile(pidFile(folder), 'utf8')));
    server.ended.then(() => watch.end());
    return server;
  },
  afterPowerCut: cutToSyncedLength,
};

async function startRedis(folder: string, appendfsync: 'always' | 'everysec'): Promise<DatabaseServer> {
  const address = socketPath(folder, 'redis.sock');
  // No port, and nothing of an installed service: all that it has is in the folder.
  const own = { dir: folder, unixsocket: address, port: '0', pidfile: pidFile(folder), appendfsync };
  const lines = Object.entries({ ...settings, ...own }).map(([name, value]) => `${name} "${value}"\n`);
  await writeFile(join(folder, 'redis.conf'), lines.join(''));
  return startDatabase(address, {
    name: 'Redis',
    program: (await findProgram('redis-server')) ?? 'redis-server',
    args: [join(folder, 'redis.conf')],
    // Writes and syncs what is left, and ends.
    stopSignal: 'SIGTERM',
    probe: async () => (await import('./redis-shop.ts')).probeRedis(address),
  });
}

function pidFile(folder: string): string {
  return join(folder, 'redis.pid');
}
