/** Errors of a product's file, as far as callers tell them apart. */

/** Longest file that is taken in: 1 GiB. */
export const MAX_FILE_BYTES = 1024 ** 3;

/**
 * Why an upload was not stored. `no-room`: the disk is full. `too-many`: as many uploads are under way as are taken in at
 * once. `closed`: the store is.
 */
export type UploadFault = 'too-large' | 'empty' | 'no-room' | 'too-many' | 'closed';

/** Nothing of the upload is left; it has to be sent again. */
export class FileUploadError extends Error {
  override readonly name = 'FileUploadError';
  readonly fault: UploadFault;

  constructor(fault: UploadFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export function fileTooLarge(maxBytes = MAX_FILE_BYTES): FileUploadError {
  return new FileUploadError('too-large', `a file may have at most ${maxBytes} bytes`);
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
