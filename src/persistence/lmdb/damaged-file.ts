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
