import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../config/config.ts';

/** Everything a command knows of the process around it, so that tests can be one. */
export interface Terminal {
  readonly env: Environment;
  /** Questions are asked only when this is a terminal, and `stderr` too. */
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  /** Questions stand here, and what is told of work that goes on. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** A file system that doesn't answer holds a thread of the process: only a kill ends that. */
  readonly onHeld?: () => void;
}

/** Characters that a terminal obeys, or that turn the order of others around: C0, C1 and bidirectional controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The text with every control character shown as an escape, but those of `left`. In JSON it means the same. */
export function visible(text: string, left = ''): string {
  return text.replace(CONTROLS, (character) => {
    if (left.includes(character)) return character;
    return character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * The text as it is written to this stream. Text that came from outside drives no terminal, whoever printed it: names,
 * items, answers of receivers. A file or a pipe gets the bytes as they are.
 */
function shown(stream: Writable & { readonly isTTY?: boolean }, chunk: string | Uint8Array) {
  if (stream.isTTY !== true) return chunk;
  return visible(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString(), '\n\t\r');
}

export function print(stream: Writable, text: string): void {
  stream.write(shown(stream, text));
}

export function printLines(stream: Writable, lines: readonly string[]): void {
  if (lines.length > 0) print(stream, `${lines.join('\n')}\n`);
}

/**
 * Resolves when it has left, with whether anybody took it. The reader of a pipe that has gone is known by nothing else:
 * standard output never counts as destroyed.
 */
export function isWritten(stream: Writable, chunk: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve) => stream.write(shown(stream, chunk), (error) => resolve(error == null)));
}
