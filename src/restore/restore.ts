/**
 * Carries out a plan: makes a data folder of a backup, proves it as `purser verify` does, and only then gives it its name.
 *
 * Everything is made by the code that made it at first: the fold makes the checkpoint, the derivation the events.
 * Invariant: after any failure the folder isn't there, and nothing of it is left; a folder that is made is proved as a
 * whole.
 */
import { statfsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { CleanEndMark } from '../backup/clean-end/clean-end-mark.ts';
import { storedObject } from '../backup/proved-object.ts';
import { encodeRecord } from '../backup/record.ts';
import { isWithin, realPath } from '../backup/target/folder-place.ts';
import { manifestName, runName } from '../backup/target-layout.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { isOutOfSpace } from '../persistence/disk/disk-room.ts';
import { folderTrouble } from '../persistence/disk/disk-trouble.ts';
import { linkedPath } from '../persistence/folder/linked-path.ts';
import { expectEmpty, type Maker, WorkPlace } from '../persistence/folder/work-place.ts';
import { StockError } from '../persistence/stock/stock-errors.ts';
import { type MakeOptions, makeFolderOf, type Restored } from './folder-making.ts';
import { RestoreError } from './restore-error.ts';
import type { RestorePlan } from './restore-plan.ts';

/**
 * The least room for a folder beside a backup's size: files take as much as their chunks, facts up to three times, with
 * what follows from them. The share of the two is known when the backup was read.
 */
const SPARE_BYTES = 64 * 1024 * 1024;

const MAKER: Maker = { mark: '.restoring-', verb: 'restore', error: (...why) => new RestoreError(...why) };

/** Rejects with `RestoreError` and `TargetError`; then there is no folder. */
export async function restore(plan: RestorePlan, folder: string, options: MakeOptions): Promise<Restored> {
  await expectPlace(plan, folder);
  const place = await WorkPlace.open(folder, MAKER);
  try {
    expectRoom(place.path, plan.bytes);
    const restored = await makeFolderOf(plan, place.path, options);
    if (options.beginsEpoch && plan.isCleanEnd) {
      new CleanEndMark(place.path).set(plan.source, { isRestored: true, ...cleanEndOf(plan) });
    }
    await place.settle();
    return restored;
  } catch (error) {
    await place.discard();
    throw explained(error, plan, folder);
  }
}

/** The objects by which the target is known again. */
function cleanEndOf({ manifest, keys }: RestorePlan) {
  if (manifest === undefined) return {};
  const name = manifestName(manifest);
  return {
    run: runName(manifest),
    objects: [storedObject(name, encodeRecord(name, manifest, keys.recordKey))],
  };
}

/** Rejects with `RestoreError` when the folder can't be made there: what a restore looks at before it makes anything. */
export async function expectPlace({ source }: Pick<RestorePlan, 'source'>, folder: string): Promise<void> {
  try {
    if (isAbsolute(source)) await expectApart(source, folder);
    expectEmpty(resolve(folder), MAKER);
  } catch (error) {
    if (error instanceof RestoreError) throw error;
    throw new RestoreError(`cannot restore into ${folder}: ${folderTrouble(error)}`, { cause: error });
  }
}

/** Rejects when one of two folders lies within the other, whatever links lead there. */
async function expectApart(source: string, folder: string): Promise<void> {
  const [from, to] = [await realPath(source), await realPath(await linkedPath(resolve(folder)))];
  if (isWithin(from, to))
    throw new RestoreError(
      `${folder} lies in the backup at ${source}, in which a restore changes nothing: choose another folder with --data`,
    );
  if (isWithin(to, from))
    throw new RestoreError(
      `the backup at ${source} lies in ${folder}, which is to be made: choose another folder with --data`,
    );
}

function expectRoom(path: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  const needed = bytes + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  throw new RestoreError(
    `${dirname(path)} has ${megabytes(bavail * bsize, Math.floor)} MB free, and the restored folder needs ${megabytes(needed, Math.ceil)} at least: ` +
      'make room, or choose a folder on another disk with --data',
  );
}

function explained(error: unknown, { source }: RestorePlan, folder: string): unknown {
  if (isOutOfSpace(error)) {
    return new RestoreError(`the disk of ${folder} is full: make room, and restore again`, { cause: error });
  }
  const isDamage = error instanceof DamagedDataError || StockError.is(error, 'damaged');
  if (!isDamage) return error;
  const message = `the backup at ${source} makes no sound shop: ${(error as Error).message}; restore an earlier moment with --at, or another copy`;
  return new RestoreError(message, { cause: error });
}

function megabytes(bytes: number, round: (value: number) => number): string {
  return String(round(bytes / 1e6));
}
