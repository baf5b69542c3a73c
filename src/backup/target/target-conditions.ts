/**
 * Whether a target keeps the promise of `create`: some S3-compatible stores ignore `If-None-Match`, and replace what has
 * the name. Then two nodes that ship to it do not notice each other by the names of chunks.
 *
 * One object is enough for all time, so nobody needs the right to remove it.
 */
import type { BackupTarget, CallOptions } from './backup-target.ts';

const PROBE = 'probe';

/** Writes the object `probe` unless it is there. Rejects with the target's `TargetError`. */
export async function honoursConditions(target: BackupTarget, options?: CallOptions): Promise<boolean> {
  const bytes = Buffer.from('Purser looks here whether names are given once.\n');
  const isNew = await target.create(PROBE, bytes, options);
  return !isNew || !(await target.create(PROBE, bytes, options));
}
