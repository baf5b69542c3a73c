/** A fold that failed; nothing of it counts. The message says why, and follows "the checkpoint could not be written: ". */
export class FoldError extends Error {
  override readonly name = 'FoldError';
  /** There was no room on the disk, or no file descriptor. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}
