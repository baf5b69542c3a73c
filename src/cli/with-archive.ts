/**
 * What a command does with an archive's target: opens it, says once what it fails at while it is tried again, and closes
 * it, whatever comes of the work.
 */
import type { openArchive } from '../archive/open-archive.ts';

import { printLines, type Terminal, visible } from './terminal.ts';

export type OpenedArchive = ReturnType<typeof openArchive>;

/** Throws a `TargetError` when it can't be a target, and as `work` does. */
export async function withArchive<Result>(
  terminal: Terminal,
  place: { readonly folder: string; readonly target: string },
  work: (archive: OpenedArchive) => Promise<Result>,
): Promise<Result> {
  const { openArchive } = await import('../archive/open-archive.ts');
  const archive = openArchive({ ...place, env: terminal.env, onTrouble: toldOnce(terminal) });
  try {
    return await work(archive);
  } finally {
    await archive.close();
    if (archive.holdsThread()) terminal.onHeld?.();
  }
}

function toldOnce(terminal: Terminal): (message: string) => void {
  let last: string | undefined;
  return (message) => {
    if (message === last) return;
    last = message;
    printLines(terminal.stderr, [`trying again: ${visible(message)}`]);
  };
}
