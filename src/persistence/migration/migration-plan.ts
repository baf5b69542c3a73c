/** The plan of an upgrade of a data folder, and whether it is possible. Nothing is changed by planning. */
import { existsSync, statfsSync } from 'node:fs';
import { DataFolderError, formatOf, isCurrent, refusal } from '../folder/data-folder.ts';
import { FORMAT_VERSION, type FolderFormat, OLDEST_VERSION } from '../folder/folder-format.ts';
import { carriedBytes, requireOneFileSystem } from './carried-files.ts';
import { hasWork, keptFolder } from './folder-swap.ts';
import { MIGRATION_STEPS, type MigrationStep } from './migration-steps.ts';

export interface MigrationPlan {
  readonly folder: string;
  /** The version that the folder has. */
  readonly version: number;
  /** The version that this Purser reads. */
  readonly reads: number;
  /** In their order; none when there is nothing to make. */
  readonly steps: readonly MigrationStep[];
  /** The steps were taken, and the new folder was proved, but an interruption has left names to be changed. */
  readonly isInterrupted: boolean;
  /** About what the upgrade takes beside what is there. */
  readonly roomBytes: number;
  /** By the system's figures, which know nothing of quotas. */
  readonly freeBytes: number;
  /** Where the older folder will be. */
  readonly keptIn: string;
}

/** For the lock, the formats and the small files. */
const SPARE_BYTES = 4 * 1024 * 1024;

/** Throws `DataFolderError` when no steps lead from the folder's version to this one. */
export function planMigration(
  folder: string,
  steps: readonly MigrationStep[] = MIGRATION_STEPS,
): MigrationPlan {
  const format = formatOf(folder);
  const isInterrupted = format.replacedBy !== undefined;
  const taken = stepsFrom(folder, format, steps);
  const { bavail, bsize } = statfsSync(folder);
  // Amid a change of names there is nothing to measure.
  const roomBytes = isInterrupted || taken.length === 0 ? 0 : roomFor(folder, taken);
  const freeBytes = bavail * bsize;
  const keptIn = keptFolder(folder, format.version, FORMAT_VERSION);
  const known = { folder, version: format.version, reads: FORMAT_VERSION, isInterrupted };
  return { ...known, steps: taken, roomBytes, freeBytes, keptIn };
}

/** Whether an older folder, or what an interrupted upgrade has left, is to be seen to before it is opened. */
export function needsMigration(folder: string): boolean {
  return !isCurrent(formatOf(folder)) || hasWork(folder);
}

/** Throws `DataFolderError` when there is no room, or the upgrade could not be carried out to its end. */
export function requireMigratable({ folder, steps, roomBytes, freeBytes, keptIn }: MigrationPlan): void {
  if (steps.length === 0) return;
  requireOneFileSystem(folder);
  if (existsSync(keptIn)) {
    throw new DataFolderError(
      `${keptIn} is there from an earlier upgrade: remove it, or move it away, before this one`,
    );
  }
  if (roomBytes > freeBytes) {
    throw new DataFolderError(
      `the upgrade of ${folder} needs ${roomBytes} bytes, and its disk has ${freeBytes}: make room`,
    );
  }
}

function stepsFrom(folder: string, format: FolderFormat, steps: readonly MigrationStep[]): MigrationStep[] {
  const taken: MigrationStep[] = [];
  const oldest = steps[0]?.from ?? OLDEST_VERSION;
  let version = format.replacedBy ?? format.version;
  while (version !== FORMAT_VERSION) {
    const step = steps.find(({ from }) => from === version);
    if (step === undefined) throw refusal(folder, format, oldest);
    taken.push(step);
    version = step.to;
  }
  return taken;
}

function roomFor(folder: string, steps: readonly MigrationStep[]): number {
  const each = steps.map((step) => carriedBytes(folder, (name) => step.replaces(name)) + step.room(folder));
  return each.reduce((sum, bytes) => sum + bytes, SPARE_BYTES);
}
