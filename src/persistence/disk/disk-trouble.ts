/**
 * Why the system refused something in the data folder, in words that say what to do about it: the operator who
 * reads "EROFS" at three in the morning should not have to look it up.
 */
import { codeOf } from '../../shared/error-code.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; run purser as the user that owns it, or change its mode',
  EPERM: 'the system does not permit this operation here; choose another folder',
  EROFS: 'the file system is read-only; make it writable or choose another folder',
  EISDIR: 'it is a folder where a file should be; move it away',
  ENOENT: 'no such file or folder; choose another folder',
  ENOTDIR: 'it, or a part of its path, is not a folder; choose another folder',
  EEXIST: 'it is not a folder; choose another path',
  EINVAL: 'this file system lacks what a database needs; choose a folder on a local disk',
  ELOOP: 'its symbolic links form a loop; correct them',
  ENAMETOOLONG: 'its path is too long; choose a shorter one',
  ENOSPC: 'the disk is full; make room',
  EDQUOT: 'the quota is used up; make room',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  EIO: 'the disk failed; check the disk before you start again',
};

/** Codes of troubles that a folder can have while a node uses it. */
const DISK_TROUBLE: ReadonlySet<unknown> = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EIO']);

/** The trouble of a folder that is to be used. One line without a full stop; it follows "… cannot be read: ". */
export function folderTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  const reason = code === undefined ? undefined : REASONS[code];
  return reason === undefined ? error.message : `${reason} (${code})`;
}

/**
 * The trouble of a folder that is in use: where the disk has not failed, the error's own message, which has the path.
 */
export function diskTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!DISK_TROUBLE.has(codeOf(error))) return error.message;
  const { path } = error as NodeJS.ErrnoException;
  return path === undefined ? folderTrouble(error) : `${path}: ${folderTrouble(error)}`;
}
