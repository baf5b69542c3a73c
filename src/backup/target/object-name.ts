/**
 * Which names objects at a target may have: such that a folder and a bucket can both hold, and none leads out of the
 * folder. Names come from manifests as well, and a manifest may have been altered.
 */
import { TargetError } from './backup-target.ts';

/** S3 takes 1,024 with the prefix before it. */
const MAX_NAME_LENGTH = 512;
const PART = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Whether `text` may be a part between two `/`. No part begins with a dot, so `..` is none, and neither is a hidden
 * file.
 */
export function isNamePart(text: string): boolean {
  return PART.test(text);
}

export function isObjectName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && name.split('/').every(isNamePart);
}

/** Throws a `TargetError` (`invalid`) when it can't be the name of an object. */
export function checkName(name: string): void {
  if (isObjectName(name)) return;
  throw new TargetError(
    'invalid',
    `${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))} is no name of an object in a backup: whoever wrote it has damaged or altered the backup`,
  );
}
