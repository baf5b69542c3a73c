/**
 * All of a node that lives behind its ports, opened in the order in which one part needs another: the folder's lock and
 * keys, the texts, the engine with its journal, and what follows the journal. `src/node.ts` closes it again.
 */
import { type ActingParts, openActingParts } from './acting-parts.ts';
import { readClusterFile } from './cluster/cluster-file.ts';
import { type FolderParts, type NodeOptions, openFolderParts } from './folder-parts.ts';
import { DataFolderError, prepareFolder } from './persistence/folder/data-folder.ts';
import { openStateParts, type StateParts } from './state-parts.ts';
import { WebhookParts } from './webhook-parts.ts';

export type NodeParts = FolderParts & StateParts & ActingParts;

/** Throws errors whose message is one line that says what is wrong and what to do. */
export async function openParts(options: NodeOptions): Promise<NodeParts> {
  const { config, migrationSteps: steps } = options;
  // First: what is no folder has no file to be read, and is told in its own words.
  prepareFolder(config.dataDir, steps?.[0]?.from);
  const cluster = readClusterFile(config.dataDir);
  if (cluster !== undefined) {
    throw new DataFolderError(
      `the data folder ${config.dataDir} belongs to node ${cluster.node} of a cluster: start it with --log, or run purser cluster dissolve first`,
    );
  }
  const folder = await openFolderParts(options);
  const webhooks = await WebhookParts.start({ ...options, ...folder });
  const state = openStateParts(options, folder);
  const acting = await openActingParts(folder, state, webhooks, options);
  return { ...folder, ...state, ...acting };
}
