/**
 * TigerBeetle: named, and not run. `tigerbeetle-node` 0.17.9 on npm is the client only, a library for each platform.
 * The server is a program of its own, which npm and Debian don't have; so a peer on it could not be tested here, and
 * an untested one would not be fair to it.
 *
 * Whoever writes it: it keeps the money only. A purchase would reserve the price there (a pending transfer, whose id is
 * made of account and key), sell in a second database, and then post or void the transfer.
 */
import type { System } from '../systems/system.ts';

const reason =
  'its server, the program tigerbeetle, is neither in its npm package (tigerbeetle-node is a client) nor in Debian; ' +
  'there is no peer for it yet, because nobody could test one';

export const tigerbeetle: System = {
  name: 'tigerbeetle',
  durable: true,
  configuration: {},
  missing: async () => reason,
  version: () => Promise.reject(new Error(reason)),
  start: () => Promise.reject(new Error(reason)),
};
