/**
 * A peer's processes: the primary starts the HTTP processes, which share one port, and the database's server. While
 * that starts, the HTTP processes load what they need; so a start after a crash takes as long as the slower of both.
 * Its argument is JSON, `PeerArguments`; over IPC it says when it is ready.
 *
 * Invariant: nothing outlives the primary, and the primary does not outlive its parent. SIGTERM ends all in order,
 * requests first and the database last.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DatabaseServer } from '../../test/support/servers/database-process.ts';
import { killTree } from '../measure/process-tree.ts';
import type { Peer } from './peer.ts';
import type { DatabaseReady, PeerArguments, PeerReady } from './peer-messages.ts';
import { peerNamed } from './peers.ts';

async function runPrimary(peer: Peer, given: PeerArguments): Promise<void> {
  process.once('disconnect', () => killTree(process.pid));
  const workers = Array.from({ length: given.processes }, () => cluster.fork());
  // A message that comes before a worker listens would be lost: each says when it does.
  const listeners = workers.map((worker) => once(worker, 'message'));
  const fail = (who: string, how: string) => {
    process.stderr.write(`${peer.name}: ${who} has ended by itself (${how})\n`);
    killTree(process.pid);
  };
  let isStopping = false;
  cluster.on(
    'exit',
    (_worker, code, signal) => isStopping || fail('an HTTP process', signal ?? `code ${code}`),
  );
  const database = await peer.startServer?.(given);
  void database?.ended.then((how) => isStopping || fail('its database', how));
  await Promise.all(listeners);
  const ports = workers.map(portOf);
  for (const worker of workers) worker.send({ address: database?.address ?? '' } satisfies DatabaseReady);
  const [port = 0] = await Promise.all(ports);
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
  const ready = once(process, 'message').then(([message]) => message as DatabaseReady);
  process.send?.('listening for messages');
  const [openShop, { shopServer }] = await Promise.all([peer.loadShop(), import('./shop-server.ts')]);
  const { address } = await ready;
  const shop = await openShop({ folder, address, processes, broken });
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
