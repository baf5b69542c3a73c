/**
 * The parts of the data folder that a node opens before the state: the lock and the keys, the texts and files, and the
 * log with the alerts. None of them acts by itself.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { CleanEndMark } from '../backup/clean-end/clean-end-mark.ts';
import { readClusterFile } from '../cluster/cluster-file.ts';
import type { Config } from '../config/config.ts';
import { FileStore } from '../persistence/files/file-store.ts';
import type { SharedFiles } from '../persistence/files/shared-files.ts';
import {
  beginFolder,
  clearBeginning,
  emptyUnfinished,
  isBegun,
  prepareFolder,
  STOCK_FILE,
} from '../persistence/folder/data-folder.ts';
import { DataFolderError } from '../persistence/folder/data-folder-error.ts';
import { openToOthers } from '../persistence/folder/folder-access.ts';
import { checkNewestFiles, hasTexts } from '../persistence/folder/folder-check.ts';
import { lockFolder } from '../persistence/folder/folder-lock.ts';
import { unmakeFolders } from '../persistence/folder/new-folder.ts';
import { KeyRing } from '../persistence/keys/key-ring.ts';
import type { CompactionLimits } from '../persistence/runs/compaction.ts';
import type { Ship } from '../persistence/shipping/row-shipping.ts';
import { openStockStore } from '../persistence/stock/stock-store.ts';
import { openAlerts } from './alerts.ts';
import type { WhileWaiting } from './backups.ts';
import { RequestLogs } from './request-logs.ts';

export interface NodeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Something failed that leaves the node unable to keep its promise: the process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** The size at which a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number;
  /** How often the journal is folded into the checkpoint; for tests, the default is the checkpoint's. */
  readonly foldIntervalMs?: number;
  /** Limits at which rows are moved to run files; for tests, the default is the compaction's. */
  readonly compaction?: Partial<CompactionLimits>;
  /** How often it is looked for what operators are alerted of; for tests, the default is the watch's. */
  readonly alertLookMs?: number;
  /** Default: nothing breaks the start off. */
  readonly whileWaiting?: WhileWaiting;
}

export type FolderParts = Awaited<ReturnType<typeof openFolderParts>>;

/** The carriers of a folder's parts to those of other nodes. */
export interface SharedFolder {
  /** The carrier of texts. */
  readonly ship?: Ship;
  readonly files?: SharedFiles;
}

/** `shared`: of a node of a cluster. Throws errors whose message is one line that says what is wrong and what to do. */
export async function openFolderParts(
  { config, log, onFatal, compaction }: NodeOptions,
  shared?: SharedFolder,
) {
  const folder = config.dataDir;
  const made = prepareFolder(folder);
  if (shared === undefined) expectAlone(folder);
  const lock = await lockFolder(folder).catch((error) => {
    unmakeFolders(made);
    throw error;
  });
  const open = openToOthers(folder);
  if (open !== undefined) log.warn(open);
  const had = readdirSync(folder);
  let ring: KeyRing;
  try {
    ring = await begun(folder, config, log);
  } catch (error) {
    clearBeginning(folder, had);
    await lock.release();
    unmakeFolders(made);
    throw error;
  }
  const { keys } = ring;
  checkNewestFiles(folder, keys);
  const requestLogs = await RequestLogs.open(config, log);
  const { onFault } = requestLogs;

  const stock = await openStockStore({
    file: join(folder, STOCK_FILE),
    keys,
    onFatal,
    onDamage: (damage) => log.error(damage),
    compaction,
    ship: shared?.ship,
  });
  const files = FileStore.open(folder, { shared: shared?.files, log });
  const alerts = await openAlerts(config, log);
  return { folder, lock, ring, keys, requestLogs, onFault, stock, files, alerts };
}

/** The folder has all that a node begins with. The lock is held. */
async function begun(folder: string, config: Config, log: Logger): Promise<KeyRing> {
  new CleanEndMark(folder).expectAt(config.backup);
  emptyUnfinished(folder, (message) => log.warn(message));
  const ring = KeyRing.load({
    folder,
    fromEnvironment: config.masterKey,
    isBegun: isBegun(folder),
    hasTexts: () => hasTexts(folder),
  });
  await beginFolder(folder);
  return ring;
}

/** Whoever has its log alone must not write to a folder that follows another one. */
function expectAlone(folder: string): void {
  const cluster = readClusterFile(folder);
  if (cluster === undefined) return;
  throw new DataFolderError(
    `the data folder ${folder} belongs to node ${cluster.node} of a cluster: start it with --log, or run purser cluster dissolve first`,
  );
}
