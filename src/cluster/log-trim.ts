/**
 * Removes entries that no node needs any more from the beginning of the log.
 *
 * Invariant: an entry stays while a node that was there within a week has not applied it, or while it is younger than a
 * week itself; and whoever joins finds a base whose entry is still in the log, with all behind it. So a base is made
 * first, of the folder of the node that was asked, where the old one lies too far back. A node that was away for longer
 * joins anew. Entries go from the oldest on, so an interrupted trim leaves a shorter log and no hole.
 */
import { FORMAT_VERSION } from '../persistence/folder/folder-format.ts';
import { persist } from './base/base-writer.ts';
import { ClusterError } from './cluster-error.ts';
import type { Base } from './postgres/cluster-rows.ts';
import type { PostgresCluster } from './postgres/postgres-cluster.ts';

const KEPT_DAYS = 7;
const KEPT_S = KEPT_DAYS * 24 * 60 * 60;
/** In one transaction. */
const REMOVED_AT_ONCE = 5_000;

export interface TrimOptions {
  readonly cluster: PostgresCluster;
  /** A base of this node's folder. */
  readonly makeBase: () => Promise<Base>;
}

export interface Trimmed {
  /** The first entry that is left. */
  readonly first: number;
  readonly last: number;
  readonly removed: number;
  /** The entry of the base, with which new nodes begin. */
  readonly base: number;
}

/** Rejects with `ClusterError`, and what `makeBase` throws. */
export async function trimLog({ cluster, makeBase }: TrimOptions): Promise<Trimmed> {
  const ends = await cluster.ends();
  const row = await cluster.read();
  if (row === undefined || ends === undefined) throw new ClusterError('the database has no log of a cluster');
  const nodes = (await cluster.nodes()).filter(({ seenS }) => seenS < KEPT_S);
  const young = await cluster.firstWithin(KEPT_DAYS);
  // The newest one stays: the next one is written behind it.
  const limit = Math.min(young ?? ends.last, ends.last, ...nodes.map(({ applied }) => applied));
  let base = row.entry;
  if (limit > row.entry) {
    const made = await makeBase();
    if (!(await persist(() => cluster.setBase(made, FORMAT_VERSION))))
      throw new ClusterError('another trim is under way: call again later');
    base = made.entry;
  }
  const until = Math.min(limit, base);
  let removed = 0;
  while (ends.first + removed < until) {
    const count = await persist(() => cluster.removeBefore(until, REMOVED_AT_ONCE));
    if (count === 0) break;
    removed += count;
  }
  return { first: Math.max(ends.first, until), last: ends.last, removed, base };
}
