/**
 * The choice of the HTTP server for the buyer API.
 *
 * The choice is made by loading the binary, not by a list of versions: which Node it fits depends on the release that
 * the operator has installed, and on the system's libraries. The choice comes before anything else is opened, so that a
 * node that can't have the server that it was told to use leaves nothing behind.
 */
import { openNodeTransport } from './node.ts';
import type { Transport } from './transport.ts';
import { openUwsTransport } from './uws.ts';

export type TransportName = 'uws' | 'node';

/** Measured: docs/benchmarks-other.md, "The two transports". */
const COST = 'the same processor makes 30 to 50 % fewer purchases';

export interface ChosenTransport {
  readonly name: TransportName;
  readonly transport: Transport;
  /** A line for the operator: the other server was wanted, and why this one is in its place. */
  readonly warning?: string;
}

/**
 * `auto` takes uWebSockets.js when its binary loads, else node:http, with a warning. Rejects, saying what to do, when
 * `uws` is asked for and does not load.
 */
export async function chooseTransport(wanted: 'auto' | TransportName): Promise<ChosenTransport> {
  if (wanted === 'node') return { name: 'node', transport: openNodeTransport() };
  try {
    return { name: 'uws', transport: await openUwsTransport() };
  } catch (error) {
    if (wanted === 'uws' || !(error instanceof Error)) throw error;
    const warning = `${error.message}; the buyer API is served by node:http instead, where ${COST}`;
    return { name: 'node', transport: openNodeTransport(), warning };
  }
}
