/**
 * One drill, as the node sees it: a process that makes a folder in `unfinished/` of the data folder, and reports. The
 * folder is removed afterwards, whatever the outcome.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unfinishedOf } from '../../persistence/disk/unfinished.ts';
import { runWatched } from '../watched-process.ts';
import type { DrillReport, DrillRequest } from './drill-messages.ts';

export interface NodeDrillOptions extends Omit<DrillRequest, 'folder'> {
  readonly dataDir: string;
  /** The longest silence of the process before it has failed, … */
  readonly silenceMs: number;
  /** … and the longest time that it may take. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Gets the reason of a wait, in one line; undefined at its end. */
  readonly onWait?: ((line: string | undefined) => void) | undefined;
  /** The program of the process; default: `drill-process.ts`. For tests. */
  readonly program?: string | undefined;
}

/** A folder for one drill: what another one left may still be under removal. */
function drillFolder(dataDir: string): string {
  return unfinishedOf(join(dataDir, `drill-${randomUUID()}`));
}

/** Resolves with why it failed, in one sentence; null when it didn't. Rejects when `signal` is aborted. */
export async function runDrill(options: NodeDrillOptions): Promise<string | null> {
  const { dataDir, signal, silenceMs, deadlineMs, source, masterKey, point, onWait } = options;
  signal.throwIfAborted();
  const program = options.program ?? fileURLToPath(new URL('./drill-process.js', import.meta.url));
  const folder = drillFolder(dataDir);
  const request = { source, masterKey, point, folder: join(folder, 'shop') };
  const watch = { dataDir, silenceMs, deadlineMs, noRoom: NO_ROOM, signal };
  try {
    const { error } = await runWatched<DrillReport>(program, request, watch, (report) => {
      if (report.kind === 'waits') onWait?.(report.line);
    });
    return error;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const NO_ROOM = 'the disk of the data folder has no room for a drill: make room';
