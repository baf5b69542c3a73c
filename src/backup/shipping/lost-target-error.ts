/**
 * A target has lost what this process has put there: its disk was exchanged, or its bucket made again. All must be shipped
 * anew, and is: nothing of it is needed from there.
 */
import type { BackupTarget } from '../target/backup-target.ts';

/** The error of a lost target. The message is one line. */
export class LostTargetError extends Error {
  override readonly name = 'LostTargetError';

  /** `name` is an object that was there. */
  constructor({ url }: BackupTarget, name: string) {
    super(`${url} has lost what was there (${name} is gone)`);
  }
}
