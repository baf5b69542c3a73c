/**
 * Messages of a peer's processes: to the primary one at its start, from it when it is ready, and from it to its HTTP
 * processes.
 */
import type { StartSystemOptions, SystemName } from '../systems/system.ts';

/** As JSON, the one argument of the program: its HTTP processes get it, too. */
export interface PeerArguments extends StartSystemOptions {
  readonly name: SystemName;
  readonly operatorToken: string;
}

/** To an HTTP process: it can open its shop. */
export interface DatabaseReady {
  /** The server's; empty for a peer without one. */
  readonly address: string;
}

export interface PeerReady {
  /** On 127.0.0.1, of all its HTTP processes together. */
  readonly port: number;
}
