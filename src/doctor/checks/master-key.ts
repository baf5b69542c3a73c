/**
 * The master key: whether it opens the folder, and whether there is another one of it. Nobody can look for a copy that is
 * kept elsewhere, so the operator shows it (`--master-key-copy`).
 */
import { existsSync, statSync } from 'node:fs';
import { KeyRing } from '../../persistence/keys/key-ring.ts';
import { keyFileOf, type MasterKey, readKeyFile } from '../../persistence/keys/master-key.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';

const KEEP = 'without the key the stock cannot be read, and no backup has it';
const SHOW = 'keep a copy on another machine, and show it to this command with --master-key-copy FILE';

export function masterKey(machine: CheckedMachine): Finding {
  const { config, isBegun, holderPid, masterKeyCopy } = machine;
  const { dataDir, masterKey: fromEnvironment } = config;
  if (!isBegun) return judgeNewFolder(fromEnvironment !== undefined);
  const isHere = fromEnvironment !== undefined || existsSync(keyFileOf(dataDir));
  if (!isHere && holderPid !== undefined)
    return warning(
      'the running node has its master key from its own environment: give that to this command, too (PURSER_MASTER_KEY), so that it can be looked at',
    );
  let id: string;
  try {
    id = KeyRing.read(dataDir, fromEnvironment).masterKeyId;
  } catch (error) {
    return failed((error as Error).message);
  }
  const opens = ok(`the master key ${id} opens the folder`);
  if (masterKeyCopy !== undefined) return together([opens, ...judgeCopy(masterKeyCopy, id, dataDir)]);
  return together([opens, judgePlace(fromEnvironment !== undefined)]);
}

export function judgeNewFolder(isInEnvironment: boolean): Finding {
  if (isInEnvironment) return ok('the folder will open with PURSER_MASTER_KEY');
  return warning(
    `the first start makes a master key in the folder: ${SHOW} then, or set PURSER_MASTER_KEY; ${KEEP}`,
  );
}

function judgePlace(isInEnvironment: boolean): Finding {
  if (isInEnvironment) return ok('it is kept outside of the folder, in PURSER_MASTER_KEY');
  return warning(`the only master key that is known of is in the folder: ${SHOW}; ${KEEP}`);
}

function judgeCopy(file: string, id: string, dataDir: string): Finding[] {
  let copy: MasterKey | undefined;
  try {
    copy = readKeyFile(file);
  } catch (error) {
    return [failed((error as Error).message)];
  }
  if (copy === undefined) return [failed(`${file} is not there: ${SHOW}; ${KEEP}`)];
  return [judgeCopyId(file, copy.id, id), judgeDisk(file, statSync(file).dev === statSync(dataDir).dev)];
}

export function judgeCopyId(file: string, copyId: string, id: string): Finding {
  if (copyId === id) return ok(`${file} is a copy of it`);
  return failed(`${file} is another key, ${copyId}: ${SHOW}`);
}

export function judgeDisk(file: string, isSame: boolean): Finding {
  if (!isSame) return ok('it is on another disk');
  return warning(
    `${file} is on the disk of the data folder, and is lost with it: keep one on another machine`,
  );
}
