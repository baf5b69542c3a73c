/**
 * `purser cluster init`: a stopped folder becomes the first of a cluster, and the log begins with it.
 *
 * The order makes it repeatable: the folder's `cluster` file first, so that it can't go on alone; then its files and rows
 * are copied; the log's row last, in one statement with the first entry. Whoever was interrupted before that begins anew,
 * with the same log's id.
 */
import { randomBytes } from 'node:crypto';
import { FilesFolder } from '../persistence/files/files-folder.ts';
import type { SharedFiles } from '../persistence/files/shared-files.ts';
import { checkFormat } from '../persistence/folder/data-folder.ts';
import { FORMAT_VERSION } from '../persistence/folder/folder-format.ts';
import { lockFolder } from '../persistence/folder/folder-lock.ts';
import { FolderSnapshot } from '../persistence/folder/folder-snapshot.ts';
import { inView } from '../persistence/folder/folder-view.ts';
import { verifyFiles } from '../persistence/verify.ts';
import { WriteGate } from '../threads/write-gate.ts';
import { persist, writeBase } from './base/base-writer.ts';
import { ClusterError } from './cluster-error.ts';
import { type ClusterFile, readClusterFile, writeClusterFile } from './cluster-file.ts';
import { beginningOf } from './log-follower.ts';
import type { PostgresCluster } from './postgres/postgres-cluster.ts';

export interface InitOptions {
  readonly folder: string;
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the folder. */
  readonly masterKey: string | undefined;
  readonly cluster: PostgresCluster;
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
  readonly version: string;
  /** Where all nodes will find the products' files. */
  readonly files: Pick<SharedFiles, 'put'>;
  /** Takes back what a backup has of the folder as a clean end. The folder is locked, and sound. Default: it has none. */
  readonly takeBack?: (() => Promise<void>) | undefined;
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

export interface Initialized {
  readonly log: string;
  /** The last fact that the log begins with. */
  readonly fact: number;
}

/**
 * Rejects with `ClusterError`; with `DataFolderError`, `DamagedDataError` and the like for a folder that can't be used;
 * and as `takeBack` does.
 */
export async function initCluster(options: InitOptions): Promise<Initialized> {
  const { folder, masterKey, cluster, node } = options;
  checkFormat(folder);
  const lock = await lockFolder(folder);
  try {
    const own = readClusterFile(folder);
    await cluster.requireDurable();
    const there = await cluster.read();
    if (there !== undefined && there.log === own?.log) return { log: there.log, fact: there.fact };
    if (there !== undefined) {
      throw new ClusterError(
        'the database already has the log of a cluster: join it with an empty folder (purser cluster join), or use another database',
      );
    }
    if (own !== undefined && own.entry !== 1) {
      throw new ClusterError(
        `${folder} belongs to node ${own.node} of another cluster, whose log this database doesn't have: give the URL of its log, or dissolve that cluster first`,
      );
    }
    await inView(folder, (view) => verifyFiles(folder, () => {}, masterKey, view));
    // Here, because whoever joins may lead first, and who leads waits for no target.
    await options.takeBack?.();
    await cluster.createTables();
    return await begin(options, {
      log: own?.log ?? randomBytes(16).toString('hex'),
      node,
      entry: 1,
      term: 1,
    });
  } finally {
    await lock.release();
  }
}

async function begin(options: InitOptions, file: ClusterFile): Promise<Initialized> {
  const { folder, cluster, node, url, version, files, onProgress } = options;
  writeClusterFile(folder, file);
  const own = new FilesFolder(folder);
  for (const fileId of own.names()) await files.put(fileId, own.path(fileId));
  const snapshot = await FolderSnapshot.take(folder, new WriteGate());
  try {
    const base = await writeBase(cluster, snapshot, file, onProgress);
    const first = beginningOf({ node, url });
    await persist(() => cluster.begin(file.log, FORMAT_VERSION, base, first));
    await persist(() => cluster.setNode({ node, url, version, applied: file.entry }, FORMAT_VERSION));
    return { log: file.log, fact: base.fact };
  } finally {
    await snapshot.close();
  }
}
