/**
 * The folder in which a program beside the node keeps its place, such as `purser deposits watch`: of one running program
 * at a time, by the lock of data folders.
 */
import { mkdir } from 'node:fs/promises';
import { type FolderLock, lockFolder } from './folder-lock.ts';

/**
 * Makes the folder if need be, for its owner alone.
 * @throws DataFolderError `in-use` when another process has it, and `lock` when it can't be had at all
 */
export async function lockStateFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return lockFolder(folder, { kind: 'state folder', flag: '--state' });
}
