/**
 * Small files that must be there whole or not at all: written in `unfinished/`, synced, renamed. A write that fails leaves
 * nothing there.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unfinishedOf, unfinishedOfAsync } from './unfinished.ts';

/** Replaces `file`, readable by its owner alone. */
export function writeDurably(file: string, text: string): void {
  const unfinished = unfinishedOf(file);
  try {
    const descriptor = openSync(unfinished, 'w', 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  syncFolderOf(file);
}

/** Keeps a text durably without holding up the thread. One call at a time for a file. */
export async function keepDurably(file: string, text: string): Promise<void> {
  const unfinished = await unfinishedOfAsync(file);
  try {
    const handle = await open(unfinished, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncedFolderOf(file);
}

/** `syncFolderOf` without holding up the thread. */
async function syncedFolderOf(file: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Makes names given or taken in the file's folder survive a power cut. */
export function syncFolderOf(file: string): void {
  // Windows can't open a folder, and syncs names by itself.
  if (process.platform === 'win32') return;
  const descriptor = openSync(dirname(file), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
