/**
 * Whether a target keeps the promise of `create`: some S3-compatible stores ignore `If-None-Match`, and replace what has
 * the name. Then two nodes that ship to it do not notice each other by the names of chunks.
 *
 * One object is enough for all time, so nobody needs the right to remove it.
 */
import type { BackupTarget, CallOptions } from './backup-target.ts';

const PROBE = 'probe';
/** Writers at once: some stores keep the promise only as long as one writer comes after the other. */
const WRITERS = 4;

/** Writes the object `probe` unless it is there. Rejects with the target's `TargetError`. */
export async function honoursConditions(target: BackupTarget, options?: CallOptions): Promise<boolean> {
  const bytes = Buffer.from('Purser looks here whether a name is given once.\n');
  const write = () => target.create(PROBE, bytes, options);
  const atOnce = await Promise.all(Array.from({ length: WRITERS }, write));
  return atOnce.filter((isNew) => isNew).length < 2 && !(await write());
}
