/** Errors of a product's file, as far as callers tell them apart. */

/** Longest file that is taken in: 1 GiB. */
export const MAX_FILE_BYTES = 1024 ** 3;

/**
 * Reasons why an upload was not stored, and nothing of it is left: it has to be sent again. `no-room`: the disk is full.
 * `too-many`: as many uploads are under way as are taken in at once. `closed`: the store is. And `unreadable`: a file is
 * missing, or not what was stored under its name.
 */
export type FileReason = 'too-large' | 'empty' | 'no-room' | 'too-many' | 'closed' | 'unreadable';

export class FileError extends Error {
  override readonly name = 'FileError';
  readonly reason: FileReason;

  constructor(reason: FileReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  static is(error: unknown, reason: FileReason): error is FileError {
    return error instanceof FileError && error.reason === reason;
  }
}

export function fileTooLarge(maxBytes = MAX_FILE_BYTES): FileError {
  return new FileError('too-large', `a file may have at most ${maxBytes} bytes`);
}

export function unreadableFile(fileId: string, why: string, options?: ErrorOptions): FileError {
  return new FileError('unreadable', `file ${fileId} cannot be read: ${why}`, options);
}
