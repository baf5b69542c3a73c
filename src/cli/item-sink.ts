/**
 * The output of withdrawn items: standard output, or a new file that only its owner may read.
 *
 * What always holds: items passed to `write` are in the file or, if that fails, on standard output: the server no longer
 * has them.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { CommandFailure, fileTrouble } from './failure.ts';
import { printLines, type Terminal } from './terminal.ts';

export interface ItemSink {
  write(lines: readonly string[]): void;
  /** Removes the file again when nothing was written to it. */
  close(): void;
}

/** Throws `CommandFailure` when `path` exists or can't be written. */
export function openItemSink(path: string | undefined, terminal: Terminal): ItemSink {
  if (path === undefined) {
    return { write: (lines) => printLines(terminal.stdout, lines), close: () => {} };
  }
  const file = createFile(path);
  let isWritten = false;
  return {
    write(lines) {
      isWritten = true;
      try {
        writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
        fsyncSync(file);
      } catch (error) {
        printLines(terminal.stdout, lines);
        throw new CommandFailure(
          `cannot write ${path}: ${fileTrouble(error)}; the items are on standard output instead`,
          { cause: error },
        );
      }
      printLines(terminal.stderr, [`written to ${path}`]);
    },
    close() {
      closeSync(file);
      if (!isWritten) rmSync(path, { force: true });
    },
  };
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new CommandFailure(`cannot create ${path}: ${fileTrouble(error)}`, { cause: error });
  }
}
