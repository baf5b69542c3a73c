/**
 * The output of withdrawn items: standard output, or a new file that only its owner may read.
 *
 * Invariant: items passed to `write` are in the file or, if that fails, on standard output; where that fails as well,
 * the error says how to get them again.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { CommandFailure, fileTrouble } from '../terminal/failure.ts';
import { isWritten, printLines, type Terminal } from '../terminal/terminal.ts';

export interface ItemSink {
  /** Rejects with `CommandFailure` when they could not be written where they should be. */
  write(lines: readonly string[]): Promise<void>;
  /** Removes the file again when nothing was written to it. */
  close(): void;
}

/**
 * Throws `CommandFailure` when `path` exists or can't be written. `again`: how to get the items once more. `what` they are,
 * and what has happened to them.
 */
export function openItemSink(
  path: string | undefined,
  terminal: Terminal,
  again: string,
  what: readonly [name: string, happened: string] = ['items are', 'withdrawn'],
): ItemSink {
  const print = async (lines: readonly string[]) => {
    if (lines.length === 0 || (await isWritten(terminal.stdout, textOf(lines)))) return;
    throw new CommandFailure(`the ${what.join(' ')}, but could not be printed; ${again}`);
  };
  if (path === undefined) return { write: print, close: () => {} };
  const file = createFile(path);
  let isUsed = false;
  return {
    async write(lines) {
      isUsed = true;
      try {
        writeFileSync(file, textOf(lines));
        fsyncSync(file);
      } catch (error) {
        await print(lines);
        throw new CommandFailure(
          `cannot write ${path}: ${fileTrouble(error)}; the ${what[0]} on standard output instead`,
          { cause: error },
        );
      }
      printLines(terminal.stderr, [`written to ${path}`]);
    },
    close() {
      closeSync(file);
      if (!isUsed) rmSync(path, { force: true });
    },
  };
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new CommandFailure(`cannot create ${path}: ${fileTrouble(error)}`, { cause: error });
  }
}
