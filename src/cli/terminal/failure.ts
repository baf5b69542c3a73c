import { codeOf } from '../../shared/error-code.ts';

/** Exit codes; 0 is success. */
export const EXIT_FAILED = 1;
/** The command line is wrong. */
export const EXIT_USAGE = 2;
/** A running node has the folder, or it can't be looked at: nothing is known of it. */
export const EXIT_UNSEEN = 3;

/** An error of the operator API: `code` and `requestId` are the envelope's (SPEC.md §7). */
export interface Refusal {
  readonly code: string;
  readonly requestId: string;
  /** All that it answered, as one line of JSON. */
  readonly body: string;
}

interface FailureOptions extends ErrorOptions {
  readonly exitCode?: number;
  readonly refusal?: Refusal;
  readonly isLost?: boolean;
}

/** The command failed. The message is one line for the person at the terminal. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** The operator API's, if it refused. */
  readonly refusal: Refusal | undefined;
  /** An answer was lost: nobody knows whether the call happened. */
  readonly isLost: boolean;

  constructor(message: string, options: FailureOptions = {}) {
    const { exitCode = EXIT_FAILED, refusal, isLost = false } = options;
    super(message, options);
    this.exitCode = exitCode;
    this.refusal = refusal;
    this.isLost = isLost;
  }
}

export function usageError(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_USAGE });
}

const FILE_TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file',
  ENOSPC: 'the disk is full',
};

/** The reason, in words, why the system refused to read or write a file. */
export function fileTrouble(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined && code in FILE_TROUBLES) return FILE_TROUBLES[code] ?? code;
  return code ?? (error instanceof Error ? error.message : String(error));
}
