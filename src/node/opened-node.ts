/**
 * All of a node that lives behind its ports, opened in the order in which one part needs another: the folder's lock and
 * keys, the texts, the engine with its journal, and what follows the journal. `src/node/node.ts` closes it again.
 */
import { type ActingParts, openActingParts } from './acting.ts';
import { type FolderParts, type NodeOptions, openFolderParts } from './data-folder.ts';
import { openStateParts, type StateParts } from './state.ts';
import { WebhookParts } from './webhooks.ts';

export type NodeParts = FolderParts & StateParts & ActingParts;

/** Throws errors whose message is one line that says what is wrong and what to do. */
export async function openParts(options: NodeOptions): Promise<NodeParts> {
  const folder = await openFolderParts(options);
  const webhooks = await WebhookParts.start({ ...options, ...folder });
  const state = openStateParts(options, folder);
  const acting = await openActingParts(folder, state, webhooks, options);
  return { ...folder, ...state, ...acting };
}
