/**
 * The port of a backup's target: immutable objects by name. A folder is one implementation (`folder-target.ts`), a bucket
 * of an S3-compatible store the other (`s3-target.ts`).
 *
 * The contract, which `test/backup/target.test.ts` proves for every implementation:
 *
 * - `create` writes an object only if its name is free; of two that want one name, one gets it. When it resolves, the
 *   target says that the object is durable. Whoever relies on it reads it back.
 * - When `create` rejects, nobody knows whether the object is there, whole or in part.
 * - `list` has every object that was there when it began, in the order of names.
 * - Every call ends: with an answer, or with a `TargetError` when the target took too long or `signal` was aborted.
 *
 * Objects are some megabytes at most (`MAX_OBJECT_BYTES`), so they are handed over whole: no stream can break in the
 * middle, and a retry needs nobody to begin anew.
 */

/** Longest object that is written or read. */
export const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

export interface TargetObject {
  /** The name below the target, with `/` between its parts. */
  readonly name: string;
  readonly sizeBytes: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface BackupTarget {
  /** The target as operators name it, without secrets. */
  readonly url: string;
  /** False: there is an object of this name, whatever it is. */
  create(name: string, bytes: Uint8Array, options?: CallOptions): Promise<boolean>;
  /** Undefined when there is none. */
  read(name: string, options?: CallOptions): Promise<Buffer | undefined>;
  /** Objects whose names begin with `prefix` and come behind `after`, ascending. */
  list(prefix: string, options?: CallOptions & { readonly after?: string }): AsyncIterable<TargetObject>;
  /** Does nothing when there is none. */
  remove(name: string, options?: CallOptions): Promise<void>;
  /**
   * Whether a call holds a thread of the process, also one that has ended for its caller: a folder whose file system does
   * not answer. A process with such a thread exits by a kill only.
   */
  readonly holdsThread: boolean;
  close(): Promise<void>;
}

/**
 * `unreachable`: no answer, or one that says to come again; the same call may work later. `refused`: wrong keys, no right
 * to do this, or no such bucket or folder. `impossible`: no backup can ever be there. `full`: no room. `invalid`: what it
 * answered makes no sense.
 */
export type TargetFault = 'unreachable' | 'refused' | 'impossible' | 'full' | 'invalid';

/** The message is one line that says what is wrong and what to do. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly fault: TargetFault;

  constructor(fault: TargetFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
