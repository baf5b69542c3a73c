/**
 * A target from what an operator wrote: a folder's path (or `file:` URL), or `s3://bucket/prefix`.
 *
 * Invariant: nothing is looked at before the first call, and no message has a secret.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BackupTarget, TargetError } from './backup-target.ts';
import type { Patience } from './call-end.ts';
import { FolderTarget } from './folder-target.ts';
import { type Environment, s3Settings } from './s3-settings.ts';
import { S3Target } from './s3-target.ts';

const EXPECTED = 'give a folder, or the URL of a bucket (s3://bucket/prefix)';

export interface OpenTargetOptions {
  /** Whether to make the folder when it isn't there: writers of a backup do, readers don't. A bucket is never made. */
  readonly makesFolder: boolean;
  /** See `FolderTargetOptions`; a bucket lies in no folder. */
  readonly dataFolder?: string | undefined;
  readonly patience?: Patience | undefined;
}

/** Throws a `TargetError` (`refused`) that says what to write instead. Relative paths begin at the working folder. */
export function openTarget(text: string, env: Environment, options: OpenTargetOptions): BackupTarget {
  if (/^file:/i.test(text)) return new FolderTarget(pathOf(text), options);
  if (/^s3:\/\//i.test(text)) return new S3Target(s3Settings(text, env), options.patience);
  if (text.trim() === '' || text.includes('\0') || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    throw new TargetError('refused', `${describe(text)} is no target of a backup; ${EXPECTED}`);
  }
  return new FolderTarget(resolve(text), options);
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new TargetError('refused', `${describe(url)} names no folder of this machine; write its path`, {
      cause: error,
    });
  }
}

/** Without what stands before an `@`: it may be a password. */
function describe(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/]*@/, '//…@').slice(0, 200));
}
