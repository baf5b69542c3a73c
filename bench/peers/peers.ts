/** All peers, as they run behind one HTTP server, and as systems under load. Loads no driver. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../test/support/repository-root.ts';
import type { System, SystemName } from '../systems/system.ts';
import { mariadb } from './mariadb/mariadb.ts';
import type { Peer } from './peer.ts';
import { postgresFunction, postgresStatements } from './postgres/postgres.ts';
import { redisAlways, redisEverysec } from './redis/redis.ts';
import { sqlite } from './sqlite/sqlite.ts';
import { startPeer } from './start-peer.ts';

const peers: readonly Peer[] = [
  postgresStatements,
  postgresFunction,
  redisAlways,
  redisEverysec,
  sqlite,
  mariadb,
];

const httpConfiguration = {
  HTTP: `${packageName('fastify')} on node:http, schemas for requests and answers, no request log`,
  'V8 flags of the HTTP processes': 'none (--max-semi-space-size=64 was tried: no difference beyond noise)',
} as const;

export const peerSystems: readonly System[] = peers.map((peer) => ({
  name: peer.name,
  durable: peer.durable,
  configuration: { ...httpConfiguration, client: packageName(peer.client), ...peer.configuration },
  ...(peer.maxProcesses === undefined ? {} : { maxProcesses: peer.maxProcesses }),
  ...(peer.afterPowerCut === undefined ? {} : { afterPowerCut: peer.afterPowerCut }),
  missing: async () =>
    process.platform === 'linux'
      ? peer.missing()
      : 'peers run on Linux only: their processes are found in /proc',
  version: () => peer.version(),
  start: (options) =>
    startPeer(peer.name, {
      ...options,
      processes: Math.min(options.processes, peer.maxProcesses ?? options.processes),
    }),
}));

/** @throws Error when there is none. */
export function peerNamed(name: SystemName): Peer {
  const peer = peers.find((one) => one.name === name);
  if (peer === undefined) throw new Error(`there is no peer ${name}`);
  return peer;
}

/** With the version that is installed, e.g. `pg 8.16.3`. */
function packageName(name: string): string {
  const file = join(repositoryRoot(), 'node_modules', name, 'package.json');
  try {
    return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
  } catch {
    return `${name} (not installed)`;
  }
}
