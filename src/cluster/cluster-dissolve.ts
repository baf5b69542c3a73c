/**
 * `purser cluster dissolve`: the cluster ends, and the shop goes on with one folder alone.
 *
 * Invariant: only a folder that has all that the log has goes on, and no other one can: the log gets its last entry,
 * and PostgreSQL refuses whatever would come behind, also from a node that was stopped and goes on. The folder loses
 * its `cluster` file after that, so an interrupted end is repeated, and never forgotten.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { syncFolderOf } from '../persistence/disk/durable-file.ts';
import { CLUSTER_FILE, checkFormat } from '../persistence/folder/data-folder.ts';
import { checkSegment } from '../persistence/folder/folder-check.ts';
import { lockFolder } from '../persistence/folder/folder-lock.ts';
import { logFiles, openLog } from '../persistence/journal/open-log.ts';
import { ClusterError } from './cluster-error.ts';
import { type ClusterFile, readClusterFile } from './cluster-file.ts';
import { checkAgainstLog } from './log-check.ts';
import { dissolvedInto, endOfCluster } from './log-follower.ts';
import type { ClusterRow } from './postgres/cluster-rows.ts';
import type { PostgresCluster } from './postgres/postgres-cluster.ts';
import type { SharedTable } from './shared-table.ts';

/** A node says each second that it is there. */
const GONE_S = 10;
/** Longer than a leader waits between two beats. */
const STILL_MS = 1_500;
/** The newest one may be empty. */
const NEWEST_SEGMENTS = 2;

export interface DissolveOptions {
  readonly folder: string;
  readonly cluster: PostgresCluster;
  readonly table: Pick<SharedTable, 'read'>;
}

/** Resolves with the last fact. Rejects with `ClusterError` and `DamagedDataError`. */
export async function dissolveCluster({ folder, cluster, table }: DissolveOptions): Promise<number> {
  checkFormat(folder);
  const lock = await lockFolder(folder);
  try {
    const own = readClusterFile(folder);
    if (own === undefined)
      throw new ClusterError(`${folder} belongs to no cluster: it starts alone as it is`);
    const row = await cluster.read();
    if (row === undefined) {
      throw new ClusterError(
        'the database has no log of a cluster: give the URL of the log that the folder follows',
      );
    }
    for (const segment of logFiles(folder).slice(-NEWEST_SEGMENTS)) checkSegment(segment);
    const log = openLog(folder);
    const { head } = log;
    await log.close();
    if (row.dissolved === undefined) {
      await requireStopped(cluster);
      const { last, term, missing } = await checkAgainstLog({ folder, own, head, row, table });
      if (missing > 0) throw isBehind(folder, own, missing);
      await cluster.dissolve(last, term, endOfCluster(own.node));
    } else await requireOwnEnd(own, row, table);
    rmSync(join(folder, CLUSTER_FILE));
    syncFolderOf(join(folder, CLUSTER_FILE));
    return head.position;
  } finally {
    await lock.release();
  }
}

/** Rejects with `ClusterError` while any node runs. */
async function requireStopped(cluster: PostgresCluster): Promise<void> {
  const running = (await cluster.nodes()).find(({ seenS }) => seenS < GONE_S);
  if (running !== undefined) {
    throw new ClusterError(
      `node ${running.node} was there ${Math.ceil(running.seenS)} s ago: stop all nodes, wait ${GONE_S} s, and dissolve again`,
    );
  }
  const before = await cluster.ends();
  await delay(STILL_MS);
  const after = await cluster.ends();
  if (before?.beats === after?.beats && before?.last === after?.last) return;
  throw new ClusterError('a node leads the cluster: stop all nodes, and dissolve again');
}

/**
 * The check of a log that was dissolved before: the `cluster` file that is still there is of the node whose folder goes
 * on.
 */
async function requireOwnEnd(
  { node, log }: ClusterFile,
  row: ClusterRow,
  table: DissolveOptions['table'],
): Promise<void> {
  const [end] = await table.read((row.dissolved ?? 1) - 1, 1);
  const heir = end === undefined ? undefined : dissolvedInto(end.bytes);
  if (row.log === log && heir === node) return;
  throw new ClusterError(
    `the cluster was dissolved into the folder of node ${heir ?? 'unknown'}, which goes on alone: this folder must not`,
  );
}

function isBehind(folder: string, { node, entry }: ClusterFile, missing: number): ClusterError {
  return new ClusterError(
    `${folder} has applied the log up to entry ${entry}, and may lack ${missing} behind it: start node ${node} until it has all, stop it with SIGTERM, and dissolve again`,
  );
}
