/**
 * Small files that must be there whole or not at all: written under another name, synced, renamed.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces `file`, readable by its owner alone. */
export function writeDurably(file: string, text: string): void {
  const unfinished = `${file}.writing`;
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
  syncFolderOf(file);
}

/** Makes names given or taken in the file's folder survive a power cut. */
export function syncFolderOf(file: string): void {
  const descriptor = openSync(dirname(file), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
