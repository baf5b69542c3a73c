/**
 * One peer: how the server behind it starts, and the shop on top of it.
 *
 * A peer's file says nothing of HTTP or of processes. `peer-process.ts` starts its server once, in the primary, and
 * opens its shop in each HTTP process. A peer that is a library in the HTTP process (SQLite) has no server.
 */
import type { SystemName } from '../system.ts';
import type { Shop } from './shop.ts';

export interface Peer {
  readonly name: SystemName;
  /** Every acknowledged purchase survives a power cut, by this configuration. */
  readonly durable: boolean;
  /** What was set and why it matters, as names and values. */
  readonly configuration: Readonly<Record<string, string>>;
  /** HTTP processes it can have; any number when left out. 1: its shop must live in one process. */
  readonly maxProcesses?: number;
  /** Why it can't run here and what to install, in one line; undefined when it can run. */
  missing(): Promise<string | undefined>;
  /** e.g. `PostgreSQL 15.18`. Called only when nothing is missing. */
  version(): Promise<string>;
  /**
   * Starts the server as a direct child of this process, in the folder, and makes its schema if there is none.
   * Where the folder has data of an earlier start, also of one that was killed, it goes on with that. Resolves when
   * it takes connections; rejects with the end of the server's log when it does not.
   */
  startServer?(options: StartServerOptions): Promise<DatabaseServer>;
  /**
   * For a folder whose processes were killed: leaves there what a power cut would have left at that moment. Returns how
   * many bytes it took away. Left out where everything that was acknowledged is on disk.
   */
  afterPowerCut?(folder: string): Promise<number>;
  /** Called once in each HTTP process, when the server is there. */
  openShop(options: OpenShopOptions): Promise<Shop>;
}

export interface StartServerOptions {
  /** It exists; empty at the first start. */
  readonly folder: string;
  /** Without its lock or its unique key, to show that the audit sees it. */
  readonly broken: boolean;
}

export interface DatabaseServer {
  /** Handed to each `openShop`: a URL, a port or a path, as the peer likes. */
  readonly address: string;
  /** Resolves when the server has ended, whoever ended it, with how: `SIGKILL`, `code 1`. */
  readonly ended: Promise<string>;
  /** In order: what was committed is on disk when it resolves. */
  stop(): Promise<void>;
}

export interface OpenShopOptions {
  readonly folder: string;
  /** The server's; empty for a peer without one. */
  readonly address: string;
  /** How many HTTP processes open the shop, to divide connections among them. */
  readonly processes: number;
  readonly broken: boolean;
}
