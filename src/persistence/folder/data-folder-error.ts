/**
 * `unusable`: the folder can't be used; the message is one line that says why and what to do. `in-use`: another process
 * has it. `lock`: the lock can't be had for a reason other than a holder, such as permissions or the path's length.
 * `view`: no view can be made here, which says nothing of the folder. `unseen`: the system did not let a file be looked
 * at, so nothing is known of the folder.
 */
export type FolderReason = 'unusable' | 'in-use' | 'lock' | 'view' | 'unseen';

interface Options extends ErrorOptions {
  readonly reason?: FolderReason;
  readonly folder?: string;
  readonly pid?: number;
}

export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
  readonly reason: FolderReason;
  /** The folder that is in use. */
  readonly folder: string;
  /** The holder's id as its own process sees it: in another container it may mean another process. */
  readonly pid: number;

  constructor(message: string, { reason = 'unusable', folder = '', pid = 0, ...options }: Options = {}) {
    super(message, options);
    this.reason = reason;
    this.folder = folder;
    this.pid = pid;
  }

  static is(error: unknown, ...reasons: readonly FolderReason[]): error is DataFolderError {
    return error instanceof DataFolderError && reasons.includes(error.reason);
  }
}
