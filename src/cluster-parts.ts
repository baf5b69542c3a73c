/**
 * What a node of a cluster has beside its folder, wired: the shared log in PostgreSQL, the nodes as they see each other,
 * and where the folder stands. Nothing of it is loaded by a node that has its log alone.
 */
import { readFileSync } from 'node:fs';
import { type ClusterFile, readClusterFile } from './cluster/cluster-file.ts';
import { LostLogError } from './cluster/log-follower.ts';
import { PostgresNodes } from './cluster/postgres/postgres-nodes.ts';
import { PostgresTable } from './cluster/postgres/postgres-table.ts';
import { parseLogUrl } from './cluster/postgres/postgres-url.ts';
import type { Config } from './config/config.ts';
import type { Leader } from './http/errors.ts';
import { folderTrouble } from './persistence/disk/disk-trouble.ts';
import { FORMAT_VERSION } from './persistence/folder/folder-format.ts';
import { PURSER_VERSION } from './version.ts';

export interface ClusterParts {
  readonly itself: Leader;
  /** As it was at the start. */
  readonly file: ClusterFile;
  readonly table: PostgresTable;
  readonly nodes: PostgresNodes;
}

/** Throws errors whose message is one line that says what to do: also when the log can't be reached. */
export async function openClusterParts(config: Config): Promise<ClusterParts> {
  const { log = '', node = '', url = '', dataDir } = config;
  const file = readClusterFile(dataDir);
  if (file === undefined) {
    throw new Error(`the folder ${dataDir} belongs to no cluster: run purser cluster init or join first`);
  }
  if (file.node !== node) {
    throw new Error(`the folder ${dataDir} is that of node ${file.node}: start it with --node ${file.node}`);
  }
  const settings = { url: parseLogUrl(log), password: passwordIn(config.logPasswordFile), node };
  const table = new PostgresTable(settings);
  const nodes = new PostgresNodes({ ...settings, version: PURSER_VERSION, reads: FORMAT_VERSION });
  try {
    const { termAt } = await table.look(file.entry, 0);
    if (file.entry > 0 && termAt !== file.term) throw new LostLogError(lostAt(file));
  } catch (error) {
    await Promise.all([table.close(), nodes.close()]);
    throw error;
  }
  return { itself: { node, url }, file, table, nodes };
}

function lostAt({ entry, term }: ClusterFile): string {
  return `PostgreSQL has no entry ${entry} of term ${term}, which this folder has: it was trimmed (empty the folder and run purser cluster join), or PostgreSQL has lost it (keep the folder, and see "The log was lost" in the operator guide)`;
}

function passwordIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`--log-password-file ${file} cannot be read: ${folderTrouble(error)}`, { cause: error });
  }
}
