import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/config.ts';

/** Everything a command knows of the process around it, so that tests can be one. */
export interface Terminal {
  readonly env: Environment;
  /** Questions are asked only when this is a terminal, and `stderr` too. */
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  /** A progress bar is drawn only when this is a terminal. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** A file system that doesn't answer holds a thread of the process: only a kill ends that. */
  readonly onHeld?: () => void;
}

export function printLines(stream: Writable, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
}

/**
 * Resolves when it has left, with whether anybody took it. The reader of a pipe that has gone is known by nothing else:
 * standard output never counts as destroyed.
 */
export function isWritten(stream: Writable, chunk: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve) => stream.write(chunk, (error) => resolve(error == null)));
}
