import { folderTrouble } from '../disk/disk-trouble.ts';

/** A file of the data folder is not what was written: damaged, cut short, emptied, or not readable at all. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
  readonly path: string;

  /** `what` completes the sentence "<path> …", on one line. */
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
    this.path = path;
  }
}

/** The system does not give the file now, and may another time. The message says what to do. */
export class RefusedFileError extends DamagedFileError {
  /** `what` is followed by the reason. */
  constructor(path: string, what: string, cause: unknown) {
    super(path, `${what}: ${folderTrouble(cause)}`, { cause });
  }
}
