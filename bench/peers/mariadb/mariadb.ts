/** MariaDB, the purchase as one call of a procedure. */

import type { Peer } from '../peer.ts';
import { explained } from '../settings.ts';
import {
  mariadbConnections,
  mariadbMissing,
  mariadbSettings,
  mariadbVersion,
  startMariadb,
} from './mariadb-server.ts';

export const mariadb: Peer = {
  name: 'mariadb',
  durable: true,
  client: 'mysql2',
  configuration: {
    purchase: 'one call of a procedure, one round trip',
    connections: `${mariadbConnections} over a Unix socket, of all HTTP processes together`,
    ...explained(mariadbSettings),
  },
  missing: mariadbMissing,
  version: mariadbVersion,
  startServer: ({ folder }) => startMariadb(folder),
  loadShop: async () => (await import('./mariadb-shop.ts')).openMariadbShop,
};
