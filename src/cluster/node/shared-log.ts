/**
 * The parts that a node of a cluster has beside its folder, wired: the shared log in PostgreSQL, the nodes as they see
 * each other, and where the folder stands. Nothing of it is loaded by a node that has its log alone.
 */

import type { Config } from '../../config/config.ts';
import type { Leader } from '../../http/errors.ts';
import { folderTrouble } from '../../persistence/disk/disk-trouble.ts';
import { FORMAT_VERSION } from '../../persistence/folder/folder-format.ts';
import { PURSER_VERSION } from '../../version.ts';
import { ClusterError } from '../cluster-error.ts';
import { type ClusterFile, readClusterFile } from '../cluster-file.ts';
import { PostgresCluster } from '../postgres/postgres-cluster.ts';
import type { PostgresSettings } from '../postgres/postgres-connection.ts';
import { PostgresFiles } from '../postgres/postgres-files.ts';
import { PostgresNodes } from '../postgres/postgres-nodes.ts';
import { PostgresTable } from '../postgres/postgres-table.ts';
import { parseLogUrl, passwordIn } from '../postgres/postgres-url.ts';
import { Trims } from '../trims.ts';

export interface ClusterParts {
  readonly itself: Leader;
  /** The cluster's file as it was at the start. */
  readonly file: ClusterFile;
  readonly table: PostgresTable;
  readonly nodes: PostgresNodes;
  readonly trims: Trims;
  readonly files: PostgresFiles;
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
  const settings = { url: parseLogUrl(log), password: passwordOf(config.logPasswordFile), node };
  await expectLog(settings, file);
  const table = new PostgresTable(settings);
  const nodes = new PostgresNodes({ ...settings, version: PURSER_VERSION, reads: FORMAT_VERSION });
  try {
    const { termAt, entries } = await table.look(file.entry, 1);
    if (file.entry > 0 && termAt !== file.term)
      throw new ClusterError(notThere(file, entries.length > 0, table.server), 'lost');
  } catch (error) {
    await Promise.all([table.close(), nodes.close()]);
    throw error;
  }
  const trims = new Trims({ folder: dataDir, settings });
  return { itself: { node, url }, file, table, nodes, trims, files: new PostgresFiles(settings) };
}

/** The database has the log that the folder belongs to, and nobody may lose what it confirms. */
async function expectLog(settings: PostgresSettings, file: ClusterFile): Promise<void> {
  const cluster = new PostgresCluster(settings);
  try {
    await cluster.requireDurable();
    const there = await cluster.read();
    if (there?.log === file.log && there.dissolved === undefined) return;
    const trouble =
      there === undefined
        ? 'the database has no log'
        : there.log === file.log
          ? 'the cluster was dissolved'
          : 'the database has the log of another cluster';
    throw new ClusterError(
      `${trouble}: give the URL of this folder's log, or empty the folder and run purser cluster join`,
    );
  } finally {
    await cluster.close();
  }
}

function notThere({ entry, term }: ClusterFile, goesOn: boolean, server: string): string {
  return goesOn
    ? `the log was trimmed while this node was away, or PostgreSQL (${server}) has lost entry ${entry} of term ${term}: see "The log was lost" in docs/cluster.md before you empty the folder and run purser cluster join`
    : `PostgreSQL has lost entries of the log: ${server}, has no entry ${entry} of term ${term}, which this folder has; keep the folder, and see "The log was lost" in docs/cluster.md`;
}

function passwordOf(file: string | undefined): string | undefined {
  try {
    return passwordIn(file);
  } catch (error) {
    throw new Error(`--log-password-file ${file} cannot be read: ${folderTrouble(error)}`, { cause: error });
  }
}
