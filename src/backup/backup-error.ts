/** Errors of backups, as far as callers tell them apart. Errors of the target itself are `TargetError`. */
import type { BackupTarget } from './target/backup-target.ts';

/**
 * `fenced`: somebody else ships to the target, or has shipped facts that this folder doesn't have; nothing is shipped any
 * more. `lost`: the target has lost what this process has put there, because its disk was exchanged, or its bucket made
 * again; all must be shipped anew, and is, for nothing of it is needed from there. `failed`: a single backup has.
 */
export type BackupReason = 'fenced' | 'lost' | 'failed';

/** The message is one line for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly reason: BackupReason;
  /** The proof that another node of this shop has gone on there (`epoch 2, run 1`); undefined when there is none. */
  readonly goneOn: string | undefined;

  constructor(reason: BackupReason, message: string, goneOn?: string) {
    super(message);
    this.reason = reason;
    this.goneOn = goneOn;
  }

  static is(error: unknown, reason: BackupReason): error is BackupError {
    return error instanceof BackupError && error.reason === reason;
  }
}

export function anotherShop({ url }: BackupTarget): BackupError {
  return new BackupError('fenced', `${url} has the backup of another shop: choose another target`);
}

/** `name` is the object that tells. */
export function otherFacts({ url }: BackupTarget, name: string): BackupError {
  return new BackupError(
    'fenced',
    `${url} has facts that this data folder doesn't have (${name}): another node ships to it; give this one a target of its own`,
    `it shipped ${name}`,
  );
}

/** `name` is an object that was there. */
export function lostTarget({ url }: BackupTarget, name: string): BackupError {
  return new BackupError('lost', `${url} has lost what was there (${name} is gone)`);
}
