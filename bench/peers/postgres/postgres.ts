/** PostgreSQL, twice: the purchase as statements in a transaction, and as one call of a function. */
import type { Peer } from '../peer.ts';
import { explained } from '../settings.ts';
import {
  postgresConnections,
  postgresMissing,
  postgresSettings,
  postgresVersion,
  startPostgres,
} from './postgres-server.ts';

const common = {
  durable: true,
  client: 'pg',
  missing: postgresMissing,
  version: postgresVersion,
  startServer: ({ folder }: { readonly folder: string }) => startPostgres(folder),
} as const;

const configuration = {
  connections: `${postgresConnections} over a Unix socket, of all HTTP processes together`,
  isolation: 'read committed, the default; items are locked by FOR UPDATE SKIP LOCKED',
  ...explained(postgresSettings),
} as const;

export const postgresStatements: Peer = {
  ...common,
  name: 'postgres-statements',
  configuration: { purchase: 'a transaction of prepared statements, four round trips', ...configuration },
  loadShop: async () => (await import('./postgres-statements.ts')).openPostgresStatements,
};

export const postgresFunction: Peer = {
  ...common,
  name: 'postgres-function',
  configuration: { purchase: 'one call of a PL/pgSQL function, one round trip', ...configuration },
  loadShop: async () => (await import('./postgres-function.ts')).openPostgresFunction,
};
