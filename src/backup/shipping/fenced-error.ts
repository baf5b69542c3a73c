/** Somebody else ships to the target, or has shipped facts that this folder doesn't have. Nothing is shipped any more. */
import type { BackupTarget } from '../target/backup-target.ts';

/** The end of shipping to a target that another node has. The message is one line that says what to do. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
  /** The proof that another node of this shop has gone on there (`epoch 2, run 1`); undefined when there is none. */
  readonly goneOn: string | undefined;

  constructor(message: string, goneOn?: string) {
    super(message);
    this.goneOn = goneOn;
  }
}

export function anotherShop({ url }: BackupTarget): FencedError {
  return new FencedError(`${url} has the backup of another shop: choose another target`);
}

/** `name` is the object that tells. */
export function otherFacts({ url }: BackupTarget, name: string): FencedError {
  return new FencedError(
    `${url} has facts that this data folder doesn't have (${name}): another node ships to it; give this one a target of its own`,
    `it shipped ${name}`,
  );
}
