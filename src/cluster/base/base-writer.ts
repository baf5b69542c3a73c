/**
 * Sends a copy of a folder to PostgreSQL, part by part. The copy counts when the cluster's row names it
 * (`PostgresCluster.setBase` and `begin`); parts of a base that never came to that are removed with the next one.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { FolderSnapshot } from '../../persistence/folder/folder-snapshot.ts';
import { retry } from '../../shared/retry.ts';
import { ClusterError } from '../cluster-error.ts';
import type { Base } from '../postgres/cluster-rows.ts';
import type { PostgresCluster } from '../postgres/postgres-cluster.ts';

/** A server that fails is replaced meanwhile. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 500;

/** `place`: the snapshot has all up to there. `onBytes` gets how much has been sent. */
export async function writeBase(
  cluster: PostgresCluster,
  snapshot: FolderSnapshot,
  place: { readonly entry: number; readonly term: number },
  onBytes: (bytes: number) => void = () => {},
): Promise<Base> {
  const base = randomBytes(16).toString('hex');
  const hash = createHash('sha256');
  let parts = 0;
  let bytes = 0;
  for (const part of snapshot.parts()) {
    hash.update(part);
    await persist(() => cluster.putPart(base, parts, part));
    parts += 1;
    bytes += part.length;
    onBytes(bytes);
  }
  const { position: fact, hash: headHash } = snapshot.head;
  const { entry, term } = place;
  return { base, entry, term, fact, hash: headHash.toString('hex'), parts, sha256: hash.digest('hex') };
}

/** Asks again while PostgreSQL doesn't answer: `ask` may be made twice. */
export function persist<Result>(ask: () => Promise<Result>, patienceMs = PATIENCE_MS): Promise<Result> {
  const mayHelp = (error: unknown) => ClusterError.is(error, 'unreachable', 'unknown');
  return retry(ask, { pauseMs: AGAIN_MS, patienceMs, mayHelp });
}
