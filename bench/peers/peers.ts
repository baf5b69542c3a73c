/** All peers, as they run behind one HTTP server, and as systems under load. */
import type { System, SystemName } from '../system.ts';
import { mariadb } from './mariadb.ts';
import type { Peer } from './peer.ts';
import { postgresFunction } from './postgres-function.ts';
import { postgresStatements } from './postgres-statements.ts';
import { redisAlways, redisEverysec } from './redis.ts';
import { sqlite } from './sqlite.ts';
import { startPeer } from './start-peer.ts';
import { tigerbeetle } from './tigerbeetle.ts';

const peers: readonly Peer[] = [
  postgresStatements,
  postgresFunction,
  redisAlways,
  redisEverysec,
  sqlite,
  mariadb,
];

const started: readonly System[] = peers.map((peer) => ({
  name: peer.name,
  durable: peer.durable,
  configuration: peer.configuration,
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

export const peerSystems: readonly System[] = [...started, tigerbeetle];

/** @throws Error when there is none. */
export function peerNamed(name: SystemName): Peer {
  const peer = peers.find((one) => one.name === name);
  if (peer === undefined) throw new Error(`there is no peer ${name}`);
  return peer;
}
