/**
 * Where nodes that share a log put the files that products deliver, so that each has them all. The port that `FileStore`
 * needs; PostgreSQL has the files in `src/cluster/postgres/postgres-files.ts`.
 *
 * A file's id is random and its content never changes, so there is no order and no fence: whoever puts a file again, puts
 * the same.
 */
export interface SharedFiles {
  /**
   * Resolves when every node can get the file that lies there, whatever fails afterwards. May be called again. Rejects
   * with `FileError` when there is no room, and when nothing can be reached for long.
   */
  put(fileId: string, path: string): Promise<void>;
  /**
   * Writes the file there, durably, over whatever lies there; what is wrong with it is found by whoever opens it. Rejects
   * when it can't be read now, or `signal` says that it is not wanted any more.
   */
  fetch(fileId: string, path: string, signal?: AbortSignal): Promise<void>;
  /** Ids behind `after` in their order, `limit` of them at most; also of files that are being put. Rejects like `fetch`. */
  names(after: string, limit: number): Promise<string[]>;
  /** Takes a file away that no fact names. Rejects like `fetch`. */
  remove(fileId: string): Promise<void>;
  /** Whether the same call may work later, after one of these has rejected with this error. */
  mayPass(error: unknown): boolean;
}
