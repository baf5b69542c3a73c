/**
 * SQLite in the HTTP process, in a thread of its own: while it writes and syncs a group, the next requests are read.
 *
 * Three places were measured in turns, at 64 connections on two cores that others used, too: in the HTTP thread itself
 * (3,400 and 4,400 purchases a second), in a thread (5,300 and 5,700), and in a process of its own to which two HTTP
 * processes talk over a Unix socket (4,600 and 5,100). With many more cores the last would win.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { OpenShopOptions, Peer } from '../peer.ts';
import { explained } from '../settings.ts';
import type { Shop } from '../shop.ts';
import { RemoteShop, type ShopResult } from '../shop-calls.ts';
import { pragmas } from './sqlite-pragmas.ts';
import type { SqliteThreadData } from './sqlite-thread.ts';

export const sqlite: Peer = {
  name: 'sqlite',
  durable: true,
  maxProcesses: 1,
  client: '@photostructure/sqlite',
  configuration: {
    place: 'a thread of the HTTP process, one connection',
    commit: 'one transaction and one sync for all purchases that have arrived',
    ...explained(pragmas),
  },
  missing: async () => {
    try {
      await import('@photostructure/sqlite');
      return undefined;
    } catch (error) {
      const [reason] = String((error as Error).message).split('\n');
      return `the package @photostructure/sqlite can't be loaded (${reason}): run npm ci`;
    }
  },
  version: async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    database.close();
    return `SQLite ${row.version}`;
  },
  loadShop: async () => openInThread,
};

async function openInThread({ folder, broken }: OpenShopOptions): Promise<Shop> {
  const program = new URL(`./sqlite-thread${import.meta.filename.slice(-3)}`, import.meta.url);
  // An error in the thread that nobody has caught ends the process: nobody is left waiting.
  const thread = new Worker(program, { workerData: { folder, broken } satisfies SqliteThreadData });
  await once(thread, 'message');
  const shop = new RemoteShop((calls) => thread.postMessage(calls));
  thread.on('message', (results: readonly ShopResult[]) => shop.takeResults(results));
  return shop;
}
