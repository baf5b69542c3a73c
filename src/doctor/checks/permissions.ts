/** The permissions of the data folder: the users who may read and write it. */
import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN_FILE } from '../../persistence/folder/data-folder.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';

const ROOT = 0;
const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const SECRETS: readonly string[] = ['master-key', TOKEN_FILE];
const MOST_NAMED = 3;

export function permissions({ config, nearestFolder, isThere }: CheckedMachine): Finding {
  const uid = process.getuid?.();
  if (uid === undefined) return ok('this system has no permissions of this kind');
  const folder = statSync(nearestFolder);
  if (!folder.isDirectory()) return failed(`${nearestFolder} is not a folder: choose another with --data`);
  const mayWrite = isAllowed(nearestFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  if (!isThere) return judgeFolder({ path: nearestFolder, mode: 0, owner: uid, uid, mayWrite });
  const whole = judgeFolder({ path: config.dataDir, mode: folder.mode, owner: folder.uid, uid, mayWrite });
  const files = mayWrite ? filesOf(config.dataDir) : [];
  return together([whole, ...judgeFiles(files, folder.uid)]);
}

interface Folder {
  readonly path: string;
  readonly mode: number;
  readonly owner: number;
  /** The user who looks. */
  readonly uid: number;
  readonly mayWrite: boolean;
}

export function judgeFolder({ path, mode, owner, uid, mayWrite }: Folder): Finding {
  if (!mayWrite)
    return failed(`this user may not write to ${path}: run purser as the user that owns it (uid ${owner})`);
  const findings = [ok(`${path} is this user's to write to`)];
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    findings.push(failed(`others may write to ${path}: chmod 700 ${path}`));
  else if ((mode & OPEN_TO_OTHERS) !== 0)
    findings.push(warning(`others may look into ${path} and read its databases: chmod 700 ${path}`));
  if (uid === ROOT && owner === ROOT)
    findings.push(
      warning(
        `a node of root may do anything: give it a user of its own, as \`purser install-service\` does`,
      ),
    );
  return together(findings);
}

export interface FileInFolder {
  readonly name: string;
  readonly path: string;
  readonly mode: number;
  readonly owner: number;
  readonly mayWrite: boolean;
}

/** `owner`: the folder's. */
export function judgeFiles(files: readonly FileInFolder[], owner: number): Finding[] {
  const foreign = files.filter((file) => file.owner !== owner || !file.mayWrite);
  const open = files.filter(({ name, mode }) => SECRETS.includes(name) && (mode & OPEN_TO_OTHERS) !== 0);
  const findings = open.map(({ path }) =>
    failed(`others may read ${path}: chmod 600 ${path}, and change what it holds`),
  );
  if (foreign.length === 0) return findings;
  const named = foreign.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = foreign.length > MOST_NAMED ? ` and ${foreign.length - MOST_NAMED} more` : '';
  const trouble = `${named.join(', ')}${more} cannot be written to by the folder's owner, or belong to another user`;
  return [...findings, failed(`${trouble}: chown -R them to uid ${owner}`)];
}

function filesOf(folder: string): FileInFolder[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const status: Stats | undefined = statSync(path, { throwIfNoEntry: false });
    // Sockets and folders come and go, and have owners of their own.
    if (status?.isFile() !== true) return [];
    const mayWrite = isAllowed(path, constants.R_OK | constants.W_OK);
    return { name, path, mode: status.mode, owner: status.uid, mayWrite };
  });
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
