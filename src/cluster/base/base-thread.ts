/**
 * The thread that makes a base of a running node's folder: it reads the folder and sends it to PostgreSQL, so that
 * nothing of it is done on the main thread. The thread is started for one base, and ends with it.
 */
import { FolderSnapshot } from '../../persistence/folder/folder-snapshot.ts';
import { serve, threadStart } from '../../threads/thread-server.ts';
import { ClusterError } from '../cluster-error.ts';
import type { Base } from '../postgres/cluster-rows.ts';
import { PostgresCluster } from '../postgres/postgres-cluster.ts';
import type { PostgresSettings } from '../postgres/postgres-connection.ts';
import { writeBase } from './base-writer.ts';

export interface BaseThreadData {
  readonly folder: string;
  readonly settings: PostgresSettings;
}

const { data, gate } = threadStart<BaseThreadData>();

const calls = {
  make: async (place: { readonly entry: number; readonly term: number }): Promise<Base> => {
    const cluster = new PostgresCluster(data.settings);
    const snapshot = await FolderSnapshot.take(data.folder, gate);
    try {
      return await writeBase(cluster, snapshot, place);
    } finally {
      await snapshot.close();
      await cluster.close();
    }
  },
};
export type BaseCalls = typeof calls;

serve(calls, [ClusterError]);
