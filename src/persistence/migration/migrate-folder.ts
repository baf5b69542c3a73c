/**
 * Brings a data folder of an older version to the one that this version of Purser reads. The lock must be held.
 *
 * The steps' folders are made beside the old one, inside the data folder; the last one is proved as `purser verify` does
 * it, and has to have as many facts as the old one; then it is made durable and takes the old one's place
 * (`folder-swap.ts`). Whatever fails or dies before that leaves the old folder as it was.
 *
 * Rejected: to go on with what an interrupted upgrade has made. Nobody would know how much of it is whole.
 */
import { mkdirSync } from 'node:fs';
import { isOutOfSpace } from '../disk/disk-room.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { syncAll } from '../disk/durable-folder.ts';
import { KeyRing } from '../disk/key-ring.ts';
import { KEY_RING_FILE } from '../disk/ring-file.ts';
import { DataFolderError, formatOf, isCurrent, mayMigrate, refusal } from '../folder/data-folder.ts';
import { FORMAT_VERSION, writeFormat } from '../folder/folder-format.ts';
import { openLog } from '../journal/open-log.ts';
import { verifyDataFolder } from '../verify.ts';
import { carryOver } from './carried-files.ts';
import { completeSwap, removeWork, swapFolders, workFolder } from './folder-swap.ts';
import { type MigrationPlan, planMigration, requireMigratable } from './migration-plan.ts';
import { MIGRATION_STEPS, type MigrationStep } from './migration-steps.ts';

export interface MigrateOptions {
  readonly folder: string;
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the folder's key file. */
  readonly masterKey: string | undefined;
  /** For tests; default: those that there are. */
  readonly steps?: readonly MigrationStep[] | undefined;
  /** Gets what the operator should know, as lines. */
  readonly say: (line: string) => void;
}

/**
 * Resolves with what was done; undefined when there was nothing to do. Rejects with `DataFolderError`, one line, or
 * what `KeyRing.read` throws: the folder is as it was, or the next call completes what was begun.
 */
export async function migrateFolder(options: MigrateOptions): Promise<MigrationPlan | undefined> {
  const { folder, steps = MIGRATION_STEPS, say } = options;
  settle(folder, say);
  if (isCurrent(formatOf(folder))) return undefined;
  const plan = planMigration(folder, steps);
  requireMigratable(plan);
  if (!plan.steps.some((step) => step.replaces(KEY_RING_FILE))) KeyRing.read(folder, options.masterKey);
  try {
    await makeAndProve(plan, options);
  } catch (error) {
    removeWork(folder);
    throw new DataFolderError(unchanged(plan, error), { cause: error });
  }
  orInterrupted(folder, () => swapFolders(folder, plan.version, FORMAT_VERSION));
  say(`${folder} has version ${FORMAT_VERSION} now; ${plan.keptIn} is what it was before`);
  return plan;
}

/** Completes what was interrupted behind the proof, and removes what was interrupted before. */
function settle(folder: string, say: (line: string) => void): void {
  const format = formatOf(folder);
  const { version, replacedBy } = format;
  if (!mayMigrate(format, version)) throw refusal(folder, format);
  orInterrupted(folder, () => {
    if (replacedBy === undefined) return removeWork(folder);
    completeSwap(folder, version, replacedBy);
    say(`the upgrade to version ${replacedBy} was interrupted, and is complete now`);
  });
}

function orInterrupted(folder: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(
      `an upgrade of the data folder ${folder} is not complete: ${reason}; then start again`,
      { cause: error },
    );
  }
}

async function makeAndProve({ steps }: MigrationPlan, options: MigrateOptions): Promise<void> {
  const { folder, masterKey, say } = options;
  let [from, facts] = [folder, 0];
  for (const [index, step] of steps.entries()) {
    say(`from version ${step.from} to ${step.to}: ${step.does}`);
    const to = workFolder(folder, step.to);
    mkdirSync(to, { recursive: true, mode: 0o700 });
    carryOver(from, to, (name) => step.replaces(name));
    const found = await step.make({ from, to, masterKey, say });
    if (index > 0 && found !== facts) throw new Error(`a step found ${found} facts, the one before ${facts}`);
    [from, facts] = [to, found];
  }
  writeFormat(from, { version: FORMAT_VERSION });
  await prove(from, facts, options);
  syncAll(from);
}

async function prove(made: string, facts: number, { masterKey, say }: MigrateOptions): Promise<void> {
  say('proving the new folder, as `purser verify` does it');
  let last = '';
  const tell = (line: string) => {
    last = line;
    say(line);
  };
  if (!(await verifyDataFolder(made, tell, masterKey)))
    throw new Error(`the new folder is not sound: ${last}`);
  const log = openLog(made);
  const { position } = log.head;
  await log.close();
  if (position !== facts) throw new Error(`the new folder has ${position} facts, the old one ${facts}`);
}

function unchanged({ folder, version }: MigrationPlan, error: unknown): string {
  const reason = isOutOfSpace(error) ? 'the disk is full; make room' : folderTrouble(error).split('\n')[0];
  return `the data folder ${folder} was not upgraded, and still has version ${version}: ${reason}`;
}
