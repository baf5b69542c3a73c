/** What can go wrong with a product's file, as far as callers tell it apart. */

/** Longest file that is taken in: 1 GiB. */
export const MAX_FILE_BYTES = 1024 ** 3;

/** The upload has more bytes than a file may have. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';

  constructor(maxBytes = MAX_FILE_BYTES) {
    super(`a file has at most ${maxBytes} bytes`);
  }
}

export class EmptyFileError extends Error {
  override readonly name = 'EmptyFileError';

  constructor() {
    super('the file is empty');
  }
}

/** No room on the disk. Nothing of the upload is left; it has to be sent again. */
export class FilesFullError extends Error {
  override readonly name = 'FilesFullError';

  constructor() {
    super('the disk is full: the file was not stored');
  }
}

/** As many uploads are under way as are taken in at once. */
export class TooManyUploadsError extends Error {
  override readonly name = 'TooManyUploadsError';

  constructor() {
    super('too many files are being uploaded');
  }
}

/** A file is missing, or not what was stored under its name. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly fileId: string;

  constructor(fileId: string, reason: string, options?: ErrorOptions) {
    super(`file ${fileId} cannot be read: ${reason}`, options);
    this.fileId = fileId;
  }
}

export class FilesClosedError extends Error {
  override readonly name = 'FilesClosedError';

  constructor() {
    super('the store of files is closed');
  }
}
