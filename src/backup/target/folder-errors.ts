/** Errors of a file system, as a `TargetError` of the folder that is the target. */

import { folderTrouble } from '../../persistence/disk/disk-trouble.ts';
import { codeOf } from '../../shared/error-code.ts';
import { MAX_OBJECT_BYTES, TargetError, type TargetFault } from './backup-target.ts';

/** Whatever isn't named here may pass: a network that is gone, a disk that failed. */
const FAULTS: Readonly<Record<string, TargetFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EACCES: 'refused',
  EPERM: 'refused',
  EROFS: 'refused',
  ENOTDIR: 'impossible',
  EISDIR: 'refused',
  EEXIST: 'refused',
  ELOOP: 'impossible',
  ENAMETOOLONG: 'impossible',
};

/** Codes that `link` fails with on a file system without hard links. */
const NO_LINKS = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Folders are made before they are needed, and looked at right before. */
const REMOVED = 'somebody removes folders in it at this moment; see that nothing does';

export function folderError(url: string, error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const code = codeOf(error);
  const fault = FAULTS[code ?? ''] ?? 'unreachable';
  const trouble = code === 'ENOENT' ? REMOVED : folderTrouble(error);
  return new TargetError(fault, `${url}: ${trouble}`, { cause: error });
}

/** Whether an error of `link` means that the file system has no hard links. */
export function hasNoLinks(error: unknown): boolean {
  return NO_LINKS.has(codeOf(error));
}

export function noLinks(url: string, error: unknown): TargetError {
  return new TargetError(
    'impossible',
    `${url}: this file system has no hard links, and without them two nodes could write one object; choose a folder on another file system`,
    { cause: error },
  );
}

export function noFolder(path: string): TargetError {
  return new TargetError(
    'refused',
    `${path}: there is no such folder; make it, or mount the disk that has it`,
  );
}

/** The error for a folder that is read and isn't there. */
export function noSource(path: string): TargetError {
  return new TargetError(
    'refused',
    `${path}: there is no such folder; check its name, or mount the disk that has it`,
  );
}

export function tooLarge(url: string, name: string): TargetError {
  return new TargetError(
    'invalid',
    `${url}: ${name} has more than ${MAX_OBJECT_BYTES} bytes, so it is no object of a backup; give the folder or URL of a backup`,
  );
}
