import { codeOf } from '../../shared/error-code.ts';

/** The command failed. The message is one line for the person at the terminal; exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** A running node has the folder, or it can't be looked at: nothing is known of it; exit code 3. */
export class FolderUnseen extends Error {
  override readonly name = 'FolderUnseen';
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The operator API refused. `code` and `requestId` are the envelope's (SPEC.md §7); exit code 1. */
export class ServerRefusal extends Error {
  readonly code: string;
  readonly requestId: string;
  /** All that it answered, as one line of JSON. */
  readonly body: string;

  constructor(code: string, message: string, requestId: string, body: string) {
    super(message);
    this.name = 'ServerRefusal';
    this.code = code;
    this.requestId = requestId;
    this.body = body;
  }
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
