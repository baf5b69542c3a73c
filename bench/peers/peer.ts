/**
 * One peer: how the server behind it starts, and the shop on top of it.
 *
 * A peer's file says nothing of HTTP or of processes. `peer-process.ts` starts its server once, in the primary, and
 * opens its shop in each HTTP process. A peer that is a library in the HTTP process (SQLite) has no server.
 *
 * Every process reads this list of all peers, so a peer's own file imports no driver: drivers are loaded on demand.
 */
import type { DatabaseServer } from '../../test/support/servers/database-process.ts';
import type { StartSystemOptions, System } from '../systems/system.ts';
import type { Shop } from './shop.ts';

/** `maxProcesses` 1: its shop must live in one process. */
export interface Peer
  extends Pick<
    System,
    'name' | 'durable' | 'configuration' | 'maxProcesses' | 'missing' | 'version' | 'afterPowerCut'
  > {
  /** The npm package that talks to the server, or that is the database. */
  readonly client: string;
  /**
   * Starts the server as a direct child of this process, in the folder, and makes its schema if there is none.
   * Where the folder has data of an earlier start, also of one that was killed, it goes on with that. Resolves when
   * it takes connections; rejects with the end of the server's log when it does not.
   */
  startServer?(options: StartServerOptions): Promise<DatabaseServer>;
  /**
   * Loads the driver, in each HTTP process, while the server starts. The returned function is called when the server is
   * ready.
   */
  loadShop(): Promise<OpenShop>;
}

/** Called once in each HTTP process. */
export type OpenShop = (options: OpenShopOptions) => Promise<Shop>;

export type StartServerOptions = Pick<StartSystemOptions, 'folder' | 'broken' | 'watchSyncs'>;

export interface OpenShopOptions {
  readonly folder: string;
  /** The server's; empty for a peer without one. */
  readonly address: string;
  /** How many HTTP processes open the shop, to divide connections among them. */
  readonly processes: number;
  readonly broken: boolean;
}
