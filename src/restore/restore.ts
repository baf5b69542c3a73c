/**
 * Carries out a plan: makes a data folder of a backup, proves it as `purser verify` does, and only then gives it its name.
 *
 * It makes everything by the code that made it at first: the fold makes the checkpoint, the derivation the events. What
 * always holds: whatever fails, the folder isn't there, and nothing of it is left; what is made is proved as a whole.
 */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { isOutOfSpace } from '../persistence/disk/disk-room.ts';
import { type MakeOptions, makeFolderOf, type Restored } from './folder-making.ts';
import { RestoreError } from './restore-error.ts';
import type { RestorePlan } from './restore-plan.ts';
import { WorkPlace } from './work-place.ts';

/** What a folder takes, by the bytes of the chunks that it is made of: journal, checkpoint, and room to write. */
const FOLDER_BYTES_PER_BYTE = 4;
const SPARE_BYTES = 64 * 1024 * 1024;

/** Rejects with `RestoreError` and `TargetError`; then there is no folder. */
export async function restore(plan: RestorePlan, folder: string, options: MakeOptions): Promise<Restored> {
  const place = await WorkPlace.open(folder);
  try {
    expectRoom(place.path, plan.bytes);
    const restored = await makeFolderOf(plan, place.path, options);
    await place.settle();
    return restored;
  } catch (error) {
    await place.discard();
    throw explained(error, plan, folder);
  }
}

function expectRoom(path: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  const needed = FOLDER_BYTES_PER_BYTE * bytes + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  throw new RestoreError(
    `${dirname(path)} has ${megabytes(bavail * bsize)} MB free, and the restored folder may need ${megabytes(needed)}: ` +
      'make room, or choose a folder on another disk with --data',
  );
}

function explained(error: unknown, { source }: RestorePlan, folder: string): unknown {
  if (isOutOfSpace(error) || isOutOfSpace((error as { cause?: unknown } | null)?.cause)) {
    return new RestoreError(`the disk of ${folder} is full: make room, and restore again`, { cause: error });
  }
  const isDamage = error instanceof DamagedDataError || (error as Error | null)?.name === 'DamagedRowError';
  if (!isDamage) return error;
  const message = `the backup at ${source} makes no sound shop: ${(error as Error).message}; restore an earlier moment with --at, or another copy`;
  return new RestoreError(message, { cause: error });
}

function megabytes(bytes: number): string {
  return String(Math.ceil(bytes / 1e6));
}
