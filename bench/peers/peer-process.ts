/**
 * A peer's processes: the primary starts the database's server as its child and then the HTTP processes, which
 * share one port. Its argument is JSON, `PeerArguments`; over IPC it says when it is ready.
 *
 * What always holds: nothing outlives the primary, and the primary does not outlive its parent. SIGTERM ends all in
 * order, requests first and the database last.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { killTree } from '../process-tree.ts';
import type { DatabaseServer, Peer } from './peer.ts';
import type { PeerArguments, PeerReady } from './peer-messages.ts';
import { peerNamed } from './peers.ts';
import { shopServer } from './shop-server.ts';

/** Of the HTTP processes' environment: the address of the database's server. */
const ADDRESS = 'PEER_DATABASE_ADDRESS';

async function runPrimary(peer: Peer, given: PeerArguments): Promise<void> {
  process.once('disconnect', () => killTree(process.pid));
  const database = await peer.startServer?.(given);
  const workers = Array.from({ length: given.processes }, () =>
    cluster.fork({ [ADDRESS]: database?.address ?? '' }),
  );
  const fail = (who: string, how: string) => {
    process.stderr.write(`${peer.name}: ${who} has ended by itself (${how})\n`);
    killTree(process.pid);
  };
  let isStopping = false;
  void database?.ended.then((how) => isStopping || fail('its database', how));
  cluster.on(
    'exit',
    (_worker, code, signal) => isStopping || fail('an HTTP process', signal ?? `code ${code}`),
  );
  const [port = 0] = await Promise.all(workers.map(portOf));
  process.once('SIGTERM', () => {
    isStopping = true;
    void stop(workers, database);
  });
  process.send?.({ port } satisfies PeerReady);
}

async function portOf(worker: Worker): Promise<number> {
  const [address] = (await once(worker, 'listening')) as [AddressInfo];
  return address.port;
}

async function stop(workers: readonly Worker[], database: DatabaseServer | undefined): Promise<void> {
  const ended = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.process.kill('SIGTERM');
  await Promise.all(ended);
  await database?.stop();
  process.exit(0);
}

async function runWorker(peer: Peer, given: PeerArguments): Promise<void> {
  const { folder, processes, broken, operatorToken } = given;
  const shop = await peer.openShop({ folder, address: process.env[ADDRESS] ?? '', processes, broken });
  const server = shopServer(shop, operatorToken);
  await server.listen({ host: '127.0.0.1', port: 0 });
  process.once('SIGTERM', async () => {
    await server.close();
    await shop.close();
    process.exit(0);
  });
}

const given = JSON.parse(process.argv[2] ?? '') as PeerArguments;
const peer = peerNamed(given.name);
await (cluster.isPrimary ? runPrimary(peer, given) : runWorker(peer, given));
