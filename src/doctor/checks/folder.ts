/**
 * Whether a start can begin in the folder, or go on there: tried out, with files that are gone when it has ended. Names and
 * kinds of file systems are no proof.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderTrouble } from '../../persistence/disk/disk-trouble.ts';
import { expectUsable } from '../../persistence/folder/data-folder.ts';
import { PROBE, tryLocking } from '../../persistence/folder/folder-lock.ts';
import { createEnvironment } from '../../persistence/lmdb/lmdb-environment.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok } from '../finding.ts';

export async function folder({
  config,
  nearestFolder,
  isThere,
  isBegun,
  holderPid,
}: CheckedMachine): Promise<Finding> {
  const { dataDir } = config;
  if (holderPid !== undefined) return ok(`a node has ${dataDir} (pid ${holderPid})`);
  try {
    if (isThere) expectUsable(dataDir);
    await tryLocking(nearestFolder);
    if (!isBegun) await tryDatabase(nearestFolder);
  } catch (error) {
    return failed((error as Error).message);
  }
  return ok(`${dataDir} can be locked, and ${isBegun ? 'has a shop' : 'can hold a database'}`);
}

async function tryDatabase(place: string): Promise<void> {
  let probe: string | undefined;
  try {
    probe = mkdtempSync(join(place, `${PROBE}.`));
    await createEnvironment(join(probe, 'probe.mdb'), []);
  } catch (error) {
    throw new Error(`${place} can hold no database: ${folderTrouble(error)}`, { cause: error });
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
}
